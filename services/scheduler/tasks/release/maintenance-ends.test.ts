import type { BankMarker } from "@sluice/domain";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createAppliedMarkers } from "../../partition/applied-markers.ts";
import { createMaintenanceEnds, maintenanceProbeMs } from "./maintenance-ends.ts";

function paused(number: number, untilMs: number | null): BankMarker {
  return { kind: "BankPaused", id: `bank:first:BankPaused:${number}`, bank: "first", number, reason: "maintenance", untilMs };
}

/** A partition that has applied the pauses; the broker clock is the virtual clock unless a test sets it. */
function setUp(...untilMs: readonly (number | null)[]) {
  const time = createVirtualTime({ startAtMs: 0 });
  const markers = createAppliedMarkers(0);
  for (const [index, end] of untilMs.entries()) markers.applyBankMarker(paused(index + 1, end), { offset: BigInt(index), appendedAtMs: 0 });
  const agreed = { isKnown: true };
  const ends = createMaintenanceEnds({ markers, time, brokerNowMs: () => (agreed.isKnown ? time.nowMs() : null) });
  const stood = (atMs: number, state: "RELEASED" | "HELD" = "RELEASED") =>
    ends.observeRelease({ bank: "first", state, transitions: [{ atMs }] });
  return { time, ends, agreed, stood };
}

test("a bank is paused until its maintenance ends by the broker clock, and the task knows when to look again", async () => {
  const { time, ends } = setUp(5_000);
  expect([ends.check("first"), ends.changesInMs("first"), ends.check("second")]).toEqual(["paused", 5_000, "open"]);
  await time.advance(4_999);
  expect([ends.check("first"), ends.changesInMs("first")]).toEqual(["paused", 1]);
  await time.advance(1);
  expect([ends.check("first"), ends.changesInMs("first")]).toEqual(["first", null]);
});

test("I8: behind the end one Release goes alone, again after a second, until one takes effect that was appended at or after the end", async () => {
  const { time, ends, stood } = setUp(5_000);
  await time.advance(5_000);
  ends.markTried("first");
  expect([ends.check("first"), ends.changesInMs("first")]).toEqual(["waits", maintenanceProbeMs]);
  stood(4_999, "HELD");
  expect(ends.check("first")).toBe("waits");
  await time.advance(maintenanceProbeMs);
  expect(ends.check("first")).toBe("first");
  // A debit that was released before the pause, and is observed late, proves nothing.
  stood(4_999);
  expect(ends.check("first")).toBe("first");
  ends.markTried("first");
  stood(5_000);
  expect([ends.check("first"), ends.changesInMs("first")]).toEqual(["open", null]);
});

test("a pause without an end does not end by time; the newest pause counts; before the broker clock is known no pause is over", async () => {
  const endless = setUp(5_000, null);
  await endless.time.advance(10_000);
  expect([endless.ends.check("first"), endless.ends.changesInMs("first")]).toEqual(["paused", null]);
  const shorter = setUp(null, 2_000);
  await shorter.time.advance(2_000);
  expect(shorter.ends.check("first")).toBe("first");
  shorter.agreed.isKnown = false;
  expect(shorter.ends.check("first")).toBe("paused");
  expect(shorter.ends.changesInMs("first")).toBeGreaterThan(0);
});
