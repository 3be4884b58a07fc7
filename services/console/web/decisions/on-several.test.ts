// Pages of decisions about several, without a browser.

import { expect, test } from "vitest";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import { buildItem, buildStoredTransaction, consoleUetrAt, day, saveTransactions } from "../../queries/stored-data.fixture.ts";
import { openReader, readHidden, type Shown } from "../browser.fixture.ts";

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;
const about = { applied: -1n, reconciliationDay: day, bank: "first" } as const;

async function openSignedIn(state: "HELD" | "RECONCILIATION") {
  const environment = await openDecisionEnvironment({ ...nobody, resolutionNeedsSecondPerson: true });
  const items = state === "HELD" ? [] : [buildItem({ row: 0, state: "HELD" })];
  await saveTransactions(
    environment,
    [0, 1].map((index) => buildStoredTransaction(state, index, { ...about, items })),
  );
  const reader = openReader(environment);
  await reader.signIn();
  return { environment, reader };
}

/** The values of the boxes, all of which are checked. */
function readBoxes({ text }: Shown): readonly string[] {
  return [...text.matchAll(/<input\s+type="checkbox"\s+name="of"\s+value="([^"]*)"[^>]*checked/g)].map(([, value = ""]) => value);
}

/** The fields of a form by name; a browser sends the boxes one by one under one name. */
function formText(page: Shown, of: readonly string[], more: Readonly<Record<string, string>>): string {
  const fields = new URLSearchParams({ ...readHidden(page.text), ...more });
  for (const value of of) fields.append("of", value);
  return fields.toString();
}

/** Sends the form and follows to the page of the outcomes; a form that is refused is its own answer. */
async function sendForm(reader: ReturnType<typeof openReader>, path: string, body: string): Promise<Shown> {
  const answer = await reader.ask(path, { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body });
  outcomesPath = answer.headers.get("location") ?? "";
  return answer.status === 303 ? await reader.ask(outcomesPath) : answer;
}

/** Where the last form led to. */
let outcomesPath = "";

test("all debits that a search finds are withdrawn from its page, without those that a person leaves out [D9 several]", async () => {
  const { environment, reader } = await openSignedIn("HELD");
  expect((await reader.ask("/search?state=HELD")).text).toContain("/decide/withdrawDebits?state=HELD");
  const path = "/decide/withdrawDebits?state=HELD";
  const page = await reader.ask(path);
  expect(page.text).toContain("2 debits");
  expect(readBoxes(page)).toEqual([consoleUetrAt(0), consoleUetrAt(1)]);
  const answer = await sendForm(reader, path, formText(page, [consoleUetrAt(1)], { reason: "the wrong file" }));
  expect([answer.status, answer.text.includes("Outcome of each")]).toEqual([200, true]);
  expect(environment.journal().map(({ key, decoded }) => [key, decoded.name])).toEqual([[consoleUetrAt(1), "WithdrawalRequested"]]);
  expect(answer.text).toContain("1 of 1 waits for its turn");
  for (const record of environment.journal()) await environment.judge(record);
  const later = await reader.ask(outcomesPath);
  expect([later.text.includes("1 of 1 applied"), later.text.includes("waits for its turn")]).toEqual([true, false]);
  expect((await reader.ask("/outcomes/unknown")).status).toBe(404);
});

test("a form in which nothing is chosen decides nothing and says so", async () => {
  const { environment, reader } = await openSignedIn("HELD");
  const path = "/decide/withdrawDebits?state=HELD";
  const answer = await sendForm(reader, path, formText(await reader.ask(path), [], { reason: "r" }));
  expect([answer.status, answer.text.includes("Choose at least one."), environment.journal()]).toEqual([422, true, []]);
});

test("open items are resolved together, and confirmed together by another person [D9 several]", async () => {
  const { environment, reader } = await openSignedIn("RECONCILIATION");
  expect((await reader.ask("/reconciliation")).text).toContain("Resolve several");
  const path = `/decide/resolveItems?day=${day}`;
  const page = await reader.ask(path);
  const resolved = await sendForm(reader, path, formText(page, readBoxes(page), { reason: "seen", resolution: "MADE" }));
  expect([resolved.status, resolved.text.includes("2 of 2 waits")]).toEqual([200, true]);
  for (const record of environment.journal()) await environment.judge(record);
  expect((await reader.ask(`/decide/confirmResolutions?day=${day}`)).status).toBe(409);
  const second = openReader(environment);
  await second.signIn("second-person");
  expect((await second.ask("/reconciliation")).text).toContain("Confirm several");
  const confirmPath = `/decide/confirmResolutions?day=${day}`;
  const shown = await second.ask(confirmPath);
  // The second person sees what was found out about each, who proposed it, and why.
  expect(shown.text.match(/<td class="">made: the money moved<\/td>/g)).toHaveLength(2);
  expect(shown.text.match(/operator: <q>seen<\/q>/g)).toHaveLength(2);
  const confirmed = await sendForm(second, confirmPath, formText(shown, readBoxes(shown), { reason: "seen too" }));
  expect([confirmed.status, confirmed.text.includes("2 of 2 waits")]).toEqual([200, true]);
});

test("proposed resolutions are rejected together by another person, and can be resolved again [D9 several]", async () => {
  const { environment, reader } = await openSignedIn("RECONCILIATION");
  const path = `/decide/resolveItems?day=${day}`;
  const page = await reader.ask(path);
  await sendForm(reader, path, formText(page, readBoxes(page), { reason: "seen", resolution: "MADE" }));
  for (const record of environment.journal()) await environment.judge(record);
  const judged = environment.journal().length;
  const second = openReader(environment);
  await second.signIn("second-person");
  expect((await second.ask("/reconciliation")).text).toContain("Reject several");
  const rejectPath = `/decide/rejectResolutions?day=${day}`;
  const shown = await second.ask(rejectPath);
  expect(shown.text.match(/operator: <q>seen<\/q>/g)).toHaveLength(2);
  const rejected = await sendForm(second, rejectPath, formText(shown, readBoxes(shown), { reason: "of another day" }));
  expect([rejected.status, rejected.text.includes("2 of 2 waits")]).toEqual([200, true]);
  for (const record of environment.journal().slice(judged)) await environment.judge(record);
  expect((await reader.ask("/reconciliation")).text).toContain("Resolve several");
  expect((await second.ask(rejectPath)).status).toBe(409);
});

test("everything is paused and resumed from the page of banks, in two clicks [D9 several]", async () => {
  const { environment, reader } = await openSignedIn("HELD");
  expect((await reader.ask("/banks")).text).toContain("/decide/pauseBanks");
  const page = await reader.ask("/decide/pauseBanks");
  expect(readBoxes(page)).toEqual(["clearing", "first", "second"]);
  const paused = await sendForm(reader, "/decide/pauseBanks", formText(page, readBoxes(page), { reason: "network", minutes: "30" }));
  expect([paused.status, paused.text.includes("3 of 3 waits")]).toEqual([200, true]);
  for (const record of environment.journal()) await environment.judge(record);
  expect((await reader.ask("/banks")).text).toContain("/decide/resumeBanks");
  const resume = await reader.ask("/decide/resumeBanks");
  expect(readBoxes(resume)).toEqual(["clearing", "first", "second"]);
  expect((await sendForm(reader, "/decide/resumeBanks", formText(resume, readBoxes(resume), { reason: "back" }))).status).toBe(200);
});
