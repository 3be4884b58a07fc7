// Tests of showBank, listRefused and redriveBank.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { consoleStartAtMs, readJsonObject, type ConsoleEnvironment } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { sampleConnector } from "@sluice/testkit";
import { openReader } from "../web/browser.fixture.ts";
import {
  applyDayFacts,
  buildItem,
  buildStoredCredit,
  creditsDeclared,
  markDeclarationApplied,
  partitionAnswered,
  saveDay,
  twoWindowPlan,
  uetrInPartition,
  buildParkedMessage,
  buildStoredTransaction,
  day,
  readControlAnswer,
  saveTransactions,
} from "../queries/stored-data.fixture.ts";

const evidence = {
  attempts: 1,
  anyAnswer: true,
  mayHaveBeenTaken: false,
  httpStatusCode: 422,
  isBreakerOpen: false,
  isReceiverPaused: false,
};
const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;

/** Saves debits whose reports the bank refused, and the refused reports, each with this code. */
async function saveRefused(environment: ConsoleEnvironment, codes: readonly number[]): Promise<readonly string[]> {
  const debits = codes.map((_, index) =>
    buildStoredTransaction("ACCEPTED", index, {
      applied: -1n,
      reconciliationDay: day,
      items: [buildItem({ row: 3, state: "ACCEPTED", evidence })],
    }),
  );
  await saveTransactions(environment, debits);
  const refused = debits.map(({ uetr }, index) => {
    const at = { atMs: consoleStartAtMs + index, answer: "no such branch", tookMs: 9, address: "https://first.example/x" };
    return buildParkedMessage(`${uetr.replaceAll("-", "")}A`, BigInt(index), {
      uetr,
      deliveryKey: uetr,
      operation: "outboundDirectDebitResponse",
      ended: "refused",
      attempts: 1,
      recentAttempts: [{ ...at, class: "refused", httpStatusCode: codes[index] ?? 422 }],
    });
  });
  await environment.settled(environment.store.deliveries.insert(refused));
  return refused.map(({ id }) => id);
}

test("one bank is shown with its addresses, what is held, what fails often and what it refused last", async () => {
  const environment = await openDecisionEnvironment();
  const ids = await saveRefused(environment, [422, 400]);
  await environment.settled(environment.store.deliveries.insert([buildParkedMessage("F", 9n, { attempts: 4 })]));
  const body = await readControlAnswer(environment, "/banks/first");
  expect(controlAnswers.showBank.safeParse(body).error?.issues).toBeUndefined();
  expect(body).toMatchObject({
    status: { bank: "first", kind: "bank", state: "active" },
    configured: { hasClientCertificate: false, isBlocked: false },
    failing: [{ messageIdentification: "F" }],
    refused: [
      { messageIdentification: ids[1], lastAnswer: { httpStatusCode: 400, answer: "no such branch" } },
      { messageIdentification: ids[0] },
    ],
    refusedCount: 2,
    isRefusedWhole: true,
  });
  expect(JSON.stringify(body)).not.toMatch(/token|secret|sha256/i);
});

test("a bank is shown with its gates on the days that are near, and its credits that are not resolved", async () => {
  const environment = await openDecisionEnvironment();
  const facts = [twoWindowPlan, creditsDeclared, partitionAnswered(0, ["first"]), partitionAnswered(1), partitionAnswered(2)];
  await saveDay(environment, applyDayFacts(facts, consoleStartAtMs - 60_000));
  await markDeclarationApplied(environment, 100n);
  const uetrs = [0, 1].map((nth) => uetrInPartition(0, nth)).toSorted();
  await saveTransactions(environment, [
    ...uetrs.map((uetr) => buildStoredCredit("CREDIT_AUTH_DELIVERED", uetr, 10n)),
    buildStoredCredit("CREDIT_AUTH_RESPONSE_ACCEPTED", uetrInPartition(0, 3), 10n),
  ]);
  const shown = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  expect(shown.gates).toMatchObject([
    { day, window: { number: 1, state: "planned" }, isOpen: false, credits: uetrs, creditsCount: 2, isMoreCredits: false },
  ]);
  expect(shown.gates[0]?.reason).toContain("2 credits unresolved");
  expect(shown.openCredits).toMatchObject([{ state: "CREDIT_AUTH_DELIVERED", count: 2 }]);
  const other = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/second"));
  expect([other.gates[0]?.isOpen, other.gates[0]?.reason, other.openCredits]).toEqual([true, null, []]);
  const reader = openReader(environment);
  await reader.signIn();
  const { text } = await reader.ask("/banks/first");
  for (const words of [
    "2 credits unresolved",
    "/decide/openGate?scheme=ZA_EFT&amp;date=2026-11-20&amp;bank=first",
    "Credits that are not resolved",
  ])
    expect(text).toContain(words);
});

test("a connector has no gate", async () => {
  const environment = await openDecisionEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan], consoleStartAtMs - 60_000));
  const id = sampleConnector().id;
  expect(await readControlAnswer(environment, `/banks/${id}`)).toMatchObject({ status: { kind: "connector" }, gates: [], openCredits: [] });
});

test("a bank that nobody knows is 404", async () => {
  const environment = await openDecisionEnvironment();
  expect((await environment.control("/banks/nobody")).status).toBe(404);
});

test("what a bank refused is listed by operation and code, with the sum of its transactions", async () => {
  const environment = await openDecisionEnvironment();
  const ids = await saveRefused(environment, [422, 400, 422]);
  const all = await readControlAnswer(environment, "/banks/first/refused");
  expect(controlAnswers.listRefused.safeParse(all).error?.issues).toBeUndefined();
  expect(all).toMatchObject({ count: 3, sums: [{ currency: "ZAR", count: 3, sum: "3751.50" }], isWhole: true });
  const some = await readControlAnswer(environment, "/banks/first/refused?httpStatusCode=422&operation=outboundDirectDebitResponse");
  expect(some).toMatchObject({ count: 2, rows: [{ messageIdentification: ids[0] }, { messageIdentification: ids[2] }] });
  expect(await readControlAnswer(environment, "/banks/first/refused?target=POSTING")).toMatchObject({ count: 0, rows: [] });
  for (const query of ["target=ALL", "httpStatusCode=9", "operation=a/b"])
    expect([query, (await environment.control(`/banks/first/refused?${query}`)).status]).toEqual([query, 400]);
});

test("what an operator stopped is not listed as refused [D3 operator-stop]", async () => {
  const environment = await openDecisionEnvironment();
  await saveRefused(environment, [422]);
  const stop = { offset: 9n, operator: "thandi", confirmedBy: null };
  const stopped = buildParkedMessage("S", 9n, { receiverId: "first", ended: "refused", attempts: 4, stop });
  await environment.settled(environment.store.deliveries.insert([stopped]));
  expect(await readControlAnswer(environment, "/banks/first/refused")).toMatchObject({ count: 1 });
  const undelivered = await readControlAnswer(environment, "/undelivered?bank=first");
  expect(JSON.stringify(undelivered)).toContain('"status":"stopped"');
});

test("several refused messages are redriven as one decision, each with its own outcome", async () => {
  const environment = await openDecisionEnvironment(nobody);
  const ids = await saveRefused(environment, [422, 422]);
  const body = { reason: "the branch is loaded", of: [...ids, "unknown"] };
  const dry = await environment.control("/banks/first/redrive", { body: { ...body, isDryRun: true }, actionId: "r-1" });
  expect([dry.status, environment.journal()]).toEqual([200, []]);
  const answer = await environment.control("/banks/first/redrive", { body, actionId: "r-1" });
  const decided = controlAnswers.redriveBank.parse(await readJsonObject(answer));
  expect([answer.status, decided.count, decided.sums]).toEqual([202, 2, [{ currency: "ZAR", count: 2, sum: "2501.00" }]]);
  expect(decided.rows.map(({ outcome }) => outcome)).toEqual(["redriven", "redriven", "refused"]);
  expect(environment.journal().map(({ decoded }) => decoded)).toMatchObject(
    ids.map((messageIdentification) => ({ name: "RedriveRequested", value: { messageIdentification, target: "DELIVERY" } })),
  );
});

test("the redrive of several messages counts once for each, also where it is sent again under the same id", async () => {
  const environment = await openDecisionEnvironment(nobody);
  const ids = await saveRefused(environment, [422, 422]);
  const send = () => environment.control("/banks/first/redrive", { body: { reason: "r", of: ids }, actionId: "r-1" });
  await send();
  for (const record of environment.journal()) await environment.judge(record);
  expect((await send()).status).toBe(202);
  for (const record of environment.journal()) await environment.judge(record);
  const uetrs = environment.journal().map(({ key }) => key);
  const loaded = await environment.settled(environment.store.transactions.load([...new Set(uetrs)]));
  expect([...loaded.values()].map(({ transaction }) => transaction.decisions.length)).toEqual([1, 1]);
});

test("another bank's message is not redriven by it, and a redrive of nothing that waits is refused", async () => {
  const environment = await openDecisionEnvironment(nobody);
  const ids = await saveRefused(environment, [422]);
  const answer = await environment.control("/banks/second/redrive", { body: { reason: "r", of: ids } });
  expect([answer.status, environment.journal()]).toEqual([409, []]);
});
