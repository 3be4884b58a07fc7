// The page of reconciliation, and what it offers about an item, without a browser.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { consoleStartAtMs } from "../../console.fixture.ts";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import { buildItem, buildStoredTransaction, consoleUetrAt, day, saveTransactions } from "../../queries/stored-data.fixture.ts";
import { openReader } from "../browser.fixture.ts";

const hour = 3_600_000;

async function openSignedIn() {
  const environment = await openDecisionEnvironment({ resolutionNeedsSecondPerson: true });
  const items = [consoleStartAtMs - 5 * hour, consoleStartAtMs - hour].map((madeAtMs) => buildItem({ row: 0, state: "HELD", madeAtMs }));
  await saveTransactions(
    environment,
    items.map((item, index) => buildStoredTransaction("RECONCILIATION", index, { applied: -1n, reconciliationDay: day, items: [item] })),
  );
  const reader = openReader(environment);
  await reader.signIn();
  return { environment, reader };
}

test("the page filters by the least age, names the same in its command, and keeps it for decisions about several", async () => {
  const { reader } = await openSignedIn();
  expect((await reader.ask("/reconciliation")).text).toContain("2 items");
  const { text } = await reader.ask("/reconciliation?minAge=4h&proposed=");
  expect(text).toContain("1 item");
  expect(text).toContain(`href="/transactions/${consoleUetrAt(0)}"`);
  expect(text).toContain("./sluice reconciliation list --min-age 4h --open true");
  expect(text).toContain("/decide/resolveItems?minAge=4h");
  expect((await reader.ask("/decide/resolveItems?minAge=4h")).text).toContain("<dd>1 item</dd>");
});

test("the evidence of an item is downloaded from its transaction's page", async () => {
  const { reader } = await openSignedIn();
  const address = `/files/evidence?uetr=${consoleUetrAt(0)}&day=${encodeURIComponent(day)}`;
  expect((await reader.ask(`/transactions/${consoleUetrAt(0)}`)).text).toContain(address.replaceAll("&", "&amp;"));
  const file = await reader.ask(address);
  expect(file.headers.get("content-disposition")).toContain("evidence.json");
  expect(controlAnswers.exportItemEvidence.parse(JSON.parse(file.text)).content.item.uetr).toBe(consoleUetrAt(0));
  expect((await reader.ask("/files/evidence?uetr=unknown&day=x")).status).toBe(422);
});

test("a note with who sees to an item is kept at it, in one step, where a resolution needs two persons", async () => {
  const { environment, reader } = await openSignedIn();
  const path = `/decide/noteItem?uetr=${consoleUetrAt(0)}&day=${day}`;
  expect((await reader.ask(`/transactions/${consoleUetrAt(0)}`)).text).toContain("/decide/noteItem?");
  const strange = await reader.decide(path, { reason: "the bank answers on Monday", assignee: "stranger" });
  expect([strange.status, strange.text.includes("/assignee: the id of an operator of Sluice")]).toEqual([422, true]);
  expect((await reader.decide(path, { reason: "the bank answers on Monday", assignee: "second-person" })).status).toBe(303);
  const [record] = environment.journal();
  expect(record?.decoded).toMatchObject({ name: "ItemNoteRequested", value: { day, assignee: "second-person" } });
  if (record !== undefined) await environment.judge(record);
  const shown = (await reader.ask(`/transactions/${consoleUetrAt(0)}`)).text;
  expect(shown).toMatch(/Sees to it<\/dt>\s*<dd>second-person/);
  expect(shown).toContain("<q>the bank answers on Monday</q>");
  expect((await reader.ask("/reconciliation")).text).toContain(">second-person</td>");
  expect((await reader.ask(path)).text).toContain('value="second-person"');
});
