// People's decisions in a timeline: one line each, with operator and reason.

import { type DecodedRecord, type Records, topics } from "@sluice/contracts";
import { bankKey, type BankState } from "@sluice/domain";
import { expect, test } from "vitest";
import { formatTimeline } from "./format-timeline.ts";
import { storyBank, storyUetrHex, TimelineStory, storyUetr } from "./timeline.fixture.ts";
import { readTimeline } from "./read-timeline.ts";
import type { Timeline } from "./timeline.ts";

const day = "ZA_EFT:2026-11-20";
const next = "2026-11-23";
const markerBase = { scheme: "ZA_EFT", businessDate: "2026-11-20" };

function action(id: string, operator = "thandi", reason = `because of ${id}`): Records["WithdrawalRequested"]["action"] {
  return { id, operator, person: null, reason, requestedAtMs: 1, confirmedBy: null };
}

function withdrawal(id: string): DecodedRecord<"WithdrawalRequested"> {
  return { name: "WithdrawalRequested", value: { action: action(id) } };
}

function redrive(messageIdentification: string): DecodedRecord<"RedriveRequested"> {
  return { name: "RedriveRequested", value: { action: action("r1"), target: "DELIVERY", messageIdentification } };
}

async function timefindLine(story: TimelineStory): Promise<Timeline> {
  const timeline = await story.settle(readTimeline(storyUetr, story.ports));
  if (timeline === null) throw new Error("no timeline");
  return timeline;
}

async function held(story: TimelineStory, carryOversMax = 0): Promise<void> {
  await story.appendFact(story.debit());
  await story.appendFact(story.verdict(carryOversMax));
  await story.appendFact(story.ended("A"));
}

/** Finds the line of an entry by its name, and makes each run of blanks one. */
function findLine(timeline: Timeline, name: string): string {
  const line = formatTimeline(timeline)
    .split("\n")
    .find((one) => one.includes(name));
  return (line ?? "").replaceAll(/ {2,}/g, " ");
}

test("a withdrawal shows operator, reason and result, even if it came too late", async () => {
  const story = new TimelineStory();
  await held(story);
  await story.appendFact(withdrawal("w1"));
  await story.appendFact(withdrawal("w2"));
  const timeline = await timefindLine(story);
  expect(timeline).toMatchObject({
    state: "RECONCILIATION",
    items: [{ row: 0, cause: "WITHDRAWN" }],
    decisions: [
      { name: "WithdrawalRequested", id: "w1", operator: "thandi", reason: "because of w1", result: "applied", why: null },
      { id: "w2", result: "refused", why: "not-in-this-state" },
    ],
  });
  const lines = formatTimeline(timeline)
    .split("\n")
    .filter((line) => line.includes("WithdrawalRequested"));
  expect(lines.map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    "by thandi: because of w1; applied",
    "by thandi: because of w2; refused: not-in-this-state",
  ]);
});

test("a debit that is carried over shows its new date and the marker that caused it", async () => {
  const story = new TimelineStory();
  await held(story, 1);
  const closed = { ...markerBase, id: `${day}:WindowClosed:1`, number: 1, isLast: true, nextBusinessDate: next };
  const { offset } = await story.applyMarker({ kind: "WindowClosed", ...closed });
  await story.appendFact({ name: "DayClosed", value: { day } });
  const timeline = await timefindLine(story);
  expect(timeline).toMatchObject({ state: "HELD", businessDate: next, reconciliationDay: `ZA_EFT:${next}` });
  expect(findLine(timeline, "carried over")).toContain(`HELD ACME-1 carried over to ${next}; by marker ${offset}`);
});

test("a redriven delivery is not shown as stopped, and its line names the record that redrove it", async () => {
  const story = new TimelineStory();
  await story.appendFact(story.debit());
  await story.appendFact(story.verdict());
  await story.appendFact(story.refused("A"));
  await story.appendFact(redrive(`${storyUetrHex}A`));
  const timeline = await timefindLine(story);
  const offset = timeline.decisions[0]?.offset ?? "";
  expect(timeline.messages.at(-1)).toMatchObject({
    messageIdentification: `${storyUetrHex}A`,
    stoppedByOffset: null,
    redrivenByOffsets: [offset],
  });
  expect(findLine(timeline, "RedriveRequested")).toContain(`${storyUetrHex}A delivery, by thandi: because of r1; applied`);
  expect(findLine(timeline, "redriven by")).toContain(`refused, 2 attempts, 05:00:00.058; redriven by ${offset}`);
});

test("an item shows its resolution: proposed, then confirmed by another person", async () => {
  const story = new TimelineStory();
  await held(story);
  await story.applyMarker({ kind: "DayReconciled", ...markerBase, id: `${day}:DayReconciled:1`, number: 1 });
  const asked = { action: action("i1"), day, resolution: "NOT_MADE", replacedBy: null, needsSecondPerson: true, lifetimeMs: null } as const;
  await story.appendFact({ name: "ItemResolutionRequested", value: asked });
  expect(findLine(await timefindLine(story), "proposed")).toContain(
    "row 0 HELD WINDOW_MISSED proposed: not-made, by thandi: because of i1",
  );
  const stored = await story.settle(story.store.transactions.load([storyUetr]));
  const proposal = stored.get(storyUetr)?.transaction.items[0]?.resolution ?? null;
  const named = { proposalOffset: proposal?.offset ?? null, proposalSha256: proposal?.action.contentSha256 ?? null };
  await story.appendFact({ name: "ItemResolutionConfirmed", value: { action: action("c1", "sipho"), confirms: "i1", ...named } });
  const timeline = await timefindLine(story);
  expect(timeline.items).toMatchObject([{ resolution: { kind: "not-made", operator: "thandi", isFinal: true, confirmedBy: "sipho" } }]);
  expect(findLine(timeline, "row 0")).toContain("not-made, by thandi: because of i1, confirmed by sipho");
  expect(findLine(timeline, "ItemResolutionRequested")).toContain(`NOT_MADE on ${day}, to be confirmed, by thandi: because of i1; applied`);
  expect(findLine(timeline, "ItemResolutionConfirmed")).toContain(`of ${proposal?.offset}, by sipho: because of c1; applied`);
});

test("a rejected resolution is in the timeline with who and why, and the item shows none", async () => {
  const story = new TimelineStory();
  await held(story);
  await story.applyMarker({ kind: "DayReconciled", ...markerBase, id: `${day}:DayReconciled:1`, number: 1 });
  const asked = { action: action("i1"), day, resolution: "NOT_MADE", replacedBy: null, needsSecondPerson: true, lifetimeMs: null } as const;
  await story.appendFact({ name: "ItemResolutionRequested", value: asked });
  const stored = await story.settle(story.store.transactions.load([storyUetr]));
  const proposal = stored.get(storyUetr)?.transaction.items[0]?.resolution ?? null;
  const named = { proposalOffset: proposal?.offset ?? 0n, proposalSha256: proposal?.action.contentSha256 ?? "" };
  await story.appendFact({ name: "ItemResolutionRejected", value: { action: action("x1", "sipho"), ...named } });
  const timeline = await timefindLine(story);
  expect(timeline.items).toMatchObject([{ resolution: null }]);
  expect(findLine(timeline, "ItemResolutionRejected")).toContain(`of ${proposal?.offset}, by sipho: because of x1; applied`);
});

test("pauses of its bank before its end are shown once, with operator and reason, and none after its end", async () => {
  const story = new TimelineStory();
  await story.changePause("BankPaused", 1, "before it came");
  await held(story);
  await story.changePause("BankPaused", 2, "maintenance", 1_795_000_000_000);
  await story.changePause("BankPaused", 2, "maintenance", 1_795_000_000_000);
  await story.changePause("BankResumed", 1, "done");
  const appended = {
    offset: 4n,
    atMs: 1,
    marker: { kind: "BankPaused", id: "x", bank: storyBank, number: 2, reason: "maintenance", untilMs: null },
  } as const;
  const decided = {
    offset: 4n,
    atMs: 1,
    kind: "BankPauseRequested",
    action: { ...action("p1"), contentSha256: "" },
    result: "applied",
    why: null,
  } as const;
  const state: BankState = {
    bank: storyBank,
    version: 1,
    applied: 9n,
    isPaused: false,
    untilMs: null,
    since: null,
    pauses: 2,
    resumes: 1,
    markers: [appended],
    usedActions: [],
    decisions: [decided],
  };
  await story.settle(story.store.banks.write(state, 0));
  await story.append(
    topics.journal,
    { name: "BankPauseRequested", value: { action: action("p9"), bank: storyBank, untilMs: null } },
    bankKey(storyBank),
  );
  await story.appendFact(withdrawal("w1"));
  await story.changePause("BankPaused", 3, "after its end");
  const timeline = await timefindLine(story);
  expect(timeline.pauses.map(({ name, operator, reason }) => [name, operator, reason])).toEqual([
    ["BankPaused", "thandi", "maintenance"],
    ["BankResumed", null, "done"],
  ]);
  expect(findLine(timeline, "BankPaused")).toContain(`BankPaused ${storyBank}, to 2026-11-18 11:06:40.000, by thandi: maintenance`);
  expect(findLine(timeline, "BankResumed")).toContain(`BankResumed ${storyBank}: done`);
  expect(timeline.facts.map(({ name }) => name)).not.toContain("BankPauseRequested");
  expect(JSON.parse(JSON.stringify(timeline))).toEqual(timeline);
});

test("a delivery that an operator stopped is no redrive, and names both persons in its line [D3 operator-stop]", async () => {
  const story = new TimelineStory();
  await story.appendFact(story.debit());
  await story.appendFact(story.verdict());
  const id = `${storyUetrHex}A`;
  const by = { ...action("s1"), confirmedBy: "sipho" };
  await story.appendFact({ name: "DeliveryStopRequested", value: { action: by, target: "DELIVERY", messageIdentification: id } });
  const timeline = await timefindLine(story);
  expect(findLine(timeline, "DeliveryStopRequested")).toContain(`${id} delivery, by thandi: because of s1, confirmed by sipho; applied`);
  expect(timeline.messages.at(-1)).toMatchObject({ messageIdentification: id, stoppedByOffset: null, redrivenByOffsets: [] });
  const stop = { operator: "thandi", confirmedBy: "sipho" };
  const message = timeline.messages.at(-1)!;
  const waiting = { isTried: false, stoppedBy: stop, nextAttemptAtMs: null, attempts: 3, recentAttempts: [], earlier: null };
  expect(formatTimeline({ ...timeline, messages: [{ ...message, waiting }] })).toContain(
    "stopped by thandi, confirmed by sipho, waits for a redrive, 3 attempts",
  );
});

test("a decision that a second person has confirmed names both persons [D9 second-person]", async () => {
  const story = new TimelineStory();
  await held(story);
  await story.appendFact({ name: "WithdrawalRequested", value: { action: { ...action("w1"), confirmedBy: "sipho" } } });
  expect(findLine(await timefindLine(story), "WithdrawalRequested")).toContain("by thandi: because of w1, confirmed by sipho; applied");
});
