// How deliveries were tried: histories that the checker must reject, and odd ones that are legal.

import { describe, expect, it } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { CheckOptions } from "./evidence.ts";
import { atMsOf, bank, day, record, received, uetrOf } from "./given.ts";
import type { HistoryEntry, ReceivedEntry } from "./history.ts";

const one = uetrOf(1);
const two = uetrOf(2);
const other = "bank-b";
const operation = "inboundCreditTransferAuthorization";

interface Attempt {
  /** Seconds. */
  readonly at: number;
  readonly status: number | null;
  readonly retryAfter?: string;
  /** The receiver never saw it. */
  readonly isUnseen?: true;
}

interface Telling {
  readonly uetr?: string;
  readonly to?: string;
  readonly at?: number;
  readonly attempts: readonly Attempt[];
  /** Without one, there is no receipt. */
  readonly outcome?: string;
  readonly earlier?: { readonly first: number; readonly last: number };
  readonly limits?: Readonly<Record<string, unknown>>;
}

let offsets = 1_000;

/** A message X (none that the domain knows of), as its topic, its receiver and its receipt tell of it. */
function tell({ uetr = one, to = bank, at = 0, attempts, outcome, earlier, limits = {} }: Telling): HistoryEntry[] {
  const id = `${uetr.replaceAll("-", "")}X`;
  const dispatched = { messageIdentification: id, uetr, deliveryKey: `X ${uetr}`, bank: to, operation, ...limits };
  const seen = attempts
    .filter(({ isUnseen }) => isUnseen !== true)
    .map(({ at: second, status, retryAfter }): ReceivedEntry => {
      const asked = retryAfter === undefined ? {} : { retryAfter };
      return received(uetr, second, operation, id, { bank: to, status, ...asked });
    });
  const entries = [placed("dispatch", at, uetr, "Dispatch", dispatched), ...seen];
  const last = attempts.at(-1);
  if (outcome === undefined || last === undefined) return entries;
  const recentAttempts = attempts.map(({ at: second, status }) => ({
    atMs: atMsOf(second),
    tookMs: 10,
    httpStatusCode: status,
    class: classOf(status),
  }));
  const summed = earlier === undefined ? null : { count: 5, firstAtMs: atMsOf(earlier.first), lastAtMs: atMsOf(earlier.last) };
  const value = { webhookId: id, uetr, bank: to, operation, outcome, attempts: attempts.length, recentAttempts, earlier: summed };
  return [...entries, placed("receipts", last.at + 1, uetr, "Receipt", value)];
}

function placed(topic: "dispatch" | "receipts" | "journal", second: number, key: string, type: string, value: Record<string, unknown>) {
  offsets += 1;
  return { ...record(topic, offsets, key, type, value), appendedAtMs: atMsOf(second) };
}

function classOf(status: number | null): string {
  if (status === 202 || status === 409) return "ACKNOWLEDGED";
  if (status === 404) return "ADDRESS";
  return status === 422 ? "REFUSED" : "TRANSIENT";
}

function pause(from: number, to: number): HistoryEntry[] {
  return [
    placed("journal", from, `bank:${bank}`, "BankPaused", { bank, number: 1, untilMs: null }),
    placed("journal", to, `bank:${bank}`, "BankResumed", { bank, number: 1 }),
  ];
}

function redrive(second: number): HistoryEntry {
  const value = { action: { id: "r-1" }, messageIdentification: `${one.replaceAll("-", "")}X` };
  return placed("journal", second, one, "RedriveRequested", value);
}

const delivered = [{ at: 1, status: 202 }] as const;
const promises = new Set(["I7", "I12", "I14"]);

/** Of I7, I12 and I14 alone: the stories are of single messages, and nothing else is told of them. */
function wrongIn(history: readonly HistoryEntry[], options: CheckOptions = {}): string[] {
  return checkHistory(history, options)
    .violations.filter(({ promise }) => promises.has(promise))
    .map(({ promise, text }) => `${promise} ${text}`);
}

const rejected: readonly (readonly [string, readonly HistoryEntry[], RegExp])[] = [
  [
    "I7: nobody tries for 20 min",
    tell({
      attempts: [
        { at: 1, status: 503 },
        { at: 1_201, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
    /^I7 bank-a was not attempted for 1200 s/,
  ],
  ["I7: the first attempt comes after 20 min", tell({ attempts: [{ at: 1_200, status: 202 }], outcome: "ACKNOWLEDGED" }), /^I7/],
  [
    "I7: another receiver's attempts are none",
    [
      ...tell({
        attempts: [
          { at: 1, status: 503 },
          { at: 1_201, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...tell({ uetr: two, to: other, attempts: [{ at: 600, status: 202 }], outcome: "ACKNOWLEDGED" }),
    ],
    /^I7/,
  ],
  ["I12: a 404 ends it as refused", tell({ attempts: [{ at: 1, status: 404 }], outcome: "REFUSED" }), /^I12 .* ended as refused by 404/],
  ["I12: silence ends it as refused", tell({ attempts: [{ at: 1, status: null }], outcome: "REFUSED" }), /^I12 .* by silence/],
  [
    "I12: a 503 ends it as acknowledged",
    tell({ attempts: [{ at: 1, status: 503 }], outcome: "ACKNOWLEDGED" }),
    /^I12 .* acknowledged by 503/,
  ],
  [
    "I12: tried after its refusal was said",
    [...tell({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" }), received(one, 9, operation, `${one.replaceAll("-", "")}X`)],
    /^I12 .* after its refusal was said/,
  ],
  [
    "I12: a 404 is tried again after 20 s",
    tell({
      attempts: [
        { at: 1, status: 404 },
        { at: 21, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
    /^I12 .* after 404, at least 60000/,
  ],
  [
    "I12: a 404 is tried again after 20 s, and our credentials for another receiver, or for this one before it, were replaced",
    [
      { kind: "renewed", atMs: atMsOf(10), bank: "another" },
      { kind: "renewed", atMs: atMsOf(0), bank },
      ...tell({
        attempts: [
          { at: 1, status: 404 },
          { at: 21, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
    /^I12 .* after 404, at least 60000/,
  ],
  [
    "I12: Retry-After is not kept",
    tell({
      attempts: [
        { at: 1, status: 429, retryAfter: "30" },
        { at: 12, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
    /^I12 .* after 429, at least 30000/,
  ],
  [
    "I12: a receipt names an answer that nobody gave",
    tell({
      attempts: [
        { at: 1, status: 503, isUnseen: true },
        { at: 2, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
    /^I12 .* answered 503 0 times/,
  ],
];

const accepted: readonly (readonly [string, readonly HistoryEntry[]])[] = [
  [
    "a 404 is tried again after 20 s, as our credentials for the receiver were replaced meanwhile",
    [
      { kind: "renewed", atMs: atMsOf(15), bank },
      ...tell({
        attempts: [
          { at: 1, status: 404 },
          { at: 21, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
  ],
  [
    "I7: silence to which only the receipt bears witness",
    tell({ attempts: [1, 800, 1_600].map((at) => ({ at, status: null, isUnseen: true as const })).concat([]), outcome: "STOPPED" }),
  ],
  [
    "I7: attempts that are only summed up",
    tell({ attempts: [{ at: 1_300, status: 202 }], earlier: { first: 5, last: 1_000 }, outcome: "ACKNOWLEDGED" }),
  ],
  [
    "I7: an operator had it paused",
    [
      ...tell({
        attempts: [
          { at: 1, status: 503 },
          { at: 1_300, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...pause(2, 1_299),
    ],
  ],
  [
    "I7: its day had closed",
    [
      placed("dispatch", 0, day, "DayTimes", { scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1, reconciliationAtMs: atMsOf(60) }),
      ...tell({
        attempts: [
          { at: 1, status: 503 },
          { at: 2_000, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
        limits: { closesWith: day },
      }),
    ],
  ],
  [
    "I7: another message of the receiver is tried, as a probe is",
    [
      ...tell({
        attempts: [
          { at: 1, status: 503 },
          { at: 1_201, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...tell({
        uetr: two,
        attempts: [
          { at: 600, status: 503 },
          { at: 1_200, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
  ],
  ["I7: it is under way when the history ends", tell({ attempts: [{ at: 1, status: 503 }] })],
  [
    "I12: a code for repeats acknowledges",
    tell({
      attempts: [
        { at: 1, status: null },
        { at: 2, status: 409 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
  ],
  [
    "I12: redriven after its refusal",
    [
      ...tell({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" }),
      redrive(5),
      received(one, 9, operation, `${one.replaceAll("-", "")}X`),
    ],
  ],
  [
    "I12: a transient answer may be followed at once: the jitter is full",
    tell({
      attempts: [
        { at: 1, status: 503 },
        { at: 1.02, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
  ],
  [
    "I12: after a 404, due because the receiver took another message",
    [
      ...tell({
        attempts: [
          { at: 1, status: 404 },
          { at: 21, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...tell({ uetr: two, attempts: [{ at: 20, status: 202 }], outcome: "ACKNOWLEDGED" }),
    ],
  ],
  [
    "I12: after a 404, the probe of an open breaker",
    [
      ...tell({ uetr: two, attempts: Array.from({ length: 12 }, (_, index) => ({ at: 1 + index / 10, status: 503 })), outcome: "STOPPED" }),
      ...tell({
        attempts: [
          { at: 3, status: 404 },
          { at: 13, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
  ],
  [
    "I12: Retry-After, shortened by the deadline",
    tell({
      attempts: [
        { at: 1, status: 429, retryAfter: "900" },
        { at: 30, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
      limits: { deadlineMs: atMsOf(40) },
    }),
  ],
  [
    "I12: Retry-After, and a resume",
    [
      ...tell({
        attempts: [
          { at: 1, status: 429, retryAfter: "900" },
          { at: 30, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...pause(5, 29),
    ],
  ],
];

describe("deliveries that break a promise", () => {
  it.each(rejected)("rejected: %s", (_, history, expected) => {
    const wrong = wrongIn(history);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(expected);
  });
});

describe("I12: a refused message whose record is read again", () => {
  const id = `${one.replaceAll("-", "")}X`;
  const refused = tell({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" });
  const stop = placed("dispatch", 5, one, "DispatchChange", { messageIdentification: id, change: "STOP" });

  it("is not tried again, also where it was stopped meanwhile", () => {
    expect(wrongIn([...refused, stop])).toEqual([]);
    expect(wrongIn([...refused, stop, received(one, 9, operation, id)])).toEqual([
      expect.stringMatching(/^I12 .* after its refusal was said/),
    ]);
  });
});

describe("odd but legal deliveries", () => {
  it.each(accepted)("accepted: %s", (_, history) => {
    expect(wrongIn(history)).toEqual([]);
  });
});

describe("I14: one receiver's trouble is not another's", () => {
  const late = tell({ attempts: [{ at: 8, status: 202 }], outcome: "ACKNOWLEDGED" });
  const sick = tell({ uetr: two, to: other, attempts: [{ at: 1, status: null }], outcome: "STOPPED" });

  it("rejected: a message to a bank that takes all waits while another is sick", () => {
    expect(wrongIn([...sick, ...late], { firstAttemptWithinMs: 5_000 })).toEqual([expect.stringMatching(/^I14 .* after 8000 ms/)]);
  });

  it("accepted: within the bound; to the sick one itself; where nothing says how soon it is to be", () => {
    expect(wrongIn([...sick, ...late], { firstAttemptWithinMs: 9_000 })).toEqual([]);
    const toSick = tell({ uetr: one, to: other, at: 2, attempts: [{ at: 60, status: 202 }], outcome: "ACKNOWLEDGED" });
    expect(wrongIn([...sick, ...toSick], { firstAttemptWithinMs: 5_000 })).toEqual([]);
    expect(wrongIn([...sick, ...late])).toEqual([]);
  });

  it("says how much it looked at", () => {
    const { counts } = checkHistory([...tell({ attempts: delivered, outcome: "ACKNOWLEDGED" })], { firstAttemptWithinMs: 5_000 });
    expect(counts).toMatchObject({ firstAttemptsInTime: 1, deliveriesEnded: 1, receiversAttempted: 1 });
  });
});
