// What people decided, as a timeline shows it: one line each, with who and why.

import type { Decoded, Records } from "@sluice/contracts";
import { topics } from "@sluice/contracts";
import { bankKey } from "@sluice/domain";
import type { BankStanding } from "@sluice/domain";
import { expect, test } from "vitest";
import { formatTimeline } from "./format-timeline.ts";
import { bank, hex, Story, uetr } from "./given.ts";
import { readTimeline } from "./read-timeline.ts";
import type { Timeline } from "./timeline.ts";

const day = "ZA_EFT:2026-11-20";
const next = "2026-11-23";
const markerBase = { scheme: "ZA_EFT", businessDate: "2026-11-20" };

function action(id: string, operator = "thandi", reason = `because of ${id}`): Records["WithdrawalRequested"]["action"] {
  return { id, operator, reason, requestedAtMs: 1 };
}

function withdrawal(id: string): Decoded<"WithdrawalRequested"> {
  return { name: "WithdrawalRequested", value: { action: action(id) } };
}

function redrive(messageIdentification: string): Decoded<"RedriveRequested"> {
  return { name: "RedriveRequested", value: { action: action("r1"), target: "DELIVERY", messageIdentification } };
}

async function timelineOf(story: Story): Promise<Timeline> {
  const timeline = await story.done(readTimeline(uetr, story.ports));
  if (timeline === null) throw new Error("no timeline");
  return timeline;
}

async function held(story: Story, rollsMax = 0): Promise<void> {
  await story.happens(story.debit());
  await story.happens(story.verdict(rollsMax));
  await story.happens(story.ended("A"));
}

/** The line that starts with its name, blanks made one. */
function lineOf(timeline: Timeline, name: string): string {
  const line = formatTimeline(timeline)
    .split("\n")
    .find((one) => one.includes(name));
  return (line ?? "").replaceAll(/ {2,}/g, " ");
}

test("a withdrawal says who, why and what came of it, and so does one that came too late", async () => {
  const story = new Story();
  await held(story);
  await story.happens(withdrawal("w1"));
  await story.happens(withdrawal("w2"));
  const timeline = await timelineOf(story);
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

test("a debit that goes over says to which date, and by which marker", async () => {
  const story = new Story();
  await held(story, 1);
  const closed = { ...markerBase, id: `${day}:WindowClosed:1`, number: 1, isLast: true, nextBusinessDate: next };
  const { offset } = await story.passes({ kind: "WindowClosed", ...closed });
  await story.happens({ name: "DayClosed", value: { day } });
  const timeline = await timelineOf(story);
  expect(timeline).toMatchObject({ state: "HELD", businessDate: next, closesWith: `ZA_EFT:${next}` });
  expect(lineOf(timeline, "goes over")).toContain(`HELD ACME-1 goes over to ${next}; by marker ${offset}`);
});

test("a redriven delivery is not a stopped one, and its line says by what it was redriven", async () => {
  const story = new Story();
  await story.happens(story.debit());
  await story.happens(story.verdict());
  await story.happens(story.refused("A"));
  await story.happens(redrive(`${hex}A`));
  const timeline = await timelineOf(story);
  const offset = timeline.decisions[0]?.offset ?? "";
  expect(timeline.messages.at(-1)).toMatchObject({ messageIdentification: `${hex}A`, stoppedByOffset: null, redrivenByOffsets: [offset] });
  expect(lineOf(timeline, "RedriveRequested")).toContain(`${hex}A delivery, by thandi: because of r1; applied`);
  expect(lineOf(timeline, "redriven by")).toContain(`not ended; redriven by ${offset}`);
});

test("an item says what people found: proposed, then confirmed by another", async () => {
  const story = new Story();
  await held(story);
  await story.passes({ kind: "DayReconciled", ...markerBase, id: `${day}:DayReconciled:1`, number: 1 });
  const asked = { action: action("i1"), day, resolution: "NOT_MADE", replacedBy: null, needsSecondPerson: true } as const;
  await story.happens({ name: "ItemResolutionRequested", value: asked });
  expect(lineOf(await timelineOf(story), "proposed")).toContain("row 0 HELD WINDOW_MISSED proposed: not-made, by thandi: because of i1");
  await story.happens({ name: "ItemResolutionConfirmed", value: { action: action("c1", "sipho"), confirms: "i1" } });
  const timeline = await timelineOf(story);
  expect(timeline.items).toMatchObject([{ resolution: { kind: "not-made", operator: "thandi", isFinal: true, confirmedBy: "sipho" } }]);
  expect(lineOf(timeline, "row 0")).toContain("not-made, by thandi: because of i1, confirmed by sipho");
  expect(lineOf(timeline, "ItemResolutionRequested")).toContain(`NOT_MADE on ${day}, to be confirmed, by thandi: because of i1; applied`);
  expect(lineOf(timeline, "ItemResolutionConfirmed")).toContain("of i1, by sipho: because of c1; applied");
});

test("pauses of its bank while it was under way are shown with who and why, once, and none after its end", async () => {
  const story = new Story();
  await story.pauses("BankPaused", 1, "before it came");
  await held(story);
  await story.pauses("BankPaused", 2, "maintenance", 1_795_000_000_000);
  await story.pauses("BankPaused", 2, "maintenance", 1_795_000_000_000);
  await story.pauses("BankResumed", 1, "done");
  const told = {
    offset: 4n,
    atMs: 1,
    marker: { kind: "BankPaused", id: "x", bank, number: 2, reason: "maintenance", untilMs: null },
  } as const;
  const decided = { offset: 4n, atMs: 1, kind: "BankPauseRequested", action: action("p1"), result: "applied", why: null } as const;
  const standing: BankStanding = {
    bank,
    version: 1,
    applied: 9n,
    isPaused: false,
    untilMs: null,
    since: null,
    pauses: 2,
    resumes: 1,
    told: [told],
    decisions: [decided],
  };
  await story.done(story.store.banks.write(standing, 0));
  await story.append(topics.journal, { name: "BankPauseRequested", value: { action: action("p9"), bank, untilMs: null } }, bankKey(bank));
  await story.happens(withdrawal("w1"));
  await story.pauses("BankPaused", 3, "after its end");
  const timeline = await timelineOf(story);
  expect(timeline.pauses.map(({ name, operator, reason }) => [name, operator, reason])).toEqual([
    ["BankPaused", "thandi", "maintenance"],
    ["BankResumed", null, "done"],
  ]);
  expect(lineOf(timeline, "BankPaused")).toContain(`BankPaused ${bank}, to 2026-11-18 11:06:40.000, by thandi: maintenance`);
  expect(lineOf(timeline, "BankResumed")).toContain(`BankResumed ${bank}: done`);
  expect(timeline.facts.map(({ name }) => name)).not.toContain("BankPauseRequested");
  expect(JSON.parse(JSON.stringify(timeline))).toEqual(timeline);
});
