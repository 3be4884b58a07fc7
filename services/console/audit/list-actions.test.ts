// What operators decided, over all transactions, days, banks and proposals; and how many transactions match a search.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { consoleUetr, day, openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildStoredTransaction, readControlAnswer, saveTransactions } from "../queries/stored-data.fixture.ts";

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

async function listActions(environment: Environment, query = "") {
  return controlAnswers.listActions.parse(await readControlAnswer(environment, `/actions${query}`));
}

async function openDecided() {
  const environment = await openDecisionEnvironment({ secondPerson: { actions: ["extend"], proposalLifetimeMs: 3_600_000 } });
  await environment.saveDay(planOpenDay());
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  const reason = "asked by telephone";
  await environment.control("/banks/first/pause", { body: { reason }, actionId: "p-1" });
  await environment.time.advance(60_000);
  await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body: { reason }, actionId: "w-1" });
  await environment.time.advance(60_000);
  await environment.control("/days/ZA_EFT/2026-11-20/credits-final", { body: { reason }, actionId: "c-1" });
  for (const record of environment.journal()) await environment.judge(record);
  await environment.time.advance(60_000);
  const extension = { reason, window: 1, closesAt: "2026-11-20T16:30:00+02:00" };
  await environment.control("/days/ZA_EFT/2026-11-20/close-extension", { body: extension, actionId: "e-1" });
  return environment;
}

test("every decision is listed with who, what, when and why, the newest first: transactions, days, banks, proposals", async () => {
  const environment = await openDecided();
  const { rows, isWhole } = await listActions(environment);
  expect(rows.map(({ id, key, kind, operator, result }) => [id, key, kind, operator, result])).toEqual([
    ["e-1", "proposal:e-1", "proposed extendClose", "operator", "proposed"],
    ["c-1", day, "CreditsFinalRequested", "operator", "applied"],
    ["w-1", consoleUetr, "WithdrawalRequested", "operator", "applied"],
    ["p-1", "bank:first", "BankPauseRequested", "operator", "applied"],
  ]);
  expect([isWhole, rows[0]?.reason]).toEqual([true, "asked by telephone"]);
});

test("decisions are found by operator, kind and time", async () => {
  const environment = await openDecided();
  const kinds = async (query: string) => (await listActions(environment, query)).rows.map(({ id }) => id);
  expect(await kinds("?operator=operator&kind=WithdrawalRequested")).toEqual(["w-1"]);
  expect(await kinds("?operator=nobody")).toEqual([]);
  expect(await kinds("?from=2026-11-20T06:00:30Z&to=2026-11-20T06:02:30Z")).toEqual(["c-1", "w-1"]);
  for (const query of ["from=yesterday", "to=2026-11-20", "kind=a%20b"])
    expect([query, (await environment.control(`/actions?${query}`)).status]).toEqual([query, 400]);
});

test("what a search finds is counted by state and bank, with the sum of each", async () => {
  const environment = await openDecisionEnvironment();
  await saveTransactions(
    environment,
    [1, 2, 3].map((index) => buildStoredTransaction(index === 3 ? "UNPAID" : "HELD", index)),
  );
  const body = controlAnswers.countTransactions.parse(await readControlAnswer(environment, "/transactions/counts?bank=first"));
  expect([body.count, body.rows]).toEqual([
    3,
    [
      { state: "HELD", bank: "first", count: 2, currency: "ZAR", sum: "2501.00" },
      { state: "UNPAID", bank: "first", count: 1, currency: "ZAR", sum: "1250.50" },
    ],
  ]);
  expect(await readControlAnswer(environment, "/transactions/counts?amountFrom=1250.51")).toMatchObject({ count: 0 });
  expect(await readControlAnswer(environment, "/transactions/counts?amountFrom=1250.50&amountTo=1250.50")).toMatchObject({ count: 3 });
});
