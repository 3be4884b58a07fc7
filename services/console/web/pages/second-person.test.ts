// What pages say of a decision that a second person has still to confirm, without a browser.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import {
  buildItem,
  buildStoredTransaction,
  consoleUetrAt,
  day,
  readControlAnswer,
  saveTransactions,
} from "../../queries/stored-data.fixture.ts";
import { openReader, readHidden } from "../browser.fixture.ts";

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 }, resolutionNeedsSecondPerson: true } as const;
const about = { applied: -1n, reconciliationDay: day, bank: "first", items: [buildItem({ row: 0, state: "HELD" })] } as const;

/** Two items, both resolved by the operator in one decision; `outcomes` is where that decision led to. */
async function openResolved() {
  const environment = await openDecisionEnvironment(nobody);
  await saveTransactions(
    environment,
    [0, 1].map((index) => buildStoredTransaction("RECONCILIATION", index, about)),
  );
  const reader = openReader(environment);
  await reader.signIn();
  const path = `/decide/resolveItems?day=${day}`;
  const fields = new URLSearchParams({ ...readHidden((await reader.ask(path)).text), reason: "seen", resolution: "MADE" });
  for (const index of [0, 1]) fields.append("of", `${consoleUetrAt(index)} ${day}`);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await reader.ask(path, { method: "POST", headers, body: fields.toString() });
  for (const record of environment.journal()) await environment.judge(record);
  // What is counted over all transactions rests for a moment.
  await environment.time.advance(60_000);
  return { environment, reader, outcomes: answer.headers.get("location") ?? "" };
}

test("a resolution that a second person has still to confirm is not shown as done [D9 several]", async () => {
  const { environment, reader, outcomes } = await openResolved();
  const { text } = await reader.ask(outcomes);
  expect([text.includes("2 of 2 waits for a second person"), text.includes("applied")]).toEqual([true, false]);
  const { rows } = controlAnswers.listActions.parse(await readControlAnswer(environment, "/actions"));
  expect(rows.map(({ result, awaitsConfirmation }) => [result, awaitsConfirmation])).toEqual([
    ["applied", true],
    ["applied", true],
  ]);
  const [, one = ""] = /(\/decided\/[^"]*)"/.exec(text) ?? [];
  expect((await reader.ask(one.replaceAll("&amp;", "&"))).text).toContain("waits for a second person");
  expect((await reader.ask("/audit")).text).toContain("waits for a second person");
});

test("the one who resolved items sees on the first page, in proposals and in the list that they wait for somebody", async () => {
  const { reader } = await openResolved();
  const now = await reader.ask("/");
  expect(now.text).toContain("2 resolved items waiting for a second person");
  const proposals = await reader.ask("/proposals");
  expect([proposals.text.includes("2 resolved items"), proposals.text.includes("No decision waits")]).toEqual([true, false]);
  expect((await reader.ask("/reconciliation")).text).toContain("2 on this page wait for a second person");
});

test("after the confirmation nothing waits, and the outcome of the resolution is applied", async () => {
  const { environment, reader, outcomes } = await openResolved();
  const second = openReader(environment);
  await second.signIn("second-person");
  for (const index of [0, 1])
    await second.decide(`/decide/confirmResolution?uetr=${consoleUetrAt(index)}&day=${day}`, { reason: "seen too" });
  for (const record of environment.journal()) await environment.judge(record);
  await environment.time.advance(60_000);
  expect((await reader.ask(outcomes)).text).toContain("2 of 2 applied");
  const proposals = await reader.ask("/proposals");
  expect([proposals.text.includes("resolved item"), proposals.text.includes("No decision waits")]).toEqual([false, true]);
});

test("a resolution that nobody confirmed in time waits for nobody, and the item can be resolved again [D9 second-person]", async () => {
  const { environment, reader, outcomes } = await openResolved();
  const second = openReader(environment);
  await second.signIn("second-person");
  expect((await second.ask(`/transactions/${consoleUetrAt(0)}`)).text).toContain("Can be confirmed until");
  await environment.time.advance(3_600_000);
  await second.signIn("second-person");
  await reader.signIn();
  const page = `/decide/confirmResolution?uetr=${consoleUetrAt(0)}&day=${day}`;
  const refused = await second.ask(page);
  expect([refused.status, refused.text.includes("Nobody confirmed it in time")]).toEqual([409, true]);
  const shown = await second.ask(`/transactions/${consoleUetrAt(0)}`);
  expect([shown.text.includes("Nobody confirmed it by"), shown.text.includes("/decide/confirmResolution")]).toEqual([true, false]);
  expect((await second.ask("/reconciliation?proposed=mine")).text).toContain("No item");
  expect((await reader.ask(`/decide/resolveItems?day=${day}`)).text).toContain(consoleUetrAt(1));
  expect((await reader.ask("/")).text).not.toContain("waiting for a second person");
  expect((await reader.ask(outcomes)).text).not.toContain("waits for a second person");
});

test("a second person rejects a resolution by its page, and the item and its transaction say who and why [D9 rejection]", async () => {
  const { environment, reader } = await openResolved();
  const second = openReader(environment);
  await second.signIn("second-person");
  expect((await second.ask("/reconciliation")).text).toContain(`/decide/rejectResolution?uetr=${consoleUetrAt(0)}`);
  const path = `/decide/rejectResolution?uetr=${consoleUetrAt(0)}&amp;day=${day}`.replace("&amp;", "&");
  const page = await second.ask(path);
  for (const words of ["Reject a resolution", "The item is open again", "./sluice reconciliation reject"])
    expect(page.text).toContain(words);
  expect((await reader.decide(path, { reason: "mine" })).status).toBe(409);
  await second.decide(path, { reason: "the statement shows it" });
  for (const record of environment.journal()) await environment.judge(record);
  await environment.time.advance(60_000);
  const { text } = await reader.ask(`/transactions/${consoleUetrAt(0)}`);
  expect([text.includes("the statement shows it"), text.includes("Resolve…")]).toEqual([true, true]);
  expect((await second.ask(path)).status).toBe(409);
  expect((await reader.ask("/audit")).text).toContain("the statement shows it");
});
