// The attempts of sent messages: of ended ones from their receipts, of others from the store.

import { topics, type Attempt } from "@sluice/contracts";
import type { ParkedMessage } from "@sluice/store";
import { expect, test } from "vitest";
import { formatTimeline } from "./format-timeline.ts";
import { storyBank, storyUetrHex, storyStartMs, TimelineStory, storyUetr } from "./timeline.fixture.ts";
import { readTimeline } from "./read-timeline.ts";

const address = "https://api.first.test/outbound/direct-debit-response";
const silent: Attempt = { atMs: storyStartMs + 1_000, httpStatusCode: null, answer: "timeout", tookMs: 5_000, address, class: "TRANSIENT" };
const busy: Attempt = { ...silent, atMs: storyStartMs + 9_000, httpStatusCode: 503, answer: "Service Unavailable", tookMs: 4 };
const taken: Attempt = { ...busy, atMs: storyStartMs + 11_000, httpStatusCode: 202, answer: null, class: "ACKNOWLEDGED" };
const before = { count: 7, firstAtMs: storyStartMs, lastAtMs: storyStartMs + 900, answers: [{ httpStatusCode: null, count: 7 }] };

async function reported(story: TimelineStory): Promise<void> {
  await story.appendFact(story.debit());
  await story.appendFact(story.verdict());
}

async function endsAs(
  story: TimelineStory,
  outcome: "ACKNOWLEDGED" | "REFUSED",
  recentAttempts: readonly Attempt[],
  earlier: typeof before | null,
) {
  const identified = {
    webhookId: `${storyUetrHex}A`,
    uetr: storyUetr,
    bank: storyBank,
    operation: "outboundDirectDebitResponse",
    stageVersion: null,
  };
  const attempts = recentAttempts.length + (earlier?.count ?? 0);
  const times = { firstAttemptAtMs: storyStartMs, endedAtMs: storyStartMs + 11_004 };
  const who = { stoppedBy: null, confirmedBy: null };
  await story.append(topics.receipts, {
    name: "Receipt",
    value: { ...identified, outcome, attempts, ...times, recentAttempts, earlier, ...who },
  });
}

function parked(over: Partial<ParkedMessage> = {}): ParkedMessage {
  return {
    id: `${storyUetrHex}A`,
    partition: 0,
    receiverId: storyBank,
    deliveryKey: storyUetr,
    uetr: storyUetr,
    operation: "outboundDirectDebitResponse",
    sequence: 0n,
    record: new Uint8Array([1]),
    traceparent: null,
    nextAttemptAtMs: storyStartMs + 60_000,
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    stopsAtMs: null,
    attempts: 2,
    anyAnswer: true,
    mayHaveBeenTaken: true,
    recentAttempts: [
      { ...silent, class: "transient" },
      { ...busy, class: "transient" },
    ],
    earlier: null,
    ended: null,
    redrive: null,
    stop: null,
    version: 1n,
    ...over,
  };
}

async function shown(story: TimelineStory) {
  const timeline = (await story.settle(readTimeline(storyUetr, story.ports)))!;
  const message = timeline.messages.find(({ messageIdentification }) => messageIdentification === `${storyUetrHex}A`)!;
  return { timeline, message, lines: formatTimeline(timeline).split("\n") };
}

test("an ended delivery shows each recent attempt, and the earlier ones summed up", async () => {
  const story = new TimelineStory();
  await reported(story);
  await endsAs(story, "ACKNOWLEDGED", [silent, busy, taken], before);
  const { message, lines } = await shown(story);
  expect(message.delivery).toMatchObject({ attempts: 10, earlier: before, recentAttempts: [{ address, class: "transient" }, {}, {}] });
  expect(message.waiting).toBeNull();
  const at = lines.findIndex((line) => line.includes("acknowledged 202, 10 attempts"));
  expect(lines.slice(at + 1, at + 5)).toEqual([
    "      2026-11-20 05:00:00.000  to 2026-11-20 05:00:00.900: 7 attempts before: none or other 7 times",
    `      2026-11-20 05:00:01.000  no answer  transient, 5000 ms at ${address}: timeout`,
    `      2026-11-20 05:00:09.000  503  transient, 4 ms at ${address}: Service Unavailable`,
    `      2026-11-20 05:00:11.000  202  acknowledged, 4 ms at ${address}`,
  ]);
});

test("a delivery acknowledged at its first attempt shows one line", async () => {
  const story = new TimelineStory();
  await reported(story);
  await endsAs(story, "ACKNOWLEDGED", [taken], null);
  const { lines } = await shown(story);
  expect(lines.filter((line) => line.startsWith("      "))).toEqual([]);
  expect(lines.join("\n")).toContain("acknowledged 202, 1 attempt of 4 ms, 05:00:11.004");
});

test("evidence: an ended delivery whose process died before its receipt is shown by the fact in the journal [D3 evidence]", async () => {
  const story = new TimelineStory();
  await reported(story);
  const { name, value } = story.ended("A");
  await story.appendFact({ name, value: { ...value, recentAttempts: [busy, taken] } });
  const { message, lines } = await shown(story);
  expect(message.delivery).toMatchObject({ outcome: "ACKNOWLEDGED", attempts: 2, firstAttemptAtMs: busy.atMs, earlier: null });
  expect(lines.join("\n")).toContain("acknowledged 202, 2 attempts");
  await endsAs(story, "ACKNOWLEDGED", [silent, busy, taken], before);
  expect((await shown(story)).message.delivery).toMatchObject({ attempts: 10 });
});

test("a delivery that has not ended shows its attempts so far and the time of the next one", async () => {
  const story = new TimelineStory();
  await reported(story);
  await story.settle(story.store.deliveries.insert([parked()]));
  const { message, lines } = await shown(story);
  expect(message).toMatchObject({ delivery: null, waiting: { isTried: true, attempts: 2, nextAttemptAtMs: storyStartMs + 60_000 } });
  expect(lines.join("\n")).toContain(`to ${storyBank}; parked, 2 attempts, due 05:01:00.000`);
  expect(lines).toContain(`      2026-11-20 05:00:09.000  503  transient, 4 ms at ${address}: Service Unavailable`);
});

test("a refused delivery shows that it waits for a redrive, and an event's posting is shown with its state", async () => {
  const story = new TimelineStory();
  await reported(story);
  const refused = { ...busy, httpStatusCode: 422, class: "REFUSED" } as const;
  await endsAs(story, "REFUSED", [refused], null);
  await story.settle(story.store.deliveries.insert([parked({ ended: "refused" })]));
  const event = (await shown(story)).timeline.states[0]!.event!;
  await story.settle(story.store.postings.insert([parked({ id: event.id, operation: "events", attempts: 0, recentAttempts: [] })]));
  const { timeline, lines } = await shown(story);
  const message = timeline.messages.find(({ messageIdentification }) => messageIdentification === `${storyUetrHex}A`);
  expect(message?.waiting).toMatchObject({ isTried: false, nextAttemptAtMs: null });
  expect(lines.join("\n")).toContain("refused 422, 1 attempt of 4 ms, 05:00:11.004; waits for a redrive, 2 attempts");
  expect(timeline.states[0]!.event).toMatchObject({ posting: null, waiting: { attempts: 0 } });
  expect(lines.join("\n")).toContain("event parked, not tried yet, due 05:01:00.000");
});

test("a stopped delivery is not shown as waiting, although the store keeps it for a while", async () => {
  const story = new TimelineStory();
  await reported(story);
  await story.settle(story.store.deliveries.insert([parked({ ended: "stopped" })]));
  const { message, lines } = await shown(story);
  expect(message.waiting).toBeNull();
  expect(lines.join("\n")).not.toContain("redrive");
});

test("a receiver's answer can neither move the reader's cursor nor fill the screen", async () => {
  const story = new TimelineStory();
  await reported(story);
  await endsAs(story, "REFUSED", [{ ...busy, answer: `\u001b[2J${"x".repeat(1_000)}` }], null);
  const line = (await shown(story)).lines.find((one) => one.includes("[2J"))!;
  expect([line.includes("\u001b"), line.length < 400]).toEqual([false, true]);
});
