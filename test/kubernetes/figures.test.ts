import type { ReceivedEntry } from "@sluice/checker";
import { describe, expect, test } from "vitest";
import { formatFigures, listRepeats, measure, type SentDebit } from "./figures.ts";

const sent = (uetr: string, change: Partial<SentDebit> = {}): SentDebit => ({
  uetr,
  outcome: 202,
  isKeptAlive: true,
  answeredAtMs: 1_000,
  acceptedAfterMs: 20,
  ...change,
});

const received = (uetr: string, change: Partial<ReceivedEntry> = {}): ReceivedEntry => ({
  kind: "received",
  atMs: 1_040,
  bank: "acacia",
  operation: "inboundDirectDebit",
  webhookId: `${uetr}D`,
  uetr,
  bodyHash: "",
  status: 202,
  stageVersion: null,
  state: null,
  ...change,
});

describe("the figures of a disturbance", () => {
  test("I1: a debit that was accepted and never came is lost", () => {
    expect(measure([sent("a"), sent("b")], [received("a")])).toMatchObject({ sent: 2, accepted: 2, lost: 1 });
  });

  test("a refused request and one without an answer are counted apart, and neither is lost", () => {
    const figures = measure([sent("a", { outcome: 503 }), sent("b", { outcome: "ECONNREFUSED", isKeptAlive: false })], []);
    expect(figures).toMatchObject({ sent: 2, accepted: 0, unanswered: 1, lost: 0, others: { "503 kept": 1, "ECONNREFUSED new": 1 } });
  });

  test("I3: a message that comes again after its acknowledgement is repeated; one that was refused before is not", () => {
    const first = received("a", { status: 503 });
    const event = received("a", { operation: "events", webhookId: "e" });
    expect(measure([sent("a")], [first, received("a"), event, event, event]).repeated).toEqual({ debits: 0, reports: 0, events: 2 });
    expect(measure([sent("a")], [received("a"), received("a")]).repeated).toEqual({ debits: 1, reports: 0, events: 0 });
    expect(listRepeats([sent("a")], [received("a"), received("b"), received("b"), received("a", { atMs: 2_000 })])).toEqual([
      { operation: "inboundDirectDebit", webhookId: "aD", uetr: "a", atMs: 2_000, afterMs: 960 },
    ]);
  });

  test("a wait is from the answer to the first debit, and what other debits received counts for nothing", () => {
    const all = [
      received("a", { atMs: 1_040 }),
      received("a", { atMs: 9_000 }),
      received("b", { atMs: 999 }),
      received("c", { atMs: 90_000 }),
    ];
    const figures = measure([sent("a"), sent("b")], all);
    expect(figures.waitsMs).toEqual({ p50: 40, p99: 40, max: 40 });
    expect(figures.slowest.map(({ waitMs }) => waitMs)).toEqual([40, 0]);
    expect(formatFigures("rollout", figures)).toBe(
      "rollout: 2 sent, 2 accepted, 0 lost; repeated 1 debits, 0 reports, 0 events; to the debit p50 40, p99 40, max 40 ms; to the answer 20 ms at most",
    );
  });
});
