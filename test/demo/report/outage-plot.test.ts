import type { RecordedRequest } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { checkOutage } from "../check/outage.ts";
import type { Outage } from "../play/outage.ts";
import { outageText, plotOutage } from "./outage-plot.ts";

/**
 * Builds an outage from 10 s to 14 s, with the breaker open from 11 s to 16 s and no backlog from 17 s on, sampled
 * twice a second.
 */
function buildOutage(over: Partial<Outage> = {}): Outage {
  const looks = Array.from({ length: 19 }, (_, index) => {
    const atMs = 8_000 + index * 500;
    return { atMs, waiting: atMs < 10_000 || atMs >= 17_000 ? 0 : (atMs - 9_500) / 100, isBreakerOpen: atMs >= 11_000 && atMs < 16_000 };
  });
  const breakers = [{ service: "dispatcher", openedAtMs: 11_000, reason: "transient" }];
  return { bank: "acacia", downAtMs: 10_000, upAtMs: 14_000, breakers, firstTakenAtMs: 16_000, drainedAtMs: 17_000, looks, ...over };
}

const received = (atMs: number): RecordedRequest => ({
  entry: {
    kind: "received",
    atMs,
    bank: "acacia",
    operation: "events",
    webhookId: "w",
    uetr: "u",
    bodyHash: "h",
    status: 202,
    stageVersion: 1,
    state: null,
  },
  body: new Uint8Array(),
  headers: {},
});

describe("the picture of an outage", () => {
  it("shows the backlog, the bank, the breaker and the first message taken, on one axis of seconds", () => {
    expect(plotOutage(buildOutage())).toEqual([
      "      70 ┤                ▁▅█",
      "         │              ▂▆███",
      "         │            ▃▇█████",
      "         │         ▁▅████████",
      "         │       ▂▆██████████",
      "       0 ┤     ▃▇████████████",
      " seconds │     0         5",
      "    bank │ ────××××××××──────────",
      " breaker │ ──────○○○○○○○○○○──────",
      "   taken │                 ▲",
    ]);
  });

  it("comes with a description in words", () => {
    expect(outageText(buildOutage())).toBe(
      "acacia was down for 4.0 s; at most 70 messages and events waited for it. Breakers opened: dispatcher after 1.0 s. " +
        "It took the first message 2.0 s after it was back and everything that waited within 1.0 s more, each debit's in order.",
    );
    expect(outageText(buildOutage({ breakers: [], firstTakenAtMs: null, drainedAtMs: null }))).toContain("It took nothing");
  });

  it("is drawn also without samples, and is never wider than a terminal", () => {
    expect(plotOutage(buildOutage({ looks: [], firstTakenAtMs: null, drainedAtMs: null }))).toHaveLength(10);
    const long = plotOutage(buildOutage({ drainedAtMs: 500_000 }));
    expect(Math.max(...long.map((line) => line.length))).toBeLessThanOrEqual(110);
  });
});

describe("the check of an outage", () => {
  it("finds no problem with a bank that was down and came back, or without an outage", () => {
    expect(checkOutage([received(9_000), received(16_000)], buildOutage(), true)).toEqual([]);
    expect(checkOutage([], null, true)).toEqual([]);
  });

  it("finds messages received while down, nothing taken, nothing waiting, and a backlog at the end", () => {
    const nothing = buildOutage({ looks: [], firstTakenAtMs: null, drainedAtMs: null });
    expect(checkOutage([received(12_000)], nothing, true)).toHaveLength(4);
    // A service that is killed may keep the console from seeing it, and the messages from being there.
    expect(checkOutage([], { ...nothing, firstTakenAtMs: 1 }, false)).toEqual([]);
  });
});
