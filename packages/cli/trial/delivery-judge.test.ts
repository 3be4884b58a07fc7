// A history in which all is right, and every way of it going wrong.

import { describe, expect, test } from "vitest";
import { judgeDeliveries } from "./delivery-judge.ts";
import type { DeliveryHistory, DeliveryRule, HeardAttempt, MessageEnd, SentMessage } from "./delivery-judge.ts";
import type { DeliveryService } from "./delivery-plan.ts";

const bank = "healthy-01";
const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

function sent(service: DeliveryService, place: number): SentMessage {
  const operation = service === "dispatcher" ? "inboundDirectDebit" : "events";
  const id = `${service}-${place}`;
  return { message: { id, uetr, bank, service, place, operation }, digest: `digest of ${id}` };
}

const messages = [sent("dispatcher", 1), sent("dispatcher", 2), sent("event-publisher", 1), sent("event-publisher", 2)] as const;

function attemptOn({ message: { id }, digest }: SentMessage, arrivedAt: number, acknowledgedAt: number | null): HeardAttempt {
  return { id, bank, digest, arrivedAt, acknowledgedAt };
}

function endOf({ message: { id } }: SentMessage, record: MessageEnd["record"]): MessageEnd {
  return { id, record, outcome: "ACKNOWLEDGED" };
}

const right: DeliveryHistory = {
  sent: messages,
  heard: [
    attemptOn(messages[0], 1, null),
    attemptOn(messages[2], 2, 3),
    attemptOn(messages[0], 4, 5),
    attemptOn(messages[1], 6, 7),
    attemptOn(messages[3], 8, 9),
    // Killed between the answer and the end.
    attemptOn(messages[0], 10, 11),
  ],
  ends: [
    ...messages.map((message) => endOf(message, "Receipt")),
    ...messages.slice(0, 2).map((message) => endOf(message, "DeliveryEnded")),
    endOf(messages[0], "DeliveryEnded"),
  ],
  deadLetters: 0,
};

function broken(change: Partial<DeliveryHistory>): readonly DeliveryRule[] {
  const { violations } = judgeDeliveries({ ...right, ...change });
  const rules: DeliveryRule[] = ["acknowledged", "own bank", "identical", "order", "nothing lost"];
  return rules.filter((rule) => violations[rule] > 0);
}

test("each message acknowledged in its turn, repeats and a second fact after a kill: nothing is said", () => {
  expect(judgeDeliveries(right).problems).toEqual([]);
  expect(broken({})).toEqual([]);
});

describe("a history that breaks one rule is told by its name", () => {
  const { heard, ends } = right;
  const strangeHeard = (change: Partial<HeardAttempt>): readonly HeardAttempt[] => [
    ...heard,
    { ...attemptOn(messages[1], 20, 21), ...change },
  ];
  const otherEnd = (record: MessageEnd["record"], outcome: string): readonly MessageEnd[] => [
    ...ends,
    { id: "dispatcher-2", record, outcome },
  ];
  const without = (id: string, record: MessageEnd["record"]): readonly MessageEnd[] =>
    ends.filter((end) => end.id !== id || end.record !== record);

  test.each<readonly [string, Partial<DeliveryHistory>, readonly DeliveryRule[]]>([
    ["never heard", { heard: heard.filter(({ id }) => id !== "dispatcher-2") }, ["acknowledged"]],
    [
      "heard, never acknowledged",
      { heard: heard.map((one) => (one.id === "dispatcher-2" ? { ...one, acknowledgedAt: null } : one)) },
      ["acknowledged"],
    ],
    ["at a bank that is not its own", { heard: strangeHeard({ bank: "hostile-01" }) }, ["own bank"]],
    ["appended by nobody", { heard: strangeHeard({ id: "dispatcher-9" }) }, ["own bank"]],
    ["repeated with other bytes", { heard: strangeHeard({ digest: "another" }) }, ["identical"]],
    ["the second before the first", { heard: [attemptOn(messages[1], 0.1, 0.2), ...heard] }, ["order"]],
    [
      "the second while the first was not acknowledged",
      { heard: heard.map((one) => (one.arrivedAt === 6 ? { ...one, arrivedAt: 4.5 } : one)) },
      ["order"],
    ],
    [
      "the second at the instant of the first's acknowledgement",
      { heard: heard.map((one) => (one.arrivedAt === 6 ? { ...one, arrivedAt: 5 } : one)) },
      ["order"],
    ],
    ["events out of order", { heard: [attemptOn(messages[3], 0.1, 0.2), ...heard] }, ["order"]],
    ["without a fact", { ends: without("dispatcher-2", "DeliveryEnded") }, ["nothing lost"]],
    ["without a receipt", { ends: without("event-publisher-2", "Receipt") }, ["nothing lost"]],
    ["refused", { ends: otherEnd("DeliveryEnded", "REFUSED") }, ["nothing lost"]],
    ["expired", { ends: otherEnd("Receipt", "EXPIRED") }, ["nothing lost"]],
    ["a fact about an event", { ends: [...ends, endOf(messages[2], "DeliveryEnded")] }, ["nothing lost"]],
    [
      "an end of what nobody appended",
      { ends: [...ends, { id: "dispatcher-9", record: "Receipt", outcome: "ACKNOWLEDGED" }] },
      ["nothing lost"],
    ],
    ["put aside", { deadLetters: 1 }, ["nothing lost"]],
  ])("%s", (_, change, rules) => {
    expect(broken(change)).toEqual(rules);
    expect(judgeDeliveries({ ...right, ...change }).problems.length).toBeGreaterThan(0);
  });
});

test("the events of a UETR are no predecessors of its dispatches", () => {
  const ofEvents = right.heard
    .filter(({ id }) => id.startsWith("event"))
    .map((one) => ({ ...one, arrivedAt: one.arrivedAt + 50, acknowledgedAt: 60 }));
  const places = ofEvents.map((one, index) => ({ ...one, arrivedAt: 50 + index * 4, acknowledgedAt: 51 + index * 4 }));
  expect(broken({ heard: [...right.heard.filter(({ id }) => id.startsWith("disp")), ...places] })).toEqual([]);
});

test("of many violations the first are told, and how many more there are", () => {
  const { problems, violations } = judgeDeliveries({
    ...right,
    sent: Array.from({ length: 30 }, (_, index) => sent("dispatcher", index + 1)),
    heard: [],
    ends: [],
  });
  expect(violations.acknowledged).toBe(30);
  expect(problems).toContain("acknowledged: 22 more");
});
