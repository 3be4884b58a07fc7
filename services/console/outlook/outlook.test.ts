// What operators see at a glance: who they are, the overview, what a transaction waits for and what they could decide.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { consoleStartAtMs, consoleUetr, day, openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildConsoleDebit, changeTransaction, type TransactionChanges } from "../console.fixture.ts";

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;
const held = ["RECEIVED", "ACCEPTED", "REPORTED", "HELD"] as const;

async function showTransaction({ control }: Environment, operator = "operator") {
  return controlAnswers.showTransaction.parse(await (await control(`/transactions/${consoleUetr}`, { operator })).json());
}

async function showOverview({ control }: Environment) {
  return controlAnswers.showOverview.parse(await (await control("/overview")).json());
}

async function saveDebit({ save }: Environment, states: Parameters<typeof buildConsoleDebit>[0], over: TransactionChanges = {}) {
  const about = { applied: -1n, bank: "first", businessDate: "2026-11-20", reconciliationDay: day } as const;
  await save(changeTransaction(buildConsoleDebit(states), { ...about, ...over }));
}

test("a client learns who it acts for, with which roles, and in which zone its schemes live", async () => {
  const { control } = await openDecisionEnvironment({ secondPerson: { actions: ["withdraw"], proposalLifetimeMs: 60_000 } });
  const me = controlAnswers.showMe.parse(await (await control("/me", { operator: "reader" })).json());
  expect(me).toMatchObject({ id: "reader", person: "reader", roles: ["read"], secondPerson: expect.arrayContaining(["withdraw"]) });
  expect(me.schemes).toContainEqual({ id: "ZA_EFT", zone: "+02:00", takesDebits: true, today: "2026-11-20" });
});

test("a client learns the environment's name and the banks and connectors; a bank's own person learns of no other", async () => {
  const own = sampleOperator({ id: "of-first", roles: ["read"], bank: "first" });
  const { control } = await openDecisionEnvironment({ environment: "production", operators: [sampleOperator(), own] });
  const me = async (operator: string) => controlAnswers.showMe.parse(await (await control("/me", { operator })).json());
  expect(await me("operator")).toMatchObject({ environment: "production", receivers: ["clearing", "first", "second"] });
  expect((await me("of-first")).receivers).toEqual(["first"]);
});

test("the overview has today's window, the closed gates with their reason, and what is held behind them", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay(), opens);
  await environment.saveDebit(...held);
  const { days, held: rows, services } = await showOverview(environment);
  expect(days).toMatchObject([{ day, zone: "+02:00", window: { number: 1, state: "open" }, gatesOpen: 0 }]);
  expect(days[0]?.gatesClosed[0]).toEqual({ bank: "first", reason: "credits not declared (declared by the connector)", credits: 0 });
  expect(days[0]?.states).toEqual([{ state: "HELD", count: 1, currency: "ZAR", sum: "1250.50" }]);
  expect(rows).toMatchObject([{ bank: "first", count: 1, sum: "1250.50", waitsFor: "gate" }]);
  expect(services.map(({ service, partitions }) => [service, partitions])).toEqual([
    ["scheduler", 3],
    ["dispatcher", 3],
    ["event-publisher", 3],
  ]);
});

test("I15: the overview is made at most once a second, however many people ask", async () => {
  const environment = await openDecisionEnvironment();
  const before = await showOverview(environment);
  await environment.saveDebit(...held);
  expect(await showOverview(environment)).toEqual(before);
  await environment.time.advance(2_200);
  expect((await showOverview(environment)).held).toHaveLength(1);
});

test("I15: nobody waits for a count over very many transactions: the overview says that it has none yet, and has it later", async () => {
  const environment = await openDecisionEnvironment();
  environment.environment.slowCall = "transactions.totals";
  await environment.saveDay(planOpenDay(), opens);
  await environment.saveDebit(...held);
  const startedMs = environment.time.monotonicMs();
  const early = await showOverview(environment);
  expect([early.heldCountedAt, early.statesCountedAt, early.held, early.days[0]?.states]).toEqual([null, null, [], []]);
  expect(environment.time.monotonicMs() - startedMs).toBeLessThan(1_000);
  await environment.time.advance(60_000);
  const later = await showOverview(environment);
  expect([later.heldCountedAt, later.statesCountedAt]).not.toContain(null);
  expect([later.held.length, later.days[0]?.states.length]).toEqual([1, 1]);
});

test("an overview that failed is made again at the next question", async () => {
  const environment = await openDecisionEnvironment();
  environment.environment.fault = "down";
  expect((await environment.control("/overview")).status).toBe(503);
  environment.environment.fault = "none";
  await environment.time.advance(50);
  expect((await environment.control("/overview")).status).toBe(200);
});

test("a held debit says which gate it waits for, until when, and what comes next [D9 waiting]", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay(), opens);
  await environment.saveDebit(...held);
  expect((await showTransaction(environment)).waiting).toEqual({
    for: "gate",
    why: "gate closed: credits not declared (declared by the connector)",
    since: new Date(consoleStartAtMs + 3 * 60_000).toISOString(),
    nextAttempt: null,
    until: "2026-11-20T14:00:00.000Z",
    // oxlint-disable-next-line unicorn/no-thenable -- a text is no function
    then: "it is released to the bank; if that does not happen before the close it becomes a reconciliation item",
  });
});

test("a held debit before the window waits for its opening", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  await environment.saveDebit(...held);
  expect((await showTransaction(environment)).waiting).toMatchObject({ for: "window", until: "2026-11-20T05:00:00.000Z" });
});

test.each([
  [["RECEIVED"], "verdict"],
  [["RECEIVED", "ACCEPTED"], "delivery"],
  [["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED", "DELIVERED"], "report"],
] as const)("a debit in %j says that it waits for the %s, and that the close ends the wait", async (states, what) => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  await saveDebit(environment, states);
  expect((await showTransaction(environment)).waiting).toMatchObject({ for: what, until: "2026-11-20T15:00:00.000Z" });
});

test("a completed debit waits for nothing", async () => {
  const environment = await openDecisionEnvironment();
  await saveDebit(environment, [...held, "RELEASED", "DELIVERED", "COMPLETED"]);
  expect((await showTransaction(environment)).waiting).toBeNull();
});

test("a quarantined debit waits for a replay before anything else", async () => {
  const environment = await openDecisionEnvironment();
  await saveDebit(environment, [...held], { quarantined: { sinceMs: consoleStartAtMs, offset: 7n, records: 2 } });
  const { waiting, actions } = await showTransaction(environment);
  expect(waiting).toMatchObject({ for: "replay", since: new Date(consoleStartAtMs).toISOString() });
  expect(actions.find(({ name }) => name === "replayTransaction")).toMatchObject({ isAllowed: true });
});

test("each decision says whether it is possible now, in the domain's own words [D9 waiting]", async () => {
  const environment = await openDecisionEnvironment({ secondPerson: { actions: ["withdraw"], proposalLifetimeMs: 60_000 } });
  await environment.saveDebit(...held);
  const { actions } = await showTransaction(environment);
  expect(actions.map(({ name, isAllowed, whyNot }) => [name, isAllowed, whyNot])).toEqual([
    ["withdrawDebit", true, null],
    ["redriveDelivery", false, "there is no such delivery that was refused or stopped and is awaited."],
    ["stopDelivery", false, "there is no such delivery that is awaited and still tried."],
    [
      "resolveItem",
      false,
      "there is no item that people could resolve; one is made at the close, by a withdrawal, or when a connector refuses an outcome report.",
    ],
    ["confirmResolution", false, "nothing with this offset and content waits for a confirmation."],
    ["rejectResolution", false, "nothing with this offset and content waits for a confirmation."],
    ["replayTransaction", false, "the transaction is not quarantined: it has no dead letters."],
  ]);
  expect(actions[0]?.needsSecondPerson).toBe(true);
});

test("a reader learns which role a decision needs", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDebit(...held);
  const { actions } = await showTransaction(environment, "reader");
  expect(actions[0]).toMatchObject({ name: "withdrawDebit", isAllowed: false, whyNot: "This needs the role act." });
});

test("what a decision names is what the list says: the item's day is resolved", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDebit(...held);
  await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body: { reason: "wrong file" }, actionId: "w-1" });
  const [record] = environment.journal();
  if (record !== undefined) await environment.judge(record);
  const { actions, waiting } = await showTransaction(environment);
  expect(waiting).toMatchObject({ for: "person" });
  expect(actions.find(({ name }) => name === "resolveItem")).toMatchObject({ isAllowed: true, about: day });
});
