// Parked messages of the store in memory.

import { assertBulk, assertPage, assertSearch } from "./bounds.ts";
import { order, pick } from "./memory-call.ts";
import type { Call } from "./memory-call.ts";
import { fromStoredParked, placeOfTotals, toAttemptState, toParkedRow, toStoredParked } from "./parked-document.ts";
import type { StoredParked } from "./parked-document.ts";
import type { ParkedStore, ParkedTotals } from "./port.ts";

export function parkedIn(name: "deliveries" | "postings", call: Call, kept: Map<string, StoredParked>): ParkedStore {
  return {
    async insert(messages) {
      assertBulk(messages.length);
      const sorted = messages.map(toStoredParked).sort((a, b) => order(a._id, b._id));
      const keys = sorted.map((stored) => stored._id);
      return call(`${name}.insert`, keys, sorted, (documentsMax) => {
        for (const stored of sorted.slice(0, documentsMax)) if (!kept.has(stored._id)) kept.set(stored._id, stored);
      });
    },
    async update(message) {
      const attemptState = toAttemptState(message);
      return call(`${name}.update`, [message.id], attemptState, () => {
        const found = kept.get(message.id);
        if (found !== undefined) kept.set(message.id, { ...found, ...attemptState });
      });
    },
    async remove(ids) {
      assertBulk(ids.length);
      return call(`${name}.remove`, ids, null, (documentsMax) => {
        for (const id of ids.slice(0, documentsMax)) kept.delete(id);
      });
    },
    async ofLane(lane, after, limit, { butOf } = { butOf: [] }) {
      assertPage(limit);
      assertBulk(butOf.length);
      return call(`${name}.ofLane`, [`${lane}`], [after, limit, butOf], () =>
        [...kept.values()]
          .filter((stored) => stored.lane === lane && !butOf.includes(stored.bank))
          .filter((stored) => after === null || bySequence(stored, { sequence: after.sequence, _id: after.id }) > 0)
          .sort(bySequence)
          .slice(0, limit)
          .map(toParkedRow),
      );
    },
    async load(ids) {
      assertBulk(ids.length);
      return call(`${name}.load`, ids, null, () => pick(kept, ids, fromStoredParked));
    },
    async ofBank(bank, after, limit) {
      assertSearch(limit);
      return call(`${name}.ofBank`, [bank ?? ""], [after, limit], () =>
        [...kept.values()]
          .filter((stored) => stored.ended !== "stopped" && (bank === null || stored.bank === bank))
          .filter((stored) => after === null || byBank(stored, { ...after, _id: after.id }) > 0)
          .sort(byBank)
          .slice(0, limit)
          .map(toParkedRow),
      );
    },
    totals: () => call(`${name}.totals`, [], null, () => totalsOf([...kept.values()].filter(({ ended }) => ended !== "stopped"))),
  };
}

function totalsOf(kept: readonly StoredParked[]): readonly ParkedTotals[] {
  const totals = new Map<string, ParkedTotals>();
  for (const { bank, closesWith, ended, sequence, since = null, nextAttemptAt, deadline } of kept) {
    const key = placeOfTotals({ bank, closesWith });
    const so = totals.get(key);
    const sinceMs = ended === null ? (since?.getTime() ?? null) : null;
    const nextAttemptAtMs = ended === null ? nextAttemptAt.getTime() : null;
    totals.set(key, {
      bank,
      closesWith,
      count: (so?.count ?? 0) + 1,
      refused: (so?.refused ?? 0) + (ended === null ? 0 : 1),
      oldestSequence: so === undefined || sequence < so.oldestSequence ? sequence : so.oldestSequence,
      waitingSinceMs: earlier(so?.waitingSinceMs ?? null, sinceMs),
      nextAttemptAtMs: earlier(so?.nextAttemptAtMs ?? null, nextAttemptAtMs),
      deadlineMs: earlier(so?.deadlineMs ?? null, deadline?.getTime() ?? null),
    });
  }
  return [...totals].sort(([a], [b]) => order(a, b)).map(([, one]) => one);
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

type Placed = Pick<StoredParked, "bank" | "sequence" | "_id">;

function byBank(a: Placed, b: Placed): number {
  return order(a.bank, b.bank) || bySequence(a, b);
}

function bySequence(a: Pick<StoredParked, "sequence" | "_id">, b: Pick<StoredParked, "sequence" | "_id">): number {
  if (a.sequence !== b.sequence) return a.sequence < b.sequence ? -1 : 1;
  return order(a._id, b._id);
}
