// A history that breaks no rule, and histories that break one each.

import { describe, expect, test } from "vitest";
import {
  type DeliveryHistory,
  type DeliveryRule,
  type MessageEnd,
  type ReceivedAttempt,
  type SentMessage,
  verifyDeliveries,
} from "./verdict.ts";
import type { DeliveryService } from "./plan.ts";

const bank = "healthy-01";
const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

function sent(service: DeliveryService, place: number): SentMessage {
  const operation = service === "dispatcher" ? "inboundDirectDebit" : "events";
  const id = `${service}-${place}`;
  return { message: { id, uetr, bank, service, place, operation }, digest: `digest of ${id}` };
}

const messages = [sent("dispatcher", 1), sent("dispatcher", 2), sent("event-publisher", 1), sent("event-publisher", 2)] as const;

function buildAttempt({ message: { id }, digest }: SentMessage, arrivedAt: number, acknowledgedAt: number | null): ReceivedAttempt {
  return { id, bank, digest, arrivedAt, acknowledgedAt };
}

function buildEnd({ message: { id } }: SentMessage, record: MessageEnd["record"]): MessageEnd {
  return { id, record, outcome: "ACKNOWLEDGED" };
}

const right: DeliveryHistory = {
  sent: messages,
  attempts: [
    buildAttempt(messages[0], 1, null),
    buildAttempt(messages[2], 2, 3),
    buildAttempt(messages[0], 4, 5),
    buildAttempt(messages[1], 6, 7),
    buildAttempt(messages[3], 8, 9),
    // The service was killed between the bank's answer and the end.
    buildAttempt(messages[0], 10, 11),
  ],
  ends: [
    ...messages.map((message) => buildEnd(message, "Receipt")),
    ...messages.slice(0, 2).map((message) => buildEnd(message, "DeliveryEnded")),
    buildEnd(messages[0], "DeliveryEnded"),
  ],
  deadLetters: 0,
};

function listBroken(change: Partial<DeliveryHistory>): readonly DeliveryRule[] {
  const { violations } = verifyDeliveries({ ...right, ...change });
  const rules: DeliveryRule[] = ["acknowledged", "own bank", "identical", "order", "nothing lost", "within a minute"];
  return rules.filter((rule) => violations[rule] > 0);
}

test("messages acknowledged in order, with repeats and a second end after a kill, break no rule", () => {
  expect(verifyDeliveries(right).problems).toEqual([]);
  expect(listBroken({})).toEqual([]);
});

describe("a history that breaks one rule names that rule", () => {
  const { attempts, ends } = right;
  const withAttempt = (change: Partial<ReceivedAttempt>): readonly ReceivedAttempt[] => [
    ...attempts,
    { ...buildAttempt(messages[1], 20, 21), ...change },
  ];
  const withEnd = (record: MessageEnd["record"], outcome: string): readonly MessageEnd[] => [
    ...ends,
    { id: "dispatcher-2", record, outcome },
  ];
  const without = (id: string, record: MessageEnd["record"]): readonly MessageEnd[] =>
    ends.filter((end) => end.id !== id || end.record !== record);

  test.each<readonly [string, Partial<DeliveryHistory>, readonly DeliveryRule[]]>([
    ["a message that never arrived", { attempts: attempts.filter(({ id }) => id !== "dispatcher-2") }, ["acknowledged"]],
    [
      "a message that arrived and was never acknowledged",
      { attempts: attempts.map((one) => (one.id === "dispatcher-2" ? { ...one, acknowledgedAt: null } : one)) },
      ["acknowledged"],
    ],
    ["a message at another bank", { attempts: withAttempt({ bank: "hostile-01" }) }, ["own bank"]],
    ["a message that nobody appended", { attempts: withAttempt({ id: "dispatcher-9" }) }, ["own bank"]],
    ["a repeat with other bytes", { attempts: withAttempt({ digest: "another" }) }, ["identical"]],
    ["the second message before the first", { attempts: [buildAttempt(messages[1], 0.1, 0.2), ...attempts] }, ["order"]],
    [
      "the second message before the first was acknowledged",
      { attempts: attempts.map((one) => (one.arrivedAt === 6 ? { ...one, arrivedAt: 4.5 } : one)) },
      ["order"],
    ],
    [
      "the second message at the instant of the first's acknowledgement",
      { attempts: attempts.map((one) => (one.arrivedAt === 6 ? { ...one, arrivedAt: 5 } : one)) },
      ["order"],
    ],
    ["events out of order", { attempts: [buildAttempt(messages[3], 0.1, 0.2), ...attempts] }, ["order"]],
    ["a dispatch without DeliveryEnded", { ends: without("dispatcher-2", "DeliveryEnded") }, ["nothing lost"]],
    ["a message without a receipt", { ends: without("event-publisher-2", "Receipt") }, ["nothing lost"]],
    ["a refused dispatch", { ends: withEnd("DeliveryEnded", "REFUSED") }, ["nothing lost"]],
    ["an expired message", { ends: withEnd("Receipt", "EXPIRED") }, ["nothing lost"]],
    ["a DeliveryEnded for an event", { ends: [...ends, buildEnd(messages[2], "DeliveryEnded")] }, ["nothing lost"]],
    [
      "an end of a message that nobody appended",
      { ends: [...ends, { id: "dispatcher-9", record: "Receipt", outcome: "ACKNOWLEDGED" }] },
      ["nothing lost"],
    ],
    ["a dead letter", { deadLetters: 1 }, ["nothing lost"]],
  ])("%s", (_, change, rules) => {
    expect(listBroken(change)).toEqual(rules);
    expect(verifyDeliveries({ ...right, ...change }).problems.length).toBeGreaterThan(0);
  });
});

describe("I14: a message waits a minute at most at a bank that takes it", () => {
  const waited = (waitedMs: number): readonly SentMessage[] => messages.map((one) => ({ ...one, waitedMs }));

  test("a longer wait breaks the rule", () => {
    expect(listBroken({ sent: waited(60_000), promptBanks: new Set([bank]) })).toEqual([]);
    expect(listBroken({ sent: waited(60_001), promptBanks: new Set([bank]) })).toEqual(["within a minute"]);
  });

  test("at a bank that is slow or dead it does not", () => {
    expect(listBroken({ sent: waited(90_000), promptBanks: new Set(["healthy-02"]) })).toEqual([]);
  });
});

describe("a message that its bank never takes", () => {
  const last = { ...messages[1], message: { ...messages[1].message, isNeverTaken: true } as const };
  const never = { sent: [messages[0], last, messages[2], messages[3]] };
  const waiting = { attempts: right.attempts.map((one) => (one.id === "dispatcher-2" ? { ...one, acknowledgedAt: null } : one)) };

  test("waits without an end, and breaks no rule", () => {
    expect(listBroken({ ...never, ...waiting, ends: right.ends.filter(({ id }) => id !== "dispatcher-2") })).toEqual([]);
  });

  test("breaks one if it has an end", () => {
    expect(listBroken({ ...never, ...waiting })).toEqual(["nothing lost"]);
  });
});

test("the events of a UETR do not have to precede its dispatches", () => {
  const eventAttempts = right.attempts
    .filter(({ id }) => id.startsWith("event"))
    .map((one) => ({ ...one, arrivedAt: one.arrivedAt + 50, acknowledgedAt: 60 }));
  const moved = eventAttempts.map((one, index) => ({ ...one, arrivedAt: 50 + index * 4, acknowledgedAt: 51 + index * 4 }));
  expect(listBroken({ attempts: [...right.attempts.filter(({ id }) => id.startsWith("disp")), ...moved] })).toEqual([]);
});

test("many violations of a rule are reported by the first few and a count of the rest", () => {
  const { problems, violations } = verifyDeliveries({
    ...right,
    sent: Array.from({ length: 30 }, (_, index) => sent("dispatcher", index + 1)),
    attempts: [],
    ends: [],
  });
  expect(violations.acknowledged).toBe(30);
  expect(problems).toContain("acknowledged: 22 more");
});
