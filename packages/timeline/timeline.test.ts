import { topics } from "@sluice/contracts";
import { sampleUetr } from "@sluice/testkit";
import { expect, test } from "vitest";
import { formatTimeline } from "./format-timeline.ts";
import { storyBank, storyConnector, storyDeadlineMs, storyUetrHex, storyStartMs, TimelineStory, storyUetr } from "./timeline.fixture.ts";
import type { Timeline } from "./timeline.ts";
import { readTimeline } from "./read-timeline.ts";

const states = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED", "COMPLETED"];

test("a completed debit shows its seven states, the messages in both directions and the other facts, in order", async () => {
  const story = new TimelineStory();
  await story.completeDebit();
  const timeline = await story.settle(readTimeline(sampleUetr.toUpperCase(), story.ports));
  expect(timeline).toMatchObject({
    uetr: storyUetr,
    partition: 0,
    state: "COMPLETED",
    bank: storyBank,
    amount: "ZAR 1250.50",
    isComplete: true,
  });
  expect(timeline!.states.map(({ stageVersion, state }) => `${stageVersion} ${state}`)).toEqual(
    states.map((state, index) => `${index + 1} ${state}`),
  );
  expect(
    timeline!.messages.map(({ direction, operation, messageIdentification }) => [direction, operation, messageIdentification]),
  ).toEqual([
    ["in", "outboundDirectDebit", "ACME-1"],
    ["out", "outboundDirectDebitResponse", `${storyUetrHex}A`],
    ["out", "inboundDirectDebit", `${storyUetrHex}D`],
    ["in", "inboundDirectDebitResponse", "PSR-1"],
  ]);
  expect(timeline!.facts.map(({ name }) => name)).toEqual(["AccountVerified", "DeliveryEnded", "Release", "DeliveryEnded"]);
  const offsets = timeline!.states.map(({ offset }) => Number(offset));
  expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
});

test("deliveries and postings show their attempts and answers, or that they have not ended", async () => {
  const story = new TimelineStory();
  await story.completeDebit();
  const before = await story.settle(readTimeline(storyUetr, story.ports));
  await story.receipt(before!.states[0]!.event!.id, "events", 1);
  const timeline = await story.settle(readTimeline(storyUetr, story.ports));
  const end = { outcome: "ACKNOWLEDGED", attempts: 2, endedAtMs: storyStartMs + 2_003 };
  expect(timeline!.messages[1]!.delivery).toMatchObject({ ...end, recentAttempts: [{ httpStatusCode: 503 }, { httpStatusCode: 202 }] });
  // It has no receipt: the fact in the journal says how it ended.
  expect(timeline!.messages[2]!.delivery).toMatchObject({ outcome: "ACKNOWLEDGED", attempts: 2, recentAttempts: [] });
  expect(timeline!.states[0]!.event!.posting).toMatchObject(end);
  expect(timeline!.states[1]!.event!.posting).toBeNull();
});

test("a message or event that a replay produced again is shown once, with its number of copies", async () => {
  const story = new TimelineStory();
  await story.completeDebit();
  for (const topic of [topics.dispatch, topics.events]) {
    for (const record of story.broker.records({ topic, partition: 0 })) await story.append(topic, story.serde.decode(record.value!));
  }
  const timeline = await story.settle(readTimeline(storyUetr, story.ports));
  expect(timeline!.messages.map(({ copies }) => copies)).toEqual([1, 2, 2, 1]);
  expect(timeline!.states.map(({ event }) => event!.copies)).toEqual(states.map(() => 2));
});

test("a debit without an answer at the close shows its item and the marker that ended it", async () => {
  const story = new TimelineStory();
  await story.appendFact(story.debit());
  await story.appendFact(story.verdict());
  const day = { id: "ZA_EFT:2026-11-20:DayReconciled:1", scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1 };
  const wire = { ...day, id: `${day.id}:0`, partition: 0 };
  const place = await story.append(topics.journal, { name: "DayReconciled", value: wire }, "ZA_EFT:2026-11-20");
  story.markers.push({ marker: { kind: "DayReconciled", ...day }, position: place });
  await story.appendFact({ name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } });
  const timeline = await story.settle(readTimeline(storyUetr, story.ports));
  expect(timeline!.items).toMatchObject([{ day: "ZA_EFT:2026-11-20", row: 5, state: "ACCEPTED" }]);
  expect(timeline!.states.at(-1)).toMatchObject({ state: "RECONCILIATION", markerOffset: String(place.offset) });
  expect(timeline!.messages.at(-1)!.stoppedByOffset).toBe(timeline!.states.at(-1)!.offset);
  expect(formatTimeline(timeline!)).toContain("ZA_EFT:2026-11-20  row 5  ACCEPTED");
});

test("an unknown UETR has no timeline; a UETR whose records are not applied yet shows its messages", async () => {
  const story = new TimelineStory();
  expect(await story.settle(readTimeline(storyUetr, story.ports))).toBeNull();
  await story.append(topics.journal, story.debit());
  const timeline = await story.settle(readTimeline(storyUetr, story.ports));
  expect(timeline).toMatchObject({ state: null, states: [], messages: [{ messageIdentification: "ACME-1" }] });
});

test("a timeline is plain JSON and shows no account number and no name", async () => {
  const story = new TimelineStory();
  await story.completeDebit();
  const timeline = await story.settle(readTimeline(storyUetr, story.ports));
  expect(JSON.parse(JSON.stringify(timeline))).toEqual(timeline);
  const shown = `${JSON.stringify(timeline)}${formatTimeline(timeline!)}`;
  const { debtorAccount, creditorAccount, debtor, creditor } = story.debit().value.debit;
  const secrets = [debtorAccount.identification!.value, creditorAccount!.identification!.value, debtor.legalName, creditor.legalName];
  for (const secret of secrets) expect(shown).not.toContain(secret);
});

/** Lists messages and states in journal order. */
function shown(timeline: Timeline): readonly string[] {
  const lines = formatTimeline(timeline)
    .split("\n")
    .filter((line) => /^\d{4}-/.test(line));
  return lines.map((line) => line.split(/ {2,}/).slice(2, 4).join(" "));
}

test("an off-us debit shows its sender and the outcome report to the connector", async () => {
  const story = new TimelineStory();
  await story.completeOffUsDebit();
  const timeline = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  expect(timeline).toMatchObject({
    flow: "off-us",
    state: "COMPLETED",
    bank: storyBank,
    amount: "ZAR 1250.50",
    deadlineMs: null,
    outcome: { number: 1 },
  });
  expect(shown(timeline)).toEqual([
    "<- inboundDirectDebit",
    "1 RECEIVED",
    ".. AccountVerified",
    "2 ACCEPTED",
    "3 HELD",
    ".. Release",
    "4 RELEASED",
    "-> inboundDirectDebit",
    ".. DeliveryEnded",
    "5 DELIVERED",
    "<- inboundDirectDebitResponse",
    "6 COMPLETED",
    "-> inboundDirectDebitResponse",
    ".. DeliveryEnded",
  ]);
  expect(timeline.messages.map(({ direction, bank: party }) => `${direction} ${party}`)).toEqual([
    `in ${storyConnector}`,
    `out ${storyBank}`,
    `in ${storyBank}`,
    `out ${storyConnector}`,
  ]);
  expect(formatTimeline(timeline)).toMatch(/outcome report 1 to the connector, acknowledged 2026-11-20 05:/);
});

test("a credit shows its states, its deadline and the outcome report to the connector", async () => {
  const story = new TimelineStory();
  await story.bookCredit();
  const timeline = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  expect(timeline).toMatchObject({
    flow: "credit",
    state: "CREDIT_AUTH_RESPONSE_ACCEPTED",
    amount: "ZAR 1250.50",
    reconciliationDay: null,
    deadlineMs: storyDeadlineMs,
  });
  expect(shown(timeline)).toEqual([
    "<- inboundCreditTransferAuthorization",
    "1 CREDIT_AUTH_RECEIVED",
    ".. AccountVerified",
    "2 CREDIT_AUTH_ACCEPTED",
    "3 CREDIT_AUTH_DELIVERY_PENDING",
    "-> inboundCreditTransferAuthorization",
    ".. DeliveryEnded",
    "4 CREDIT_AUTH_DELIVERED",
    "<- inboundCreditTransferAuthorizationResponse",
    "5 CREDIT_AUTH_RESPONSE_ACCEPTED",
    "-> inboundCreditTransferAuthorizationResponse",
  ]);
  const lines = formatTimeline(timeline).split("\n");
  expect(lines[1]).toBe("deadline 2026-11-20 07:00:00.000  outcome report 1 to the connector, not acknowledged yet");
  expect(lines.join("\n")).toContain("ACCEPTED, to first on 2026-11-20, until 2026-11-20 07:00:00.000");
});

test("a credit unresolved at its deadline shows the passed deadline and its item", async () => {
  const story = new TimelineStory();
  await story.appendFact(story.credit());
  await story.appendFact(story.verdict());
  await story.settle(story.time.advance(storyDeadlineMs - storyStartMs + 1_000));
  await story.appendFact({ name: "DeadlinePassed", value: { deadlineMs: storyDeadlineMs } });
  const timeline = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  expect(timeline.state).toBe("CREDIT_AUTH_RECONCILIATION");
  expect(timeline.facts.at(-1)).toMatchObject({ name: "DeadlinePassed", detail: "2026-11-20 07:00:00.000" });
  expect(timeline.items).toMatchObject([{ day: "ZA_EFT:2026-11-20", state: "CREDIT_AUTH_DELIVERY_PENDING" }]);
});

test("events of class ESM_STATE are shown with the events of their states", async () => {
  const story = new TimelineStory();
  story.eventClasses = ["TRANSACTION_STATE", "ESM_STATE"];
  await story.completeDebit();
  const timeline = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  expect(timeline.states.map(({ event, esmEvent }) => [event!.copies, esmEvent!.copies])).toEqual(states.map(() => [1, 1]));
  await story.receipt(timeline.states[3]!.esmEvent!.id, "events", null);
  const posted = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  expect(posted.states[3]!.esmEvent!.posting).toMatchObject({ outcome: "ACKNOWLEDGED" });
  expect(formatTimeline(posted)).toContain("event not posted; ESM acknowledged 202, 2 attempts, 05:00:02.003");
});

test("a delivery that ended without an acknowledgement shows whether the message may have been accepted", async () => {
  const story = new TimelineStory();
  await story.appendFact(story.credit());
  await story.appendFact(story.verdict());
  const { value } = story.ended("C");
  await story.appendFact({ name: "DeliveryEnded", value: { ...value, outcome: "REFUSED", httpStatusCode: 422, mayHaveBeenTaken: true } });
  const timeline = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  expect(timeline.facts.at(-1)!.detail).toBe("REFUSED 422 after 2 attempts, may have been taken");
});

test("the text form has one line per entry, in journal order, with aligned columns", async () => {
  const story = new TimelineStory();
  await story.completeDebit();
  const lines = formatTimeline((await story.settle(readTimeline(storyUetr, story.ports)))!).split("\n");
  expect(lines[0]).toBe(`${storyUetr}  COMPLETED  on-us  ZA_EFT 2026-11-20  ZAR 1250.50  ${storyBank}  partition 0`);
  const what = lines.filter((line) => /^\d{4}-/.test(line)).map((line) => line.split(/ {2,}/).slice(2, 4).join(" "));
  expect(what).toEqual([
    "<- outboundDirectDebit",
    "1 RECEIVED",
    ".. AccountVerified",
    "2 ACCEPTED",
    "-> outboundDirectDebitResponse",
    ".. DeliveryEnded",
    "3 REPORTED",
    "4 HELD",
    ".. Release",
    "5 RELEASED",
    "-> inboundDirectDebit",
    ".. DeliveryEnded",
    "6 DELIVERED",
    "<- inboundDirectDebitResponse",
    "7 COMPLETED",
  ]);
  expect(lines.join("\n")).toContain("acknowledged 202, 2 attempts, 05:00:02.003");
});

test("a long partition is searched from the first record on, and an incomplete result is marked", async () => {
  const story = new TimelineStory();
  for (let other = 0; other < 30; other += 1) await story.append(topics.journal, story.debit(`O-${other}`), `other-${other}`);
  await story.settle(story.time.advance(5_000));
  await story.completeDebit();
  const bounded = { ...story.ports, searchedRecordsMax: 20n };
  const timeline = await story.settle(readTimeline(storyUetr, bounded));
  expect(timeline).toMatchObject({ isComplete: true });
  expect(timeline!.messages).toHaveLength(4);
  for (let other = 0; other < 30; other += 1) await story.append(topics.journal, story.debit(`P-${other}`), `other-${other}`);
  const cut = await story.settle(readTimeline(storyUetr, bounded));
  expect(cut).toMatchObject({ isComplete: false });
  expect(cut!.messages).toHaveLength(4);
  expect(formatTimeline(cut!)).toContain("entries may be missing");
});

test("records long after the first one are found around their known times, behind many records of others", async () => {
  const story = new TimelineStory();
  await story.appendFact(story.debit());
  await story.appendFact(story.verdict());
  const others = async (count: number) => {
    for (const topic of [topics.journal, topics.receipts]) {
      for (let other = 0; other < count; other += 1) await story.append(topic, story.debit(`O-${other}`), `other-${other}`);
    }
  };
  await others(50);
  await story.settle(story.time.advance(3_600_000));
  await others(5);
  await story.appendFact(story.ended("A"));
  await story.receipt(`${storyUetrHex}A`, "outboundDirectDebitResponse", null);
  await others(50);
  const timeline = (await story.settle(readTimeline(storyUetr, { ...story.ports, searchedRecordsMax: 20n })))!;
  expect(timeline.facts.map(({ name }) => name)).toEqual(["AccountVerified", "DeliveryEnded"]);
  expect(timeline.messages[1]!.delivery).toMatchObject({ outcome: "ACKNOWLEDGED", attempts: 2 });
  expect(timeline.isComplete).toBe(false);
});

test("an identification that its sender used for two transactions is a warning on both timelines [D4 identification-again]", async () => {
  const story = new TimelineStory();
  await story.completeDebit();
  const other = "0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f60";
  const document = (await story.settle(story.store.transactions.load([storyUetr]))).get(storyUetr)!;
  const again = { ...document, transaction: { ...document.transaction, uetr: other } };
  await story.settle(story.store.transactions.write([{ document: again, expectedVersion: 0 }]));
  const mine = await story.settle(readTimeline(storyUetr, story.ports));
  const theirs = await story.settle(readTimeline(other, story.ports));
  expect([mine, theirs].map((timeline) => timeline?.sharesIdentificationWith)).toEqual([[other], [storyUetr]]);
  expect(formatTimeline(mine!)).toContain(`the same identification for ${other}`);
});
