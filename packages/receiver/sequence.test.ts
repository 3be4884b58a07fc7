import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readProgress, placeEvent, proveComplete, type EventProgress, type StoredEvent } from "./sequence.ts";

const kept = (upTo: number, ...ahead: readonly number[]): EventProgress => ({ upTo, ahead });

describe("the place of an event", () => {
  test.each<[string, EventProgress, number, string, EventProgress, number | null]>([
    ["the first", readProgress([]), 1, "next", kept(1), null],
    ["the next", kept(3), 4, "next", kept(4), null],
    ["one that is here", kept(3), 2, "repeat", kept(3), null],
    ["one that is here, beyond a gap", kept(3, 5), 5, "repeat", kept(3, 5), 4],
    ["one after a gap", kept(3), 6, "ahead", kept(3, 6), 4],
    ["a second one after the same gap", kept(3, 6), 7, "ahead", kept(3, 6, 7), 4],
    ["one that fills the gap", kept(3, 5), 4, "late", kept(5), null],
    ["one that fills a part of it", kept(3, 6), 4, "late", kept(4, 6), 5],
    ["one out of order within the gap", kept(3, 6), 5, "late", kept(3, 5, 6), 4],
  ])("%s", (_what, before, sequence, kind, after, askFrom) => {
    expect(placeEvent(before, sequence)).toEqual({ kind, progress: after, askFrom });
  });

  test("in any order, with any repeats, the same events lead to the same progress", () => {
    const sequences = fc.array(fc.integer({ min: 1, max: 24 }), { maxLength: 60 });
    fc.assert(
      fc.property(sequences, (given) => {
        let progress = readProgress([]);
        for (const sequence of given) {
          const place = placeEvent(progress, sequence);
          expect(place.kind === "repeat").toBe(sequence <= progress.upTo || progress.ahead.includes(sequence));
          expect(place.askFrom).toBe(place.progress.ahead.length === 0 ? null : place.progress.upTo + 1);
          progress = place.progress;
        }
        expect(progress).toEqual(readProgress(given));
        expect(progress.ahead).not.toContain(progress.upTo + 1);
      }),
    );
  });
});

describe("the proof", () => {
  const event = (sequence: number, over: Partial<StoredEvent> = {}): StoredEvent => ({
    sequence,
    webhookId: `event-${sequence}`,
    previousId: sequence === 1 ? null : `event-${sequence - 1}`,
    ...over,
  });

  test("a complete history is complete in any order, with repeats, and without predecessors", () => {
    expect(proveComplete([])).toEqual({ kind: "complete", upTo: 0 });
    expect(proveComplete([event(3), event(1), event(2), event(2, { previousId: null })])).toEqual({ kind: "complete", upTo: 3 });
  });

  test("every missing event is named, with the number to ask from", () => {
    expect(proveComplete([event(2), event(6), event(4)])).toEqual({ kind: "gaps", missing: [1, 3, 5], askFrom: 1 });
    expect(proveComplete([event(1), event(2), event(4)])).toEqual({ kind: "gaps", missing: [3], askFrom: 3 });
  });

  test("two events under one number, a wrong predecessor, or a predecessor of the first break the history", () => {
    expect(proveComplete([event(1), event(2), event(2, { webhookId: "other" })])).toEqual({ kind: "broken", at: 2 });
    expect(proveComplete([event(1), event(2, { previousId: "other" })])).toEqual({ kind: "broken", at: 2 });
    expect(proveComplete([event(1, { previousId: "other" })])).toEqual({ kind: "broken", at: 1 });
    expect(proveComplete([event(2, { previousId: null }), event(2, { previousId: "other" }), event(1)])).toEqual({ kind: "broken", at: 2 });
  });

  test("exactly the events left out of a history are named as missing", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 24 }), fc.uniqueArray(fc.integer({ min: 1, max: 23 })), (newest, lost) => {
        const missing = lost.filter((sequence) => sequence < newest).toSorted((a, b) => a - b);
        const events = Array.from({ length: newest }, (_, index) => event(index + 1));
        const proof = proveComplete(events.filter(({ sequence }) => !missing.includes(sequence)));
        expect(proof).toEqual(missing.length === 0 ? { kind: "complete", upTo: newest } : { kind: "gaps", missing, askFrom: missing[0] });
      }),
    );
  });
});
