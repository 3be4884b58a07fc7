// Attempts of deliveries: histories that the checker must reject, and odd ones that are legal.

import { describe, expect, it } from "vitest";
import { checkHistory } from "./check-history.ts";
import type { CheckOptions } from "./evidence/evidence.ts";
import { offsetToMs, historyBank, historyDay, historyRecord, receivedEntry, numberedUetr } from "./histories.fixture.ts";
import type { HistoryEntry, ReceivedEntry } from "./history.ts";

const one = numberedUetr(1);
const two = numberedUetr(2);
const other = "bank-b";
const operation = "inboundCreditTransferAuthorization";

interface Attempt {
  /** Seconds from the start of the history. */
  readonly at: number;
  readonly status: number | null;
  readonly retryAfter?: string;
  /** The receiver did not record it. */
  readonly isUnseen?: true;
}

interface DeliveryStory {
  readonly uetr?: string;
  readonly to?: string;
  readonly at?: number;
  readonly attempts: readonly Attempt[];
  /** If absent, there is no receipt. */
  readonly outcome?: string;
  /** The operator who had it tried no more. */
  readonly stoppedBy?: string | null;
  readonly earlier?: { readonly first: number; readonly last: number };
  readonly limits?: Readonly<Record<string, unknown>>;
}

let offsets = 1_000;

/** Builds the dispatch, the received requests and the receipt of a message X, which the domain does not know. */
function deliver(story: DeliveryStory): HistoryEntry[] {
  const { uetr = one, to = historyBank, at = 0, attempts, outcome, stoppedBy = null, earlier, limits = {} } = story;
  const id = `${uetr.replaceAll("-", "")}X`;
  const dispatched = { messageIdentification: id, uetr, deliveryKey: `X ${uetr}`, bank: to, operation, ...limits };
  const seen = attempts
    .filter(({ isUnseen }) => isUnseen !== true)
    .map(({ at: second, status, retryAfter }): ReceivedEntry => {
      const asked = retryAfter === undefined ? {} : { retryAfter };
      return receivedEntry(uetr, second, operation, id, { bank: to, status, ...asked });
    });
  const entries = [placed("dispatch", at, uetr, "Dispatch", dispatched), ...seen];
  const last = attempts.at(-1);
  if (outcome === undefined || last === undefined) return entries;
  const recentAttempts = attempts.map(({ at: second, status }) => ({
    atMs: offsetToMs(second),
    tookMs: 10,
    httpStatusCode: status,
    class: classify(status),
  }));
  const summed = earlier === undefined ? null : { count: 5, firstAtMs: offsetToMs(earlier.first), lastAtMs: offsetToMs(earlier.last) };
  const counted = { attempts: attempts.length, recentAttempts, earlier: summed, stoppedBy };
  const value = { webhookId: id, uetr, bank: to, operation, outcome, ...counted };
  return [...entries, placed("receipts", last.at + 1, uetr, "Receipt", value)];
}

function placed(topic: "dispatch" | "receipts" | "journal", second: number, key: string, type: string, value: Record<string, unknown>) {
  offsets += 1;
  return { ...historyRecord(topic, offsets, key, type, value), appendedAtMs: offsetToMs(second) };
}

function classify(status: number | null): string {
  if (status === 202 || status === 409) return "ACKNOWLEDGED";
  if (status === 404) return "ADDRESS";
  return status === 422 ? "REFUSED" : "TRANSIENT";
}

function pause(from: number, to: number): HistoryEntry[] {
  return [
    placed("journal", from, `bank:${historyBank}`, "BankPaused", { bank: historyBank, number: 1, untilMs: null }),
    placed("journal", to, `bank:${historyBank}`, "BankResumed", { bank: historyBank, number: 1 }),
  ];
}

function redrive(second: number): HistoryEntry {
  const value = { action: { id: "r-1" }, messageIdentification: `${one.replaceAll("-", "")}X` };
  return placed("journal", second, one, "RedriveRequested", value);
}

const delivered = [{ at: 1, status: 202 }] as const;
const promises = new Set(["I7", "I12", "I14"]);

/** Lists violations of I7, I12 and I14 alone, because these histories contain nothing but single messages. */
function violationsIn(history: readonly HistoryEntry[], options: CheckOptions = {}): string[] {
  return checkHistory(history, options)
    .violations.filter(({ promise }) => promises.has(promise))
    .map(({ promise, text }) => `${promise} ${text}`);
}

const rejected: readonly (readonly [string, readonly HistoryEntry[], RegExp])[] = [
  [
    "I7: nobody tries for 20 min",
    deliver({
      attempts: [
        { at: 1, status: 503 },
        { at: 1_201, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
    /^I7 bank-a was not attempted for 1200 s/,
  ],
  ["I7: the first attempt comes after 20 min", deliver({ attempts: [{ at: 1_200, status: 202 }], outcome: "ACKNOWLEDGED" }), /^I7/],
  [
    "I7: another receiver's attempts are none",
    [
      ...deliver({
        attempts: [
          { at: 1, status: 503 },
          { at: 1_201, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...deliver({ uetr: two, to: other, attempts: [{ at: 600, status: 202 }], outcome: "ACKNOWLEDGED" }),
    ],
    /^I7/,
  ],
  [
    "I12: a 404 ends a delivery as refused",
    deliver({ attempts: [{ at: 1, status: 404 }], outcome: "REFUSED" }),
    /^I12 .* ended as refused by 404/,
  ],
  [
    "I12: no answer ends a delivery as refused",
    deliver({ attempts: [{ at: 1, status: null }], outcome: "REFUSED" }),
    /^I12 .* by no answer/,
  ],
  [
    "I12: a 503 ends a delivery as acknowledged",
    deliver({ attempts: [{ at: 1, status: 503 }], outcome: "ACKNOWLEDGED" }),
    /^I12 .* acknowledged by 503/,
  ],
  [
    "I12: a message is tried after its refusal was recorded",
    [
      ...deliver({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" }),
      receivedEntry(one, 9, operation, `${one.replaceAll("-", "")}X`),
    ],
    /^I12 .* after its refusal was recorded/,
  ],
  [
    "I12: a message is tried after an operator stopped it",
    [
      ...deliver({ attempts: [{ at: 1, status: 500 }], outcome: "STOPPED", stoppedBy: "thandi" }),
      receivedEntry(one, 9, operation, `${one.replaceAll("-", "")}X`),
    ],
    /^I12 .* after an operator's stop was recorded/,
  ],
  [
    "I12: a message is tried again 20 s after a 404",
    deliver({
      attempts: [
        { at: 1, status: 404 },
        { at: 21, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
    /^I12 .* after 404, at least 60000/,
  ],
  [
    "I12: a message is tried again 20 s after a 404, and only another receiver's credentials, or this one's earlier, were replaced",
    [
      { kind: "renewed", atMs: offsetToMs(10), bank: "another" },
      { kind: "renewed", atMs: offsetToMs(0), bank: historyBank },
      ...deliver({
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
    "I12: an attempt comes before Retry-After allows it",
    deliver({
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
    deliver({
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
    "I12: a message is tried again 20 s after a 404, because our credentials for the receiver were replaced meanwhile",
    [
      { kind: "renewed", atMs: offsetToMs(15), bank: historyBank },
      ...deliver({
        attempts: [
          { at: 1, status: 404 },
          { at: 21, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
  ],
  [
    "I7: attempts without an answer that only the receipt names",
    deliver({ attempts: [1, 800, 1_600].map((at) => ({ at, status: null, isUnseen: true as const })).concat([]), outcome: "STOPPED" }),
  ],
  [
    "I7: attempts that the receipt only sums up",
    deliver({ attempts: [{ at: 1_300, status: 202 }], earlier: { first: 5, last: 1_000 }, outcome: "ACKNOWLEDGED" }),
  ],
  [
    "I7: an operator had the receiver paused",
    [
      ...deliver({
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
    "I7: the message's day had closed",
    [
      placed("dispatch", 0, historyDay, "DayTimes", {
        scheme: "ZA_EFT",
        businessDate: "2026-11-20",
        number: 1,
        reconciliationAtMs: offsetToMs(60),
      }),
      ...deliver({
        attempts: [
          { at: 1, status: 503 },
          { at: 2_000, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
        limits: { reconciliationDay: historyDay },
      }),
    ],
  ],
  [
    "I7: another message to the receiver is tried, as a probe is",
    [
      ...deliver({
        attempts: [
          { at: 1, status: 503 },
          { at: 1_201, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...deliver({
        uetr: two,
        attempts: [
          { at: 600, status: 503 },
          { at: 1_200, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
  ],
  ["I7: the delivery is under way when the history ends", deliver({ attempts: [{ at: 1, status: 503 }] })],
  [
    "I12: a code for repeats acknowledges",
    deliver({
      attempts: [
        { at: 1, status: null },
        { at: 2, status: 409 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
  ],
  [
    "I12: a message is redriven after its refusal",
    [
      ...deliver({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" }),
      redrive(5),
      receivedEntry(one, 9, operation, `${one.replaceAll("-", "")}X`),
    ],
  ],
  [
    "I12: a message is redriven after an operator stopped it",
    [
      ...deliver({ attempts: [{ at: 1, status: 500 }], outcome: "STOPPED", stoppedBy: "thandi" }),
      redrive(5),
      receivedEntry(one, 9, operation, `${one.replaceAll("-", "")}X`),
    ],
  ],
  [
    "I12: an attempt follows a transient answer at once, because the jitter is full",
    deliver({
      attempts: [
        { at: 1, status: 503 },
        { at: 1.02, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
    }),
  ],
  [
    "I12: an attempt after a 404 is due because the receiver took another message",
    [
      ...deliver({
        attempts: [
          { at: 1, status: 404 },
          { at: 21, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
      ...deliver({ uetr: two, attempts: [{ at: 20, status: 202 }], outcome: "ACKNOWLEDGED" }),
    ],
  ],
  [
    "I12: an attempt after a 404 is the probe of an open breaker",
    [
      ...deliver({
        uetr: two,
        attempts: Array.from({ length: 12 }, (_, index) => ({ at: 1 + index / 10, status: 503 })),
        outcome: "STOPPED",
      }),
      ...deliver({
        attempts: [
          { at: 3, status: 404 },
          { at: 13, status: 202 },
        ],
        outcome: "ACKNOWLEDGED",
      }),
    ],
  ],
  [
    "I12: the deadline shortens the wait of Retry-After",
    deliver({
      attempts: [
        { at: 1, status: 429, retryAfter: "900" },
        { at: 30, status: 202 },
      ],
      outcome: "ACKNOWLEDGED",
      limits: { deadlineMs: offsetToMs(40) },
    }),
  ],
  [
    "I12: a resume ends the wait of Retry-After",
    [
      ...deliver({
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
    const wrong = violationsIn(history);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(expected);
  });
});

describe("I12: a refused message whose record is read again", () => {
  const id = `${one.replaceAll("-", "")}X`;
  const refused = deliver({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" });
  const stop = placed("dispatch", 5, one, "DispatchChange", { messageIdentification: id, change: "STOP" });

  it("is not tried again, even if it was stopped meanwhile", () => {
    expect(violationsIn([...refused, stop])).toEqual([]);
    expect(violationsIn([...refused, stop, receivedEntry(one, 9, operation, id)])).toEqual([
      expect.stringMatching(/^I12 .* after its refusal was recorded/),
    ]);
  });
});

describe("I12: a refusal that the store forgot, because it went back", () => {
  const refused = deliver({ attempts: [{ at: 1, status: 422 }], outcome: "REFUSED" });
  const again = receivedEntry(one, 9, operation, `${one.replaceAll("-", "")}X`);
  const recordedAtMs = refused.flatMap((entry) => (entry.kind === "record" && "outcome" in entry.value ? [entry.appendedAtMs] : []))[0]!;
  const check = (fromMs: number, untilMs: number): readonly string[] =>
    violationsIn([...refused, again], { forgotten: { fromMs, untilMs } });

  it("may be followed by an attempt, and no other refusal may", () => {
    expect(check(recordedAtMs, recordedAtMs + 1)).toEqual([]);
    const triedAgain = [expect.stringMatching(/^I12 .* after its refusal was recorded/)];
    expect(check(recordedAtMs - 9, recordedAtMs)).toEqual(triedAgain);
    expect(check(recordedAtMs + 1, recordedAtMs + 9)).toEqual(triedAgain);
  });
});

describe("odd but legal deliveries", () => {
  it.each(accepted)("accepted: %s", (_, history) => {
    expect(violationsIn(history)).toEqual([]);
  });
});

describe("I14: one receiver's trouble does not delay another", () => {
  const late = deliver({ attempts: [{ at: 8, status: 202 }], outcome: "ACKNOWLEDGED" });
  const sick = deliver({ uetr: two, to: other, attempts: [{ at: 1, status: null }], outcome: "STOPPED" });

  it("rejected: a message to a healthy bank waits while another bank does not answer", () => {
    expect(violationsIn([...sick, ...late], { firstAttemptWithinMs: 5_000 })).toEqual([expect.stringMatching(/^I14 .* after 8000 ms/)]);
  });

  it("accepted: an attempt within the bound, one to the failing bank itself, and any if no bound is given", () => {
    expect(violationsIn([...sick, ...late], { firstAttemptWithinMs: 9_000 })).toEqual([]);
    const toSick = deliver({ uetr: one, to: other, at: 2, attempts: [{ at: 60, status: 202 }], outcome: "ACKNOWLEDGED" });
    expect(violationsIn([...sick, ...toSick], { firstAttemptWithinMs: 5_000 })).toEqual([]);
    expect(violationsIn([...sick, ...late])).toEqual([]);
  });

  it("reports how much it examined", () => {
    const { counts } = checkHistory([...deliver({ attempts: delivered, outcome: "ACKNOWLEDGED" })], { firstAttemptWithinMs: 5_000 });
    expect(counts).toMatchObject({ firstAttemptsInTime: 1, deliveriesEnded: 1, receiversAttempted: 1 });
  });
});

it("I7: a time in which no process ran excuses a gap, and no other one", () => {
  const attempts = [
    { at: 1, status: 503 },
    { at: 1_201, status: 202 },
  ];
  const history = deliver({ attempts, outcome: "ACKNOWLEDGED" });
  const stopped = (from: number, until: number): CheckOptions => ({
    stopped: { fromMs: offsetToMs(from), untilMs: offsetToMs(until) },
  });
  expect(violationsIn(history, stopped(100, 1_100))).toEqual([]);
  expect(violationsIn(history, stopped(1_300, 2_000))).toEqual([expect.stringMatching(/^I7/)]);
});
