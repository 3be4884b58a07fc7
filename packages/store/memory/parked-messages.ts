// Parked messages of the memory store.

import { assertBulk, assertPage, assertSearch } from "../bounds.ts";
import { compareText, type MemoryCall, pickKept } from "./memory-call.ts";
import {
  parkedMessageCodec,
  type StoredParkedMessage,
  parkedRowCodec,
  attemptStateCodec,
  totalsSortKey,
} from "../documents/parked-message-document.ts";
import type { ParkedSelection, ParkedStore, ParkedTotals } from "../port.ts";

export function createMemoryParkedMessages(
  name: "deliveries" | "postings",
  call: MemoryCall,
  kept: Map<string, StoredParkedMessage>,
): ParkedStore {
  return {
    ...createWrites(name, call, kept),
    async listByPartition(partition, after, limit, selection = { exceptReceivers: [] }) {
      assertPage(limit);
      if ("exceptReceivers" in selection) assertBulk(selection.exceptReceivers.length);
      return call(`${name}.listByPartition`, [`${partition}`], [after, limit, selection], () =>
        [...kept.values()]
          .filter((stored) => stored.partition === partition && isSelected(selection, stored))
          .filter((stored) => after === null || bySequence(stored, { sequence: after.sequence, _id: after.id }) > 0)
          .sort(bySequence)
          .slice(0, limit)
          .map(parkedRowCodec.decode),
      );
    },
    async listByKeys(deliveryKeys, limit) {
      assertBulk(deliveryKeys.length);
      assertPage(limit);
      const keys = new Set(deliveryKeys);
      return call(`${name}.listByKeys`, deliveryKeys, limit, () =>
        [...kept.values()]
          .filter((stored) => keys.has(stored.deliveryKey))
          .sort(bySequence)
          .slice(0, limit)
          .map(parkedRowCodec.decode),
      );
    },
    async load(ids) {
      assertBulk(ids.length);
      return call(`${name}.load`, ids, null, () => pickKept(kept, ids, parkedMessageCodec.decode));
    },
    async versions(ids) {
      assertBulk(ids.length);
      return call(`${name}.versions`, ids, null, () => pickKept(kept, ids, ({ version }) => version));
    },
    async listByReceiver(bank, after, limit, attemptsMin = 0) {
      assertSearch(limit);
      return call(`${name}.listByReceiver`, [bank ?? ""], [after, limit, attemptsMin], () =>
        [...kept.values()]
          .filter((stored) => stored.ended !== "stopped" && stored.attempts >= attemptsMin && (bank === null || stored.bank === bank))
          .filter((stored) => after === null || byBank(stored, { ...after, bank: after.receiverId, _id: after.id }) > 0)
          .sort(byBank)
          .slice(0, limit)
          .map(parkedRowCodec.decode),
      );
    },
    totals: () => call(`${name}.totals`, [], null, () => countTotals([...kept.values()].filter(({ ended }) => ended !== "stopped"))),
  };
}

function createWrites(
  name: "deliveries" | "postings",
  call: MemoryCall,
  kept: Map<string, StoredParkedMessage>,
): Pick<ParkedStore, "insert" | "update" | "remove" | "raiseVersions"> {
  return {
    async insert(messages) {
      assertBulk(messages.length);
      const sorted = messages.map(parkedMessageCodec.encode).sort((a, b) => compareText(a._id, b._id));
      const keys = sorted.map((stored) => stored._id);
      return call(`${name}.insert`, keys, sorted, (documentsMax) => {
        const existing: string[] = [];
        for (const stored of sorted.slice(0, documentsMax)) {
          if (kept.has(stored._id)) existing.push(stored._id);
          else kept.set(stored._id, stored);
        }
        return { existing };
      });
    },
    async update(message, expectedVersion) {
      const attemptState = attemptStateCodec.encode(message);
      return call(`${name}.update`, [message.id], [attemptState, expectedVersion], () => {
        const found = kept.get(message.id);
        if (found?.version !== expectedVersion) return false;
        kept.set(message.id, { ...found, ...attemptState });
        return true;
      });
    },
    async raiseVersions(partition, fromSequence, version) {
      return call(`${name}.raiseVersions`, [`${partition}`], [fromSequence, version], () => {
        for (const [id, stored] of kept) {
          const isLesser = stored.partition === partition && stored.sequence >= fromSequence && stored.version < version;
          if (isLesser) kept.set(id, { ...stored, version });
        }
      });
    },
    async remove(messages) {
      assertBulk(messages.length);
      const sorted = messages.toSorted((a, b) => compareText(a.id, b.id));
      const ids = sorted.map(({ id }) => id);
      return call(`${name}.remove`, ids, sorted, (documentsMax) => {
        for (const { id, version } of sorted.slice(0, documentsMax)) if (kept.get(id)?.version === version) kept.delete(id);
        return { conflicts: ids.filter((id) => kept.has(id)) };
      });
    },
  };
}

function isSelected(selection: ParkedSelection, { bank, operation }: StoredParkedMessage): boolean {
  if ("exceptReceivers" in selection) return !selection.exceptReceivers.includes(bank);
  const { receiverId, operations } = selection.only;
  return bank === receiverId && (operations === null || operations.includes(operation));
}

function countTotals(kept: readonly StoredParkedMessage[]): readonly ParkedTotals[] {
  const totals = new Map<string, ParkedTotals>();
  for (const { bank, reconciliationDay, ended, sequence, since = null, nextAttemptAt, deadline } of kept) {
    const key = totalsSortKey({ bank, reconciliationDay });
    const previous = totals.get(key);
    const sinceMs = ended === null ? (since?.getTime() ?? null) : null;
    const nextAttemptAtMs = ended === null ? nextAttemptAt.getTime() : null;
    totals.set(key, {
      receiverId: bank,
      reconciliationDay,
      count: (previous?.count ?? 0) + 1,
      refused: (previous?.refused ?? 0) + (ended === null ? 0 : 1),
      oldestSequence: previous === undefined || sequence < previous.oldestSequence ? sequence : previous.oldestSequence,
      waitingSinceMs: earlierOf(previous?.waitingSinceMs ?? null, sinceMs),
      nextAttemptAtMs: earlierOf(previous?.nextAttemptAtMs ?? null, nextAttemptAtMs),
      deadlineMs: earlierOf(previous?.deadlineMs ?? null, deadline?.getTime() ?? null),
    });
  }
  return [...totals].sort(([a], [b]) => compareText(a, b)).map(([, one]) => one);
}

function earlierOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

type Placed = Pick<StoredParkedMessage, "bank" | "sequence" | "_id">;

function byBank(a: Placed, b: Placed): number {
  return compareText(a.bank, b.bank) || bySequence(a, b);
}

function bySequence(a: Pick<StoredParkedMessage, "sequence" | "_id">, b: Pick<StoredParkedMessage, "sequence" | "_id">): number {
  if (a.sequence !== b.sequence) return a.sequence < b.sequence ? -1 : 1;
  return compareText(a._id, b._id);
}
