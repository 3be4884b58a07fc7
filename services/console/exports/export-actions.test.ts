// What operators decided, as a file: by the API and from the page of the audit.

import { expect, test } from "vitest";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { consoleUetr, openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";

async function openDecided() {
  const environment = await openDecisionEnvironment({ secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } });
  await environment.saveDay(planOpenDay());
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  await environment.control("/banks/first/pause", { body: { reason: "=1+1, said 0123456789" }, actionId: "p-1" });
  await environment.time.advance(60_000);
  await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body: { reason: "asked" }, actionId: "w-1" });
  for (const record of environment.journal()) await environment.judge(record);
  return environment;
}

test("the audit as CSV has a row for each decision, the newest first, computes nothing and names no account", async () => {
  const environment = await openDecided();
  const answer = await environment.control("/actions/export");
  const [head, ...lines] = (await answer.text()).trimEnd().split("\r\n");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/csv")]);
  expect(head).toBe("at,operator,person,confirmedBy,kind,key,result,why,awaitsConfirmation,reason,requestedAt,id,offset");
  expect(lines.map((line) => /(WithdrawalRequested|BankPauseRequested)/.exec(line)?.[1])).toEqual([
    "WithdrawalRequested",
    "BankPauseRequested",
  ]);
  expect([lines[1]?.includes("'=1+1"), lines[1]?.includes("0123456789")]).toEqual([true, false]);
});

test("the audit as JSON takes the same filters, and another format is refused", async () => {
  const environment = await openDecided();
  const body: unknown = await (await environment.control("/actions/export?format=json&kind=BankPauseRequested")).json();
  expect(controlAnswers.exportActions.parse(body).rows.map(({ id }) => id)).toEqual(["p-1"]);
  expect((await environment.control("/actions/export?format=xml")).status).toBe(400);
  expect((await environment.control("/actions/export?kind=a%20b")).status).toBe(400);
});

test("the page of the audit offers the file with the terms that it shows", async () => {
  const environment = await openDecided();
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/audit?operator=operator&kind=BankPauseRequested");
  const [, href = ""] = /href="(\/files\/audit[^"]*)"/.exec(text) ?? [];
  const file = await reader.ask(href.replaceAll("&amp;", "&"));
  expect([file.status, file.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="audit.csv"']);
  expect([file.text.includes("BankPauseRequested"), file.text.includes("WithdrawalRequested")]).toEqual([true, false]);
});
