import { receiversMax } from "@sluice/domain";
import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { PartitionPauses } from "./partition-pauses.ts";

const at = (offset: number) => ({ offset: BigInt(offset), appendedAtMs: 1_000 * offset });
const first = (number: number, untilMs: number | null = null) => ({ bank: "first", number, untilMs });
const copyState = (pauses: PartitionPauses): unknown => JSON.parse(JSON.stringify(pauses.state()));

describe("the pauses of a partition", () => {
  it("a receiver is paused from its pause to its resume", () => {
    const pauses = new PartitionPauses();
    expect(pauses.isPaused("first")).toBe(false);
    expect(pauses.pause(first(1), at(3))).toBe(true);
    expect([pauses.isPaused("first"), pauses.isPaused("second"), pauses.pausedReceivers()]).toEqual([true, false, ["first"]]);
    expect(pauses.resume(first(1), at(9))).toBe(true);
    expect([pauses.isPaused("first"), pauses.resumedAtMs("first"), pauses.pausedReceivers()]).toEqual([false, 9_000, []]);
  });

  it("whether a receiver was paused at a position of the topic follows from its newest pause", () => {
    const pauses = new PartitionPauses();
    pauses.pause(first(1), at(3));
    expect([2, 3, 4, 10].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, false, true, true]);
    pauses.resume(first(1), at(9));
    expect([2, 4, 9, 10].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, true, true, false]);
    pauses.pause(first(2), at(20));
    expect([10, 20, 21].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, false, true]);
  });

  it("whatever part of the topic is read again from whatever stored state, reading to the end gives the state of the end", () => {
    fc.assert(
      fc.property(fc.nat(12), fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 6 }), (length, readings) => {
        const markers = Array.from({ length }, (_, index) => ({
          isPause: index % 2 === 0,
          number: Math.floor(index / 2) + 1,
          offset: index,
        }));
        let pauses = new PartitionPauses();
        for (const [from, to] of [...readings, [0, length] as const]) {
          for (const { isPause, number, offset } of markers.slice(Math.min(from, to), to)) {
            if (isPause) pauses.pause(first(number), at(offset));
            else pauses.resume(first(number), at(offset));
          }
          const written = copyState(pauses);
          pauses = new PartitionPauses();
          pauses.restore(written);
        }
        expect(pauses.isPaused("first")).toBe(length % 2 === 1);
        expect(pauses.wasPausedAt("first", at(length + 1))).toBe(length % 2 === 1);
      }),
    );
  });

  it("a maintenance is over when the broker clock has reached its end; a position of the topic is judged by its own append time", () => {
    const pauses = new PartitionPauses();
    pauses.pause(first(1, 9_000), at(3));
    expect([pauses.nextEndMs(), pauses.takeEnded(8_999), pauses.isPaused("first")]).toEqual([9_000, [], true]);
    expect([pauses.takeEnded(9_000), pauses.takeEnded(9_000), pauses.isPaused("first"), pauses.nextEndMs()]).toEqual([
      ["first"],
      [],
      false,
      null,
    ]);
    expect(pauses.resumedAtMs("first")).toBe(9_000);
    expect([3, 4, 8, 9, 10].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, true, true, false, false]);
    pauses.pause(first(2), at(20));
    expect([pauses.isPaused("first"), pauses.wasPausedAt("first", at(15)), pauses.nextEndMs()]).toEqual([true, false, null]);
  });

  it("a pause that changes the end of one in force keeps that one's begin, and a resume ends it early", () => {
    const pauses = new PartitionPauses();
    pauses.pause(first(1), at(3));
    pauses.pause(first(2, 30_000), at(10));
    pauses.pause(first(3, 15_000), at(11));
    expect([4, 10, 14, 15].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([true, true, true, false]);
    expect(pauses.resume(first(3), at(13))).toBe(true);
    expect([pauses.isPaused("first"), pauses.nextEndMs(), pauses.resumedAtMs("first")]).toEqual([false, null, 13_000]);
    expect([13, 14].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([true, false]);
  });

  it("the end of a maintenance is kept over restarts, whether it was noticed or not", () => {
    const pauses = new PartitionPauses();
    pauses.pause(first(1, 9_000), at(3));
    const restarted = new PartitionPauses();
    restarted.restore(copyState(pauses));
    expect([restarted.isPaused("first"), restarted.nextEndMs(), restarted.takeEnded(9_500)]).toEqual([true, 9_000, ["first"]]);
    pauses.restore(copyState(restarted));
    expect(pauses.isPaused("first")).toBe(false);
    // The same marker, read again, does not start the pause again.
    expect([pauses.pause(first(1, 9_000), at(3)), pauses.isPaused("first")]).toEqual([false, false]);
  });

  it("of the restored state and what was read since, the newer counts", () => {
    const written = new PartitionPauses();
    written.pause(first(1), at(1));
    const pauses = new PartitionPauses();
    pauses.pause(first(1), at(1));
    pauses.resume(first(1), at(2));
    pauses.restore(copyState(written));
    expect(pauses.isPaused("first")).toBe(false);
    const later = new PartitionPauses();
    later.restore(copyState(pauses));
    expect([later.isPaused("first"), later.resumedAtMs("first")]).toEqual([false, 2_000]);
  });

  it("a state without pauses, or one that cannot be read, restores nothing", () => {
    const pauses = new PartitionPauses();
    for (const state of [null, 7, {}, { days: {} }, { pauses: null }, { pauses: { first: { pauses: "1" } } }]) pauses.restore(state);
    expect(pauses.pausedReceivers()).toEqual([]);
  });

  it("F1: every configured receiver may be paused at once, and none is forgotten, also over a restart", () => {
    const pauses = new PartitionPauses();
    const ids = Array.from({ length: 1_100 }, (_, index) => `bank-${index}`);
    for (const [index, bank] of ids.entries()) pauses.pause({ bank, number: 1, untilMs: null }, at(index));
    const restarted = new PartitionPauses();
    restarted.restore(copyState(pauses));
    expect([pauses, restarted].map((one) => ids.filter((id) => !one.isPaused(id)))).toEqual([[], []]);
  });

  it("I15: a bounded number of receivers is kept, and an active one is forgotten before a paused one", () => {
    const pauses = new PartitionPauses();
    pauses.pause({ bank: "paused", number: 1, untilMs: null }, at(1));
    for (let index = 0; index < receiversMax + 10; index += 1) {
      pauses.pause({ bank: `bank ${index}`, number: 1, untilMs: null }, at(2 * index + 2));
      pauses.resume({ bank: `bank ${index}`, number: 1 }, at(2 * index + 3));
    }
    expect(new Set(pauses.state().pauses.map(({ marker }) => marker.bank)).size).toBe(receiversMax);
    expect(pauses.pausedReceivers()).toEqual(["paused"]);
  });
});
