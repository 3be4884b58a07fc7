import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestEndpoint } from "../endpoint/endpoint.fixture.ts";
import { BacklogPage } from "./backlog-page.ts";
import { type BacklogEntry } from "./backlog-entry.ts";
import { BacklogRoom } from "./backlog-room.ts";

const endpoint = createTestEndpoint();
const elsewhere = createTestEndpoint({ origin: "https://elsewhere.example" });
const entry = (sequence: number, key: string, over: Partial<BacklogEntry> = {}): BacklogEntry => ({
  id: `m${sequence}`,
  key,
  endpoint,
  operation: null,
  sequence: BigInt(sequence),
  reconciliationDay: null,
  stopsAtMs: null,
  deadlineMs: null,
  isEnding: false,
  attempts: 0,
  dueMs: 0,
  ...over,
});
interface PageOptions {
  readonly max?: { readonly untried: number; readonly failed: number };
  readonly coveredBelow?: bigint | null;
  readonly endpoints?: readonly (typeof endpoint)[];
}
const createPage = ({ max = { untried: 1_000, failed: 1_000 }, coveredBelow = null, endpoints = [endpoint] }: PageOptions = {}) =>
  new BacklogPage({ room: new BacklogRoom(max), endpoints, coveredBelow, computeWakeMs: ({ dueMs }) => dueMs, isOver: () => false });
const ranks = ["untried", "failed", "failing"] as const;
const takeDue = (page: BacklogPage, nowMs: number): BacklogEntry | null => {
  for (const rank of ranks) {
    const due = page.takeDue(endpoint, rank, nowMs);
    if (due !== null) return due;
  }
  return null;
};
const allDue = (page: BacklogPage, nowMs: number): string[] => {
  const ids: string[] = [];
  for (let due = takeDue(page, nowMs); due !== null; due = takeDue(page, nowMs)) ids.push(due.id);
  return ids;
};

describe("the page of a receiver's backlog", () => {
  it("I4: of each key only the first message is due; when it is gone, the store is asked for the next", () => {
    const page = createPage();
    page.offer(entry(1, "a"));
    page.offer(entry(2, "a"));
    page.offer(entry(3, "b"));
    expect(allDue(page, 0)).toEqual(["m1", "m3"]);
    page.reschedule("m1", 500, 1);
    expect(allDue(page, 499)).toEqual([]);
    expect(allDue(page, 500)).toEqual(["m1"]);
    page.remove("m3");
    expect(page.containsKey("b")).toBe(false);
    page.remove("m1");
    expect(page.containsKey("a")).toBe(true);
    expect(page.takeKeysToLookUp()).toEqual(["a"]);
    page.resolveKey("a", entry(2, "a"), false);
    expect(allDue(page, 500)).toEqual(["m2"]);
    page.remove("m2");
    expect(page.containsKey("a")).toBe(false);
  });

  it("I4: what is parked while the store is asked is not forgotten", () => {
    const page = createPage();
    page.offer(entry(1, "a"));
    page.offer(entry(2, "a"));
    page.remove("m1");
    expect(page.takeKeysToLookUp()).toEqual(["a"]);
    page.offer(entry(5, "a"));
    page.resolveKey("a", null, false);
    expect(page.takeKeysToLookUp()).toEqual(["a"]);
    page.resolveKey("a", entry(5, "a"), false);
    expect(allDue(page, 0)).toEqual(["m5"]);
  });

  it("I4: a redriven message goes before the later ones of its key, which wait for it", () => {
    const page = createPage();
    page.offer(entry(7, "a"));
    page.offer(entry(3, "a"));
    expect(allDue(page, 0)).toEqual(["m3"]);
    page.remove("m3");
    expect(page.takeKeysToLookUp()).toEqual(["a"]);
  });

  it("I7: of messages that fail often the one that waits longest is next, so that no older one keeps the turns [D3.52]", () => {
    const page = createPage();
    for (const sequence of [1, 2, 3]) page.offer(entry(sequence, `k${sequence}`, { attempts: 3, dueMs: sequence }));
    const turns: string[] = [];
    for (let nowMs = 10; turns.length < 6; nowMs += 10) {
      const due = takeDue(page, nowMs);
      turns.push(due?.id ?? "none");
      if (due !== null) page.reschedule(due.id, nowMs + 5, due.attempts + 1);
    }
    expect(turns).toEqual(["m1", "m2", "m3", "m1", "m2", "m3"]);
  });

  it("due messages that fail not often come oldest first, whatever their due time; those never tried first, those that fail often last [D3.51] [D3.52]", () => {
    const page = createPage();
    page.offer(entry(1, "a", { attempts: 3, dueMs: 1 }));
    page.offer(entry(2, "b", { attempts: 2, dueMs: 1 }));
    page.offer(entry(9, "i", { dueMs: 20 }));
    page.offer(entry(5, "e", { dueMs: 30 }));
    page.offer(entry(3, "c", { dueMs: 99 }));
    expect(page.nextWakeMs(0)).toBe(1);
    expect(allDue(page, 50)).toEqual(["m5", "m9", "m2", "m1"]);
    expect(page.nextWakeMs(50)).toBe(99);
  });

  it("I16: what became due while a drain went on is looked at again at once, though nothing else waits", () => {
    const page = createPage();
    page.offer(entry(1, "a", { attempts: 1, dueMs: 100.5 }));
    // The timer fired a fraction of a millisecond early, so the drain that it began found nothing.
    expect(allDue(page, 100.2)).toEqual([]);
    expect(page.hasDueUntried(100.6)).toBe(false);
    expect(page.nextWakeMs(100.2)).toBe(100.2);
    expect(allDue(page, 100.7)).toEqual(["m1"]);
    expect(page.nextWakeMs(100.7)).toBeNull();
  });

  it("adds only messages that it covers, and each once", () => {
    const page = createPage({ coveredBelow: 5n });
    page.offer(entry(4, "a"));
    page.offer(entry(4, "a"));
    page.offer(entry(5, "b"));
    expect(page.size).toBe(1);
    expect(page.containsKey("b")).toBe(false);
  });

  it("I15: a message that finds no room limits the cover; those that fail take no room of those never tried", () => {
    const page = createPage({ max: { untried: 16, failed: 64 } });
    for (let sequence = 0; sequence < 30; sequence += 1) page.offer(entry(sequence, `f${sequence}`, { attempts: 1 }));
    for (let sequence = 100; sequence < 120; sequence += 1) page.offer(entry(sequence, `u${sequence}`));
    expect(page.size).toBe(46);
    expect(page.coveredBelow(endpoint)).toBe(116n);
    expect(page.untried(endpoint)).toBe(16);
  });

  it("I14: a fresh probe is the newest of those tried least, and never one that failed three times [D3.49]", () => {
    const page = createPage();
    for (const [sequence, attempts] of [
      [1, 5],
      [2, 2],
      [3, 1],
      [4, 1],
      [5, 0],
      [6, 3],
    ] as const)
      page.offer(entry(sequence, `k${sequence}`, { attempts }));
    expect(page.findFreshProbe(endpoint)?.attempts).toBe(0);
    expect(Array.from({ length: 5 }, () => page.takeFreshProbe(endpoint)?.id)).toEqual(["m5", "m4", "m3", "m2", undefined]);
    expect(page.findFreshProbe(endpoint)).toBeNull();
  });

  it("a probe is the newest message never tried, or the next of all in rotation", () => {
    const page = createPage();
    for (const [sequence, attempts] of [
      [1, 5],
      [2, 0],
      [3, 5],
      [4, 0],
    ] as const)
      page.offer(entry(sequence, `k${sequence}`, { attempts }));
    expect(page.takeFreshProbe(endpoint)?.id).toBe("m4");
    expect(page.takeRotatingProbe(endpoint, null)?.id).toBe("m1");
    expect(page.takeRotatingProbe(endpoint, 1n)?.id).toBe("m2");
    expect(page.takeFreshProbe(endpoint)).toBeNull();
  });

  it("I4: while an older message to another endpoint may be unknown, the store says which is first", () => {
    const page = createPage({ endpoints: [endpoint, elsewhere] });
    page.setCoveredBelow(elsewhere, 10n);
    page.offer(entry(5, "old"));
    page.offer(entry(20, "a"));
    page.offer(entry(21, "b"));
    expect(allDue(page, 0)).toEqual(["m5"]);
    expect(page.takeKeysToLookUp()).toEqual(["a", "b"]);
    // The first of `a` goes elsewhere and is not covered there; `b` has no other.
    page.resolveKey("a", entry(15, "a", { endpoint: elsewhere }), true);
    page.resolveKey("b", entry(21, "b"), false);
    expect(allDue(page, 0)).toEqual(["m21"]);
    // When the read comes to it, and it is gone, what followed it comes.
    page.setCoveredBelow(elsewhere, null);
    page.offer(entry(15, "a", { endpoint: elsewhere }));
    page.remove("m15");
    expect(page.takeKeysToLookUp()).toEqual(["a"]);
  });

  it("I14: entries of replaced endpoints keep their order and their turns, and count at the new ones", () => {
    const page = createPage({ endpoints: [endpoint, elsewhere], max: { untried: 4, failed: 4 } });
    page.setCoveredBelow(elsewhere, 30n);
    for (const [sequence, key] of [
      [1, "a"],
      [2, "a"],
      [3, "b"],
    ] as const)
      page.offer(entry(sequence, key));
    const inHand = page.takeDue(endpoint, "untried", 0);
    const [near, far] = [createTestEndpoint(), createTestEndpoint()];
    page.replaceEndpoints([near, far], () => near);
    expect([page.knows(endpoint), page.knows(near), page.untried(near), page.untried(far)]).toEqual([false, true, 2, 0]);
    // What one of the former sections did not cover, none of the new ones covers.
    expect([page.coveredBelow(near), page.coveredBelow(far)]).toEqual([30n, 30n]);
    expect(inHand !== null && page.containsEntry(inHand) && inHand.endpoint === near).toBe(true);
    expect(page.takeDue(near, "untried", 0)?.id).toBe("m3");
    expect(page.takeDue(near, "untried", 0)).toBeNull();
    page.remove("m1");
    expect(page.takeKeysToLookUp()).toEqual(["a"]);
    page.resolveKey("a", entry(2, "a", { endpoint: near }), false);
    expect(page.takeDue(near, "untried", 0)?.id).toBe("m2");
  });

  it("I4, I16: under any sequence of calls, what is first in the store is what is in memory", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("park" as const), key: fc.constantFrom("a", "b", "c"), isElsewhere: fc.boolean(), dueMs: fc.nat(20) }),
      fc.record({ kind: fc.constant("end" as const), key: fc.constantFrom("a", "b", "c") }),
      fc.record({ kind: fc.constant("fail" as const), key: fc.constantFrom("a", "b", "c"), dueMs: fc.nat(20) }),
      fc.record({ kind: fc.constant("answer" as const) }),
      fc.record({ kind: fc.constant("uncover" as const) }),
      fc.record({ kind: fc.constant("replace" as const), isOne: fc.boolean() }),
      fc.record({ kind: fc.constant("read" as const), isElsewhere: fc.boolean(), many: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const page = createPage({ endpoints: [endpoint, elsewhere], max: { untried: 4, failed: 4 } });
        let stored: BacklogEntry[] = [];
        let at: readonly [typeof endpoint, typeof endpoint] = [endpoint, elsewhere];
        const first = (key: string): BacklogEntry | undefined => stored.find((one) => one.key === key);
        let sequence = 0;
        for (const one of steps) {
          if (one.kind === "park") {
            sequence += 1;
            const made = entry(sequence, one.key, { endpoint: at[one.isElsewhere ? 1 : 0], dueMs: one.dueMs });
            stored.push(made);
            page.offer({ ...made });
          } else if (one.kind === "end" || one.kind === "fail") {
            const head = first(one.key);
            if (head === undefined || !page.has(head.id)) continue;
            if (one.kind === "fail") page.reschedule(head.id, one.dueMs, head.attempts + 1);
            else {
              stored = stored.filter((other) => other !== head);
              page.remove(head.id);
            }
          } else if (one.kind === "answer") {
            for (const key of page.takeKeysToLookUp()) {
              const next = first(key);
              page.resolveKey(key, next === undefined ? null : { ...next }, stored.filter((other) => other.key === key).length > 1);
            }
          } else if (one.kind === "uncover") page.uncover();
          else if (one.kind === "replace") {
            const former = at;
            const made = createTestEndpoint();
            at = one.isOne ? [made, made] : [made, createTestEndpoint()];
            const endpointOf = (other: BacklogEntry): typeof endpoint => at[other.endpoint === former[0] ? 0 : 1];
            page.replaceEndpoints([...new Set(at)], endpointOf);
            for (const row of stored) row.endpoint = endpointOf(row);
          } else {
            const read = at[one.isElsewhere ? 1 : 0];
            const from = page.coveredBelow(read);
            if (from === null) continue;
            const rows = stored.filter((other) => other.endpoint === read && other.sequence >= from).slice(0, one.many);
            page.setCoveredBelow(read, rows.length < one.many ? null : rows.at(-1) === undefined ? from : rows.at(-1)!.sequence + 1n);
            for (const row of rows) if (!page.offer({ ...row })) break;
          }
          // #1, #2: the first of a key is known where it is covered, and only the first is.
          const isUnknown = (row: BacklogEntry): boolean => first(row.key) === row && page.covers(row) && !page.containsKey(row.key);
          const isTooEarly = (row: BacklogEntry): boolean => first(row.key) !== row && page.has(row.id);
          expect(stored.filter((row) => isUnknown(row) || isTooEarly(row))).toEqual([]);
        }
        // In the end everything is read and every question answered: then each key has its first message in memory.
        for (let turn = 0; turn < 200 && stored.length > 0; turn += 1) {
          for (const key of page.takeKeysToLookUp()) {
            const next = first(key);
            page.resolveKey(key, next === undefined ? null : { ...next }, stored.filter((other) => other.key === key).length > 1);
          }
          for (const read of new Set(at)) {
            const from = page.coveredBelow(read);
            if (from === null) continue;
            const rows = stored.filter((other) => other.endpoint === read && other.sequence >= from);
            page.setCoveredBelow(read, null);
            for (const row of rows) if (!page.offer({ ...row })) break;
          }
          const head = stored.find((row) => page.has(row.id));
          if (head === undefined) continue;
          stored = stored.filter((other) => other !== head);
          page.remove(head.id);
        }
        expect(stored).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
