// The store in memory: the same documents and promises, answering through `time.after` with seeded latency, so that it runs
// under a virtual clock. What a client sees of trouble comes from `hooks`.
//
// 1. A call takes effect at one instant between its start and its answer, and both are drawn from `random`.
// 2. Every call is told to `observe` before anything happens, with all that it carries; the same seed tells the same calls.
// 3. State belongs to the store, not to a client: `close` forgets nothing, as a database does not when a process ends.

import type { Day } from "@sluice/domain";
import { addressesIn } from "./addresses-memory.ts";
import { fromStoredBank, toStoredBank } from "./bank-document.ts";
import type { StoredBank } from "./bank-document.ts";
import { assertBulk, banksMax, openDaysMax } from "./bounds.ts";
import { fromStoredDay, toStoredDay } from "./day-document.ts";
import type { StoredDay } from "./day-document.ts";
import { fromStoredLane, laneId, newLane } from "./lane-document.ts";
import type { StoredLane } from "./lane-document.ts";
import { fromStoredLedger, ledgerId, toStoredLedger } from "./ledger-document.ts";
import type { StoredLedger } from "./ledger-document.ts";
import { calls, order, pick } from "./memory-call.ts";
import type { Call, MemoryStoreOptions } from "./memory-call.ts";
import { parkedIn } from "./parked-memory.ts";
import type { BankStore, DayStore, LaneStore, LedgerStore, Store } from "./port.ts";
import { learning } from "./learning-lanes.ts";
import type { StoredTransaction } from "./transaction-document.ts";
import { routed } from "./transactions-routed.ts";
import type { BuildTransactions, LaneBuild } from "./transactions-routed.ts";
import { transactionsIn } from "./transactions-memory.ts";

export function createMemoryStore(options: MemoryStoreOptions): Store {
  const call = calls(options);
  const lanes = new Map<string, StoredLane>();
  const builds = new Map<number, Map<string, StoredTransaction>>([[0, new Map()]]);
  const keptOf = (build: number): Map<string, StoredTransaction> => {
    const kept = builds.get(build) ?? new Map<string, StoredTransaction>();
    builds.set(build, kept);
    return kept;
  };
  const inBuild = (build: number): BuildTransactions => transactionsIn(call, keptOf(build));
  // Looked up without a call of its own: it would be one more thing that can fail, and a real store answers it with the lanes.
  const used = (): Promise<readonly LaneBuild[]> =>
    Promise.resolve([...lanes.values()].filter(({ service }) => service === "scheduler").map(fromStoredLane));
  const { transactions, learn } = routed({ of: inBuild, builds: used });
  return {
    transactions,
    days: daysIn(call, new Map()),
    banks: banksIn(call, new Map()),
    ledgers: ledgersIn(call, new Map()),
    lanes: learning(lanesIn(call, lanes), learn),
    builds: {
      transactions: inBuild,
      documents: (lane, build, afterUetr, limit) => inBuild(build).documents(lane, afterUetr, limit),
      remove: (lane, build) => inBuild(build).remove(lane),
      prepare: (build) => call("builds.prepare", [`${build}`], null, () => void keptOf(build)),
      list: () => call("builds.list", [], null, () => [...builds.keys()].sort((a, b) => a - b)),
    },
    deliveries: parkedIn("deliveries", call, new Map()),
    postings: parkedIn("postings", call, new Map()),
    addresses: addressesIn(call, new Map()),
    prepare: () => call("store.prepare", [], null, () => undefined),
    ping: () => call("store.ping", [], null, () => undefined),
    close: () => Promise.resolve(),
  };
}

function daysIn(call: Call, kept: Map<string, StoredDay>): DayStore {
  return {
    async load(keys) {
      assertBulk(keys.length);
      return call("days.load", keys, null, () => pick(kept, keys, fromStoredDay));
    },
    async write(day, expectedVersion) {
      const stored = toStoredDay(day);
      return call("days.write", [day.key], [stored, expectedVersion], () => {
        if ((kept.get(day.key)?.version ?? 0) !== expectedVersion) return false;
        kept.set(day.key, stored);
        return true;
      });
    },
    open: () =>
      call("days.open", [], null, () =>
        [...kept.values()]
          .filter((stored) => !stored.isReconciled)
          .sort((a, b) => order(a._id, b._id))
          .slice(0, openDaysMax)
          .map((stored): Day => fromStoredDay(stored)),
      ),
  };
}

function banksIn(call: Call, kept: Map<string, StoredBank>): BankStore {
  return {
    async load(ids) {
      assertBulk(ids.length);
      return call("banks.load", ids, null, () => pick(kept, ids, fromStoredBank));
    },
    async write(standing, expectedVersion) {
      const stored = toStoredBank(standing);
      return call("banks.write", [standing.bank], [stored, expectedVersion], () => {
        if ((kept.get(standing.bank)?.version ?? 0) !== expectedVersion) return false;
        kept.set(standing.bank, stored);
        return true;
      });
    },
    all: () =>
      call("banks.all", [], null, () =>
        [...kept.values()]
          .sort((a, b) => order(a._id, b._id))
          .slice(0, banksMax)
          .map(fromStoredBank),
      ),
  };
}

function ledgersIn(call: Call, kept: Map<string, StoredLedger>): LedgerStore {
  const sorted = (): StoredLedger[] => [...kept.values()].sort((a, b) => a.lane - b.lane || order(a.day, b.day));
  return {
    async load(lane, days) {
      assertBulk(days.length);
      const ids = days.map((day) => ledgerId(lane, day));
      const found = await call("ledgers.load", ids, null, () => pick(kept, ids, fromStoredLedger));
      return new Map([...found.values()].map((ledger) => [ledger.day, ledger]));
    },
    async write(ledger, expectedVersion) {
      const stored = toStoredLedger(ledger);
      return call("ledgers.write", [stored._id], [stored, expectedVersion], () => {
        if ((kept.get(stored._id)?.version ?? 0) !== expectedVersion) return false;
        kept.set(stored._id, stored);
        return true;
      });
    },
    ofDay: (day) =>
      call("ledgers.ofDay", [day], null, () =>
        sorted()
          .filter((stored) => stored.day === day)
          .map(fromStoredLedger),
      ),
    ofLane: (lane) =>
      call("ledgers.ofLane", [`${lane}`], null, () =>
        sorted()
          .filter((stored) => stored.lane === lane)
          .map(fromStoredLedger),
      ),
  };
}

function lanesIn(call: Call, kept: Map<string, StoredLane>): LaneStore {
  return {
    async takeOver(service, partition) {
      const id = laneId(service, partition);
      return call("lanes.takeOver", [id], null, () => {
        const found = kept.get(id);
        const taken = found === undefined ? newLane(service, partition) : { ...found, epoch: found.epoch + 1 };
        kept.set(id, taken);
        return fromStoredLane(taken);
      });
    },
    async write(service, partition, epoch, position, state) {
      const id = laneId(service, partition);
      const text = state === undefined ? undefined : JSON.stringify(state);
      return call("lanes.write", [id], [epoch, position, text], () => {
        const found = kept.get(id);
        if (found?.epoch !== epoch) return false;
        kept.set(id, { ...found, position, state: text ?? found.state });
        return true;
      });
    },
    async hold(service, partition, { id, untilMs }) {
      const key = laneId(service, partition);
      return call("lanes.hold", [key], [id, untilMs], () => {
        const found = kept.get(key);
        const holder = found?.hold?.id ?? null;
        if (found === undefined || (holder !== null && holder !== id)) return null;
        const held = { ...found, epoch: holder === id ? found.epoch : found.epoch + 1, hold: { id, until: new Date(untilMs) } };
        kept.set(key, held);
        return fromStoredLane(held);
      });
    },
    async release(service, partition, holdId) {
      const key = laneId(service, partition);
      return call("lanes.release", [key], holdId, () => {
        const found = kept.get(key);
        if (found?.hold?.id !== holdId) return false;
        kept.set(key, { ...found, hold: null });
        return true;
      });
    },
    async switchTo(service, partition, holdId, { build, position, state }) {
      const key = laneId(service, partition);
      const text = JSON.stringify(state);
      return call("lanes.switchTo", [key], [holdId, build, position, text], () => {
        const found = kept.get(key);
        if (found?.hold?.id !== holdId) return false;
        kept.set(key, { ...found, build, position, state: text, hold: null, epoch: found.epoch + 1 });
        return true;
      });
    },
    list: (service) =>
      call("lanes.list", [service], null, () =>
        [...kept.values()]
          .filter((stored) => stored.service === service)
          .sort((a, b) => a.partition - b.partition)
          .map(fromStoredLane),
      ),
  };
}
