// Tests of what an operator of some schemes sees of the overview, its stream, the first page and the pages that are
// about every scheme.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { secondPersonActions } from "@sluice/domain";
import { expect, test } from "vitest";
import { asOwn, canaries, canariesOfOwn, foreign, nobody, openWithBoth, own, reason } from "./both-schemes.fixture.ts";
import { consoleStartAtMs, readJsonObject } from "../console.fixture.ts";
import {
  buildItem,
  buildOperatorAction,
  buildParkedMessage,
  buildStoredTransaction,
  saveTransactions,
} from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";

type Parked = Parameters<typeof buildParkedMessage>[2];

async function openWithWaiting() {
  const environment = await openWithBoth({ ...nobody, actions: secondPersonActions });
  const parked = (id: string, sequence: bigint, reconciliationDay: string | null, over: Parked = {}) =>
    buildParkedMessage(id, sequence, { receiverId: "first", reconciliationDay, ...over });
  const { store, settled } = environment;
  await settled(
    store.deliveries.insert([
      parked("m-1", 1n, "ZA_EFT:2026-11-20"),
      parked("m-2", 2n, "ZA_RTC:2026-11-20"),
      parked("m-3", 3n, "ZA_RTC:2026-11-20", { receiverId: "second", ended: "refused" }),
      parked("m-4", 4n, null),
    ]),
  );
  const quarantined = { sinceMs: consoleStartAtMs, offset: 7n, records: 1 };
  const ofRtc = { scheme: "ZA_RTC", reconciliationDay: "ZA_RTC:2026-11-20" } as const;
  await saveTransactions(environment, [
    buildStoredTransaction("RECEIVED", 5, { quarantined }),
    buildStoredTransaction("RECEIVED", 6, { ...ofRtc, quarantined }),
    buildStoredTransaction("RECEIVED", 7, { ...ofRtc, quarantined }),
    buildStoredTransaction("DELIVERED", 8, { items: [buildProposedItem("thandi")] }),
    buildStoredTransaction("DELIVERED", 9, { ...ofRtc, items: [buildProposedItem("sipho"), buildProposedItem("zanele")] }),
  ]);
  const pause = {
    untilMs: null,
    since: { action: buildOperatorAction(), atMs: consoleStartAtMs },
    markers: [],
    usedActions: [],
    decisions: [],
  };
  await settled(store.banks.write({ bank: "second", version: 1, applied: 0n, isPaused: true, pauses: 1, resumes: 0, ...pause }, 0));
  await environment.control(`/transactions/${own}/withdrawal`, { body: { reason }, actionId: "p-1" });
  for (const actionId of ["p-2", "p-3"]) await environment.control(`/transactions/${foreign}/withdrawal`, { body: { reason }, actionId });
  await environment.time.advance(61_000);
  return environment;
}

function buildProposedItem(person: string) {
  const action = buildOperatorAction({ id: `of-${person}`, person });
  const resolution = {
    kind: "made",
    replacedBy: null,
    isFinal: false,
    action,
    atMs: consoleStartAtMs,
    offset: 1n,
    expiresAtMs: null,
    confirmed: null,
  } as const;
  return buildItem({ resolution });
}

async function readOverview(environment: Awaited<ReturnType<typeof openWithBoth>>, operator: string) {
  const body = await readJsonObject(await environment.control("/overview", { operator }));
  const { days, held, undelivered, openItems, proposedItems, quarantined, proposals, deadLetters } =
    controlAnswers.showOverview.parse(body);
  return {
    days: days.map(({ day, states }) => [day, states.map(({ state, count }) => `${count} ${state}`)]),
    held: held.map(({ day, count, sum }) => [day, count, sum]),
    waiting: [undelivered.waiting, undelivered.refused, undelivered.receivers.map(({ bank, waiting }) => [bank, waiting])],
    items: [openItems.map(({ count }) => count), proposedItems.map(({ person, count }) => `${person} ${count}`)],
    quarantined,
    proposals,
    deadLetters,
  };
}

test("the overview of an operator of some schemes counts these alone, and the parts are the whole [D10.133]", async () => {
  const environment = await openWithWaiting();
  const ofEft = {
    days: [["ZA_EFT:2026-11-20", ["1 DELIVERED", "1 HELD", "1 RECEIVED"]]],
    held: [["ZA_EFT:2026-11-20", 1, "1250.50"]],
    waiting: [1, 0, [["first", 1]]],
    items: [[2], ["thandi 1"]],
    quarantined: 1,
    proposals: 1,
    deadLetters: null,
  };
  const ofRtc = {
    days: [["ZA_RTC:2026-11-20", ["1 DELIVERED", "1 HELD", "2 RECEIVED"]]],
    held: [["ZA_RTC:2026-11-20", 1, "77777.70"]],
    // prettier-ignore
    waiting: [1, 1, [["first", 1], ["second", 0]]],
    items: [[2], ["sipho 1", "zanele 1"]],
    quarantined: 2,
    proposals: 2,
    deadLetters: null,
  };
  // All ask within the time of one overview.
  const [eft, rtc, all] = await Promise.all(["of-eft", "of-rtc", "operator"].map((operator) => readOverview(environment, operator)));
  expect([eft, rtc]).toEqual([ofEft, ofRtc]);
  expect(all).toEqual({
    days: [...ofEft.days, ...ofRtc.days],
    held: [...ofEft.held, ...ofRtc.held],
    // It has one message more: that of no day.
    // prettier-ignore
    waiting: [3, 1, [["first", 3], ["second", 0]]],
    items: [[4], ["sipho 1", "thandi 1", "zanele 1"]],
    quarantined: 3,
    proposals: 3,
    deadLetters: "0",
  });
});

test("a thousand resolved items of another scheme do not push out those of the own one [D10.133]", async () => {
  const environment = await openWithBoth();
  const foreignOnes = Array.from({ length: 1_000 }, (_, index) =>
    buildStoredTransaction("DELIVERED", 10 + index, { scheme: "ZA_RTC", items: [buildProposedItem("sipho")] }),
  );
  const last = buildStoredTransaction("DELIVERED", 5_000, { items: [buildProposedItem("thandi")] });
  await saveTransactions(environment, foreignOnes);
  await saveTransactions(environment, [last]);
  await environment.time.advance(61_000);
  expect((await readOverview(environment, "of-eft")).items[1]).toEqual(["thandi 1"]);
  expect((await readOverview(environment, "of-rtc")).items[1]).toEqual(["sipho 1000"]);
});

test("however many sets of schemes ask, the store is asked once: only for proposals it is asked again [D10.133]", async () => {
  const environment = await openWithWaiting();
  const ask = async (...operators: readonly string[]) => {
    await environment.time.advance(1_100);
    environment.environment.storeCalls = [];
    await Promise.all(operators.map((operator) => readOverview(environment, operator)));
    return environment.environment.storeCalls.filter((call) => call !== "transactions.load").toSorted();
  };
  const ofOne = await ask("operator");
  expect(ofOne).toContain("partitions.list");
  expect(await ask("of-eft", "of-rtc", "operator")).toEqual(ofOne);
});

test.each([
  ["of-eft", [...canaries, "sipho", "zanele"]],
  ["of-rtc", [...canariesOfOwn, "thandi"]],
])("the stream and the first page have nothing of another scheme: %s [D10.133]", async (operator, others) => {
  const environment = await openWithWaiting();
  const answer = await environment.control("/stream", { operator });
  const events = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value: said = "" } = (await environment.settled(events?.read() ?? Promise.reject(new Error("there is no body")))) ?? {};
  await events?.cancel();
  const reader = openReader(environment);
  await reader.signIn(operator);
  const { status, text } = await reader.ask("/");
  expect([answer.status, status, said.includes("event: overview"), text.includes('id="left-out"')]).toEqual([200, 200, true, true]);
  expect(others.filter((canary) => said.includes(canary) || text.includes(canary))).toEqual([]);
  expect(text).toContain(`These are the numbers of ${operator === "of-eft" ? "ZA_EFT" : "ZA_RTC"}`);
  // A pause concerns every scheme.
  expect(text).toContain("second is paused until somebody resumes it, by operator");
  expect(text).not.toMatch(/href="\/(banks|system|dead-letters)/);
});

test.each([
  ["/banks", "one queue, one pace and one pause"],
  ["/banks/first", "one queue, one pace and one pause"],
  ["/dead-letters", "does not say which scheme"],
  ["/system", "records of every scheme"],
])("the page %s says why an operator of some schemes does not have it", async (path, why) => {
  const environment = await openWithBoth();
  const reader = openReader(environment);
  await reader.signIn("of-eft");
  const { status, text } = await reader.ask(path);
  expect([status, text]).toEqual([403, expect.stringContaining(why)]);
});

test("topics and their schemas are no scheme's: an operator of some has what an operator of all has", async () => {
  const environment = await openWithBoth();
  for (const path of ["/topics", "/topics/sluice.journal.v1"]) {
    const [ofSome, ofAll] = [await environment.control(path, asOwn), await environment.control(path)];
    expect([path, ofSome.status, await readJsonObject(ofSome)]).toEqual([path, 200, await readJsonObject(ofAll)]);
  }
});
