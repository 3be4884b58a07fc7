import { describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { banksKept, LanePauses } from "./lane-pauses.ts";

const at = (offset: number) => ({ offset: BigInt(offset), appendedAtMs: 1_000 * offset });
const first = (number: number, untilMs: number | null = null) => ({ bank: "first", number, untilMs });
const copyOf = (pauses: LanePauses): unknown => JSON.parse(JSON.stringify(pauses.state()));

describe("a lane's pauses", () => {
  it("a bank is paused from its pause to its resume", () => {
    const pauses = new LanePauses();
    expect(pauses.isPaused("first")).toBe(false);
    expect(pauses.paused(first(1), at(3))).toBe(true);
    expect([pauses.isPaused("first"), pauses.isPaused("second"), pauses.banks()]).toEqual([true, false, ["first"]]);
    expect(pauses.resumed(first(1), at(9))).toBe(true);
    expect([pauses.isPaused("first"), pauses.resumedAtMs("first"), pauses.banks()]).toEqual([false, 9_000, []]);
  });

  it("whether it was paused at a place of the topic is said of its newest pause", () => {
    const pauses = new LanePauses();
    pauses.paused(first(1), at(3));
    expect([2, 3, 4, 10].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, false, true, true]);
    pauses.resumed(first(1), at(9));
    expect([2, 4, 9, 10].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, true, true, false]);
    pauses.paused(first(2), at(20));
    expect([10, 20, 21].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, false, true]);
  });

  it("whatever part of the topic is read again from whatever was written down: what was read to its end is known at its end", () => {
    fc.assert(
      fc.property(fc.nat(12), fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 6 }), (length, readings) => {
        const markers = Array.from({ length }, (_, index) => ({
          isPause: index % 2 === 0,
          number: Math.floor(index / 2) + 1,
          offset: index,
        }));
        let pauses = new LanePauses();
        for (const [from, to] of [...readings, [0, length] as const]) {
          for (const { isPause, number, offset } of markers.slice(Math.min(from, to), to)) {
            if (isPause) pauses.paused(first(number), at(offset));
            else pauses.resumed(first(number), at(offset));
          }
          const written = copyOf(pauses);
          pauses = new LanePauses();
          pauses.learn(written);
        }
        expect(pauses.isPaused("first")).toBe(length % 2 === 1);
        expect(pauses.wasPausedAt("first", at(length + 1))).toBe(length % 2 === 1);
      }),
    );
  });

  it("a maintenance is over when agreed time has reached its end, and a place of the topic is judged by its own append time", () => {
    const pauses = new LanePauses();
    pauses.paused(first(1, 9_000), at(3));
    expect([pauses.nextEndMs(), pauses.endedBy(8_999), pauses.isPaused("first")]).toEqual([9_000, [], true]);
    expect([pauses.endedBy(9_000), pauses.endedBy(9_000), pauses.isPaused("first"), pauses.nextEndMs()]).toEqual([
      ["first"],
      [],
      false,
      null,
    ]);
    expect(pauses.resumedAtMs("first")).toBe(9_000);
    expect([3, 4, 8, 9, 10].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([false, true, true, false, false]);
    pauses.paused(first(2), at(20));
    expect([pauses.isPaused("first"), pauses.wasPausedAt("first", at(15)), pauses.nextEndMs()]).toEqual([true, false, null]);
  });

  it("a pause that changes the end of one in force goes on from where that began; a resume ends it early", () => {
    const pauses = new LanePauses();
    pauses.paused(first(1), at(3));
    pauses.paused(first(2, 30_000), at(10));
    pauses.paused(first(3, 15_000), at(11));
    expect([4, 10, 14, 15].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([true, true, true, false]);
    expect(pauses.resumed(first(3), at(13))).toBe(true);
    expect([pauses.isPaused("first"), pauses.nextEndMs(), pauses.resumedAtMs("first")]).toEqual([false, null, 13_000]);
    expect([13, 14].map((offset) => pauses.wasPausedAt("first", at(offset)))).toEqual([true, false]);
  });

  it("the end of a maintenance is kept over restarts, whether it was seen or not", () => {
    const pauses = new LanePauses();
    pauses.paused(first(1, 9_000), at(3));
    const restarted = new LanePauses();
    restarted.learn(copyOf(pauses));
    expect([restarted.isPaused("first"), restarted.nextEndMs(), restarted.endedBy(9_500)]).toEqual([true, 9_000, ["first"]]);
    pauses.learn(copyOf(restarted));
    expect(pauses.isPaused("first")).toBe(false);
    // The same marker read again brings nothing back.
    expect([pauses.paused(first(1, 9_000), at(3)), pauses.isPaused("first")]).toEqual([false, false]);
  });

  it("a document from before there were maintenances says of its pauses that they have no end", () => {
    const pauses = new LanePauses();
    pauses.learn({ pauses: { first: { pauses: 1, resumes: 0, pausedAt: "3", resumedAt: null, resumedAtMs: null } } });
    expect([pauses.isPaused("first"), pauses.nextEndMs(), pauses.wasPausedAt("first", at(9_999))]).toEqual([true, null, true]);
  });

  it("of what the document says and what was read since, the newer counts", () => {
    const written = new LanePauses();
    written.paused(first(1), at(1));
    const pauses = new LanePauses();
    pauses.paused(first(1), at(1));
    pauses.resumed(first(1), at(2));
    pauses.learn(copyOf(written));
    expect(pauses.isPaused("first")).toBe(false);
    const later = new LanePauses();
    later.learn(copyOf(pauses));
    expect([later.isPaused("first"), later.resumedAtMs("first")]).toEqual([false, 2_000]);
  });

  it("a document of a version without pauses, or one that cannot be read, says nothing", () => {
    const pauses = new LanePauses();
    for (const state of [null, 7, {}, { days: {} }, { pauses: null }, { pauses: { first: { pauses: "1" } } }]) pauses.learn(state);
    expect(pauses.banks()).toEqual([]);
  });

  it("I15: a bounded number of banks is kept, and one that is paused is not forgotten for one that is not", () => {
    const pauses = new LanePauses();
    pauses.paused({ bank: "paused", number: 1, untilMs: null }, at(1));
    for (let index = 0; index < banksKept + 10; index += 1) {
      pauses.paused({ bank: `bank ${index}`, number: 1, untilMs: null }, at(1));
      pauses.resumed({ bank: `bank ${index}`, number: 1 }, at(2));
    }
    expect(Object.keys((pauses.state() as { pauses: object }).pauses)).toHaveLength(banksKept);
    expect(pauses.banks()).toEqual(["paused"]);
  });
});
