import type { BankMarker } from "@sluice/domain";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createLaneMarkers } from "./lane-markers.ts";
import { createMaintenanceEnds, tryMs } from "./maintenance-ends.ts";

function paused(number: number, untilMs: number | null): BankMarker {
  return { kind: "BankPaused", id: `bank:first:BankPaused:${number}`, bank: "first", number, reason: "maintenance", untilMs };
}

/** A lane that has passed the pauses; agreed time is the virtual clock's unless it is told otherwise. */
function given(...untilMs: readonly (number | null)[]) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createLaneMarkers(0);
  for (const [index, end] of untilMs.entries()) markers.passOfBank(paused(index + 1, end), { offset: BigInt(index), appendedAtMs: 0 });
  const agreed = { isKnown: true };
  const ends = createMaintenanceEnds({ markers, time, agreedNowMs: () => (agreed.isKnown ? time.nowMs() : null) });
  const stood = (atMs: number, state: "RELEASED" | "HELD" = "RELEASED") =>
    ends.sawRelease({ bank: "first", state, transitions: [{ atMs }] });
  return { time, ends, agreed, stood };
}

test("a bank is paused until its maintenance ends by agreed time, and the lane knows when to look", async () => {
  const { time, ends } = given(5_000);
  expect([ends.standing("first"), ends.changesInMs("first"), ends.standing("second")]).toEqual(["paused", 5_000, "open"]);
  await time.advance(4_999);
  expect([ends.standing("first"), ends.changesInMs("first")]).toEqual(["paused", 1]);
  await time.advance(1);
  expect([ends.standing("first"), ends.changesInMs("first")]).toEqual(["first", null]);
});

test("I8: behind the end one goes alone, again after a while, until one stood that was appended at or after the end", async () => {
  const { time, ends, stood } = given(5_000);
  await time.advance(5_000);
  ends.tries("first");
  expect([ends.standing("first"), ends.changesInMs("first")]).toEqual(["waits", tryMs]);
  stood(4_999, "HELD");
  expect(ends.standing("first")).toBe("waits");
  await time.advance(tryMs);
  expect(ends.standing("first")).toBe("first");
  // One that was released before the pause, and is judged late, proves nothing.
  stood(4_999);
  expect(ends.standing("first")).toBe("first");
  ends.tries("first");
  stood(5_000);
  expect([ends.standing("first"), ends.changesInMs("first")]).toEqual(["open", null]);
});

test("a pause without an end is not looked at by time; the newest pause counts; before agreed time is known none is over", async () => {
  const endless = given(5_000, null);
  await endless.time.advance(10_000);
  expect([endless.ends.standing("first"), endless.ends.changesInMs("first")]).toEqual(["paused", null]);
  const shorter = given(null, 2_000);
  await shorter.time.advance(2_000);
  expect(shorter.ends.standing("first")).toBe("first");
  shorter.agreed.isKnown = false;
  expect(shorter.ends.standing("first")).toBe("paused");
  expect(shorter.ends.changesInMs("first")).toBeGreaterThan(0);
});
