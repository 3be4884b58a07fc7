import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTestEndpoint } from "../endpoint/endpoint.fixture.ts";
import { BacklogPage, type BacklogEntry } from "./backlog-page.ts";

const endpoint = createTestEndpoint();

const entry = (sequence: number, key: string, dueMs = 0): BacklogEntry => ({
  id: `m${sequence}`,
  key,
  endpoint,
  sequence: BigInt(sequence),
  reconciliationDay: null,
  stopsAtMs: null,
  deadlineMs: null,
  isEnding: false,
  dueMs,
});
const createPage = (messagesMax: number, coveredBelow: bigint | null = null) =>
  new BacklogPage({ messagesMax, coveredBelow, computeWakeMs: ({ dueMs }) => dueMs });
const allDue = (page: BacklogPage, nowMs: number): string[] => {
  const ids: string[] = [];
  for (let due = page.takeDue(nowMs); due !== null; due = page.takeDue(nowMs)) ids.push(due.id);
  return ids;
};

interface Modelled extends BacklogEntry {
  isTaken: boolean;
}

function findHead(model: ReadonlyMap<string, Modelled>, key: string): Modelled | undefined {
  return [...model.values()].filter((one) => one.key === key).toSorted((a, b) => Number(a.sequence - b.sequence))[0];
}

function describeDifference(found: unknown, expected: unknown): string[] {
  return found === expected ? [] : [`${String(found)}, not ${String(expected)}`];
}

describe("the page of a receiver's backlog", () => {
  it("I4: of each key only the first message is due, and the next when that is gone", () => {
    const page = createPage(10);
    page.offer(entry(2, "a"));
    page.offer(entry(1, "a"));
    page.offer(entry(3, "a"));
    expect(allDue(page, 0)).toEqual(["m1"]);
    page.reschedule("m1", 500);
    expect(allDue(page, 499)).toEqual([]);
    expect(allDue(page, 500)).toEqual(["m1"]);
    page.remove("m1");
    expect(allDue(page, 500)).toEqual(["m2"]);
    page.remove("m2");
    page.remove("m3");
    expect(page.containsKey("a")).toBe(false);
  });

  it("due messages come oldest first, whatever their due time", () => {
    const page = createPage(10);
    page.offer(entry(5, "e", 10));
    page.offer(entry(2, "b", 30));
    page.offer(entry(9, "i", 20));
    page.offer(entry(1, "a", 99));
    expect(page.nextWakeMs(0)).toBe(10);
    expect(allDue(page, 50)).toEqual(["m2", "m5", "m9"]);
    expect(page.nextWakeMs(50)).toBe(99);
  });

  it("adds only messages that it covers, and each once", () => {
    const page = createPage(10, 5n);
    page.offer(entry(4, "a"));
    page.offer(entry(4, "a"));
    page.offer(entry(5, "b"));
    expect(page.size).toBe(1);
    expect(page.containsKey("b")).toBe(false);
  });

  it("I15: messages that do not fit are dropped from the newest end, and the cover shrinks", () => {
    const page = createPage(8);
    for (const sequence of [30, 10, 50, 20, 60, 40, 80, 70, 90]) page.offer(entry(sequence, `k${sequence}`));
    expect(page.size).toBe(6);
    expect(page.coveredBelow).toBe(70n);
    page.offer(entry(95, "k95"));
    page.offer(entry(5, "k5"));
    expect(page.size).toBe(7);
    expect(allDue(page, 0)).toEqual(["m5", "m10", "m20", "m30", "m40", "m50", "m60"]);
  });

  it("I4, I15: under any sequence of calls it behaves as a plain list would", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("offer" as const), sequence: fc.nat(30), key: fc.constantFrom("a", "b", "c"), dueMs: fc.nat(20) }),
      fc.record({ kind: fc.constant("remove" as const), sequence: fc.nat(30) }),
      fc.record({ kind: fc.constant("reschedule" as const), sequence: fc.nat(30), dueMs: fc.nat(20) }),
      fc.record({ kind: fc.constant("take" as const), nowMs: fc.nat(25) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const page = createPage(1_000);
        const model = new Map<string, Modelled>();
        const differences: string[] = [];
        let clockMs = 0;
        for (const one of steps) {
          if (one.kind === "offer") {
            const made = entry(one.sequence, one.key, one.dueMs);
            page.offer(made);
            if (!model.has(made.id)) model.set(made.id, { ...made, isTaken: false });
          } else if (one.kind === "remove") {
            const gone = model.get(`m${one.sequence}`);
            const wasHead = gone !== undefined && findHead(model, gone.key) === gone;
            page.remove(`m${one.sequence}`);
            model.delete(`m${one.sequence}`);
            const next = gone === undefined ? undefined : findHead(model, gone.key);
            if (wasHead && next !== undefined) next.isTaken = false;
          } else if (one.kind === "reschedule") {
            page.reschedule(`m${one.sequence}`, one.dueMs);
            const known = model.get(`m${one.sequence}`);
            if (known !== undefined) model.set(known.id, { ...known, dueMs: one.dueMs, isTaken: false });
          } else {
            clockMs = Math.max(clockMs, one.nowMs);
            const heads = [...model.values()].filter((one) => findHead(model, one.key) === one);
            const due = heads
              .filter((head) => !head.isTaken && head.dueMs <= clockMs)
              .toSorted((a, b) => Number(a.sequence - b.sequence))[0];
            differences.push(...describeDifference(page.takeDue(clockMs)?.id, due?.id));
            if (due !== undefined) due.isTaken = true;
          }
          differences.push(...describeDifference(page.size, model.size));
        }
        expect(differences).toEqual([]);
      }),
    );
  });
});
