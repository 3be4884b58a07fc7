// Tests of listWindows and listHeld: times, gates and why debits wait (docs/spec/decisions.md D9).

import { expect, test } from "vitest";
import { openConsoleEnvironment, readJsonObject, consoleStartAtMs, type ConsoleEnvironment } from "../console.fixture.ts";
import {
  buildOperatorAction,
  partitionAnswered,
  buildStoredCredit,
  applyDayFacts,
  creditsDeclared,
  markDeclarationApplied,
  firstWindowOpens,
  twoWindowPlan,
  readControlRows,
  saveTransactions,
  saveDay,
  buildStoredTransaction,
  uetrInPartition,
  consoleUetrAt,
} from "./stored-data.fixture.ts";
import type { DayFact } from "@sluice/domain";
import type { TransactionQuery } from "@sluice/store";

const query = "/windows?from=2026-11-20&to=2026-11-20";

async function openEnvironmentWithDay(facts: readonly DayFact[], atMs = consoleStartAtMs - 60_000): Promise<ConsoleEnvironment> {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts(facts, atMs));
  return environment;
}

async function readGate(environment: ConsoleEnvironment, bank: string): Promise<Readonly<Record<string, unknown>>> {
  const [row] = await readControlRows(environment, query);
  const gates: unknown = row?.["gates"];
  const found = Array.isArray(gates) ? gates.find((gate: Readonly<Record<string, unknown>>) => gate["bank"] === bank) : undefined;
  return { ...found };
}

test("a day shows planned and actual times, and missed windows", async () => {
  const environment = await openEnvironmentWithDay(
    [twoWindowPlan, creditsDeclared, firstWindowOpens()],
    twoWindowPlan.windows[0]?.opensAtMs ?? 0,
  );
  const [row] = await readControlRows(environment, query);
  expect(row).toMatchObject({
    day: "ZA_EFT:2026-11-20",
    windows: [
      { number: 1, state: "open", opens: "2026-11-20T07:00:00.000Z", openedAt: "2026-11-20T07:00:02.000Z", closedAt: null },
      { number: 2, state: "planned", openedAt: null },
    ],
    reconciliation: { closes: "2026-11-20T16:00:00.000Z", closedAt: null },
    declarations: [{ bank: null, declaredBy: "connector" }],
    nextBusinessDate: "2026-11-23",
  });
});

test("extended closes are shown with who, why and when, and operators' decisions with their results", async () => {
  const environment = await openConsoleEnvironment();
  const note = {
    offset: 7n,
    atMs: consoleStartAtMs,
    kind: "GateOpeningRequested",
    action: buildOperatorAction(),
    result: "refused",
    why: "not-declared",
  } as const;
  const putBacks = [
    { windowNumber: 0, closesAtMs: consoleStartAtMs, action: buildOperatorAction({ confirmedBy: "sipho" }), atMs: consoleStartAtMs },
  ];
  const decisions = [{ ...note, bank: "first", credits: [uetrInPartition(0, 0)] }];
  await saveDay(environment, { ...applyDayFacts([twoWindowPlan], consoleStartAtMs - 60_000), extensions: putBacks, decisions });
  expect(await readControlRows(environment, query)).toMatchObject([
    {
      putBacks: [{ window: 0, closes: "2026-11-20T06:00:00.000Z", operator: "operator", confirmedBy: "sipho", reason: "the bank called" }],
      decisions: [
        { kind: "GateOpeningRequested", result: "refused", why: "not-declared", bank: "first", credits: [uetrInPartition(0, 0)] },
      ],
    },
  ]);
});

test("the reason why a gate is closed is always there: not declared, partitions that have not answered, credits by name [D9 gate-reason]", async () => {
  const undeclared = await readGate(await openEnvironmentWithDay([twoWindowPlan]), "first");
  expect(undeclared).toMatchObject({ isOpen: false, reason: "credits not declared (declared by the connector)" });
  const awaited = await readGate(await openEnvironmentWithDay([twoWindowPlan, creditsDeclared, partitionAnswered(1)]), "first");
  expect(awaited).toMatchObject({ reason: "partitions 0, 2 have not answered", partitionsAwaited: [0, 2] });
  const environment = await openEnvironmentWithDay([
    twoWindowPlan,
    creditsDeclared,
    partitionAnswered(0, ["first"]),
    partitionAnswered(1),
    partitionAnswered(2),
  ]);
  await markDeclarationApplied(environment, 100n);
  const before = [0, 1].map((nth) => uetrInPartition(0, nth));
  await saveTransactions(environment, [
    ...before.map((uetr) => buildStoredCredit("CREDIT_AUTH_DELIVERED", uetr, 10n)),
    buildStoredCredit("CREDIT_AUTH_DELIVERED", uetrInPartition(0, 2), 101n),
    buildStoredCredit("CREDIT_AUTH_RESPONSE_ACCEPTED", uetrInPartition(0, 3), 10n),
    buildStoredCredit("CREDIT_AUTH_DELIVERED", uetrInPartition(0, 4), 10n, { bank: "second" }),
    buildStoredCredit("CREDIT_AUTH_DELIVERED", uetrInPartition(0, 5), 10n, { businessDate: "2026-11-23" }),
  ]);
  expect(await readGate(environment, "first")).toMatchObject({
    isOpen: false,
    reason: `2 credits unresolved: ${before.toSorted().join(", ")}`,
    credits: before.toSorted(),
    isMoreCredits: false,
  });
  expect(await readGate(environment, "second")).toMatchObject({ isOpen: true, reason: null, credits: [] });
});

test("of more than a thousand credits at a gate a thousand are named, and the answer says that there are more", async () => {
  const environment = await openEnvironmentWithDay([
    twoWindowPlan,
    creditsDeclared,
    partitionAnswered(0, ["first"]),
    partitionAnswered(1),
    partitionAnswered(2),
  ]);
  await markDeclarationApplied(environment, 100n);
  const states = ["CREDIT_AUTH_DELIVERED", "CREDIT_AUTH_RECEIVED"] as const;
  for (const [index, state] of states.entries()) {
    await saveTransactions(
      environment,
      Array.from({ length: 600 }, (_, one) => buildStoredCredit(state, consoleUetrAt(1_000 * (index + 1) + one), 10n)),
    );
  }
  const gate = await readGate(environment, "first");
  expect(gate).toMatchObject({ isMoreCredits: true, reason: expect.stringMatching(/^more than 1000 credits unresolved: .*, …$/) });
  expect(gate["credits"]).toHaveLength(1_000);
});

test("without dates the list begins today in the scheme's zone; a wrong date or scheme, or too long a range, is 400", async () => {
  const environment = await openEnvironmentWithDay([twoWindowPlan]);
  expect((await readControlRows(environment, "/windows")).map((row) => row["day"])).toEqual(["ZA_EFT:2026-11-20"]);
  for (const wrong of ["from=2026-13-01", "from=2026-11-20&to=2026-11-19", "from=2026-01-01&to=2026-12-31", "scheme=ZA_XXX"]) {
    expect([wrong, (await environment.control(`/windows?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test("held debits are counted and summed by bank and day, with the oldest age, the time to release and the reason", async () => {
  const environment = await openEnvironmentWithDay([twoWindowPlan]);
  await saveTransactions(environment, [
    ...[1, 2, 3].map((index) => buildStoredTransaction("HELD", index)),
    buildStoredTransaction("HELD", 4, { bank: "second", flow: "off-us" }),
    buildStoredTransaction("RELEASED", 5),
    buildStoredTransaction("HELD", 6, { businessDate: "2026-11-24", reconciliationDay: "ZA_EFT:2026-11-24" }),
  ]);
  const rows = await readControlRows(environment, "/held");
  expect(rows).toMatchObject([
    {
      bank: "first",
      day: "ZA_EFT:2026-11-20",
      currency: "ZAR",
      count: 3,
      sum: "3751.50",
      waitsFor: "window",
      why: "the window is not open yet",
    },
    { bank: "second", count: 1, sum: "1250.50" },
    { bank: "first", day: "ZA_EFT:2026-11-24", waitsFor: "day-not-planned", closes: null },
  ]);
  expect(rows[0]).toMatchObject({
    opens: "2026-11-20T07:00:00.000Z",
    secondsToOpening: 3_600,
    secondsToReconciliation: 36_000,
    oldestAgeSeconds: 0,
  });
  expect(await readControlRows(environment, "/held?bank=second&day=ZA_EFT:2026-11-20")).toHaveLength(1);
  const first = await readJsonObject(await environment.control("/held?limit=1"));
  expect((await readControlRows(environment, `/held?limit=5&after=${String(first["next"])}`)).map((row) => row["bank"])).toEqual([
    "second",
    "first",
  ]);
});

test("held debits are asked for by scheme or bank: a store of a million reads all for another question", async () => {
  const environment = await openEnvironmentWithDay([twoWindowPlan]);
  const { transactions } = environment.store;
  const asked: TransactionQuery[] = [];
  const totals = transactions.totals.bind(transactions);
  Object.assign(transactions, { totals: (terms: TransactionQuery) => (asked.push(terms), totals(terms)) });
  await saveTransactions(
    environment,
    [1, 2, 3].map((index) => buildStoredTransaction("HELD", index)),
  );
  for (const path of ["/held", "/held?bank=first", "/held?day=ZA_EFT:2026-11-20"])
    expect(await readControlRows(environment, path)).toMatchObject([{ bank: "first", count: 3, sum: "3751.50" }]);
  const held = asked.filter(({ state }) => state === "HELD");
  expect(held.length).toBeGreaterThan(2);
  expect(held.filter(({ bank, scheme, partition }) => bank === undefined && scheme === undefined && partition === undefined)).toEqual([]);
});

test("in an open window a debit that waits for its gate shows why the gate is closed, unless the bank is paused", async () => {
  const environment = await openEnvironmentWithDay([twoWindowPlan, firstWindowOpens()], twoWindowPlan.windows[0]?.opensAtMs ?? 0);
  await saveTransactions(environment, [buildStoredTransaction("HELD", 1)]);
  expect(await readControlRows(environment, "/held")).toMatchObject([
    { waitsFor: "gate", why: "gate closed: credits not declared (declared by the connector)" },
  ]);
  await environment.settled(
    environment.store.banks.write(
      {
        bank: "first",
        version: 1,
        applied: 0n,
        isPaused: true,
        untilMs: null,
        since: null,
        pauses: 1,
        resumes: 0,
        markers: [],
        decisions: [],
        usedActions: [],
      },
      0,
    ),
  );
  expect(await readControlRows(environment, "/held")).toMatchObject([{ waitsFor: "bank-paused" }]);
  const maintained = {
    bank: "first",
    version: 2,
    applied: 0n,
    isPaused: true,
    since: null,
    pauses: 2,
    resumes: 0,
    markers: [],
    decisions: [],
    usedActions: [],
  };
  const untilMs = environment.time.nowMs() + 60_000;
  await environment.settled(environment.store.banks.write({ ...maintained, untilMs }, 1));
  expect(await readControlRows(environment, "/held")).toMatchObject([{ waitsFor: "bank-paused" }]);
  await environment.time.advance(61_000);
  expect(await readControlRows(environment, "/held")).toMatchObject([{ waitsFor: "gate" }]);
});
