// Tests of decisions about several transactions, banks or connectors.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { readJsonObject } from "../console.fixture.ts";
import { buildItem, buildStoredTransaction, consoleUetrAt, day, saveTransactions } from "../queries/stored-data.fixture.ts";
import { openDecisionEnvironment } from "./decisions.fixture.ts";

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;
const uetrs = [0, 1, 2].map((index) => consoleUetrAt(index));

/** Two held debits, and one that is released. */
async function openWithDebits(): Promise<Environment> {
  const environment = await openDecisionEnvironment(nobody);
  const about = { applied: -1n, reconciliationDay: day, bank: "first" } as const;
  await saveTransactions(environment, [
    buildStoredTransaction("HELD", 0, about),
    buildStoredTransaction("HELD", 1, about),
    buildStoredTransaction("RELEASED", 2, about),
  ]);
  return environment;
}

/** Applies every record of this name, as a scheduler does. */
async function judgeAll(environment: Environment, name: string): Promise<void> {
  for (const record of environment.journal()) if (record.decoded.name === name) await environment.judge(record);
}

test("several debits are withdrawn as one decision, each with its own outcome [D9 several]", async () => {
  const environment = await openWithDebits();
  const body = { reason: "the wrong file", of: uetrs };
  const dry = await environment.control("/withdrawal", { body: { ...body, isDryRun: true }, actionId: "w-1" });
  expect([dry.status, environment.journal()]).toEqual([200, []]);
  const answer = await environment.control("/withdrawal", { body, actionId: "w-1" });
  const decided = controlAnswers.withdrawDebits.parse(await readJsonObject(answer));
  expect([answer.status, decided.count, decided.sums]).toEqual([202, 2, [{ currency: "ZAR", count: 2, sum: "2501.00" }]]);
  expect(decided.rows.map(({ key, outcome }) => [key, outcome])).toEqual([
    [uetrs[0], "requested"],
    [uetrs[1], "requested"],
    [uetrs[2], "refused"],
  ]);
  const records = environment.journal();
  expect(new Set(records.map(({ key, decoded }) => `${decoded.name} ${key}`))).toEqual(
    new Set([`WithdrawalRequested ${uetrs[0]}`, `WithdrawalRequested ${uetrs[1]}`]),
  );
});

test("a decision about several counts once for each, also where it is sent again under the same id [D9 several]", async () => {
  const environment = await openWithDebits();
  const send = () => environment.control("/withdrawal", { body: { reason: "r", of: uetrs.slice(0, 2) }, actionId: "w-1" });
  await send();
  await judgeAll(environment, "WithdrawalRequested");
  expect((await send()).status).toBe(202);
  await judgeAll(environment, "WithdrawalRequested");
  const loaded = await environment.settled(environment.store.transactions.load(uetrs));
  expect(uetrs.map((uetr) => loaded.get(uetr)?.transaction.decisions.length)).toEqual([1, 1, 0]);
});

test("a decision about several of which none is possible is refused, and nothing is appended", async () => {
  const environment = await openWithDebits();
  const answer = await environment.control("/withdrawal", { body: { reason: "r", of: [uetrs[2]] } });
  expect([answer.status, environment.journal()]).toEqual([409, []]);
});

test("a decision about several that names one of them twice is refused", async () => {
  const environment = await openWithDebits();
  const answer = await environment.control("/withdrawal", { body: { reason: "r", of: [uetrs[0], uetrs[0]?.toUpperCase()] } });
  expect([answer.status, environment.journal()]).toEqual([400, []]);
});

/** Two items that one person has resolved as one decision, and how a second person names these resolutions. */
async function openResolved() {
  const environment = await openDecisionEnvironment({ ...nobody, resolutionNeedsSecondPerson: true });
  const item = buildItem({ row: 0, state: "HELD" });
  await saveTransactions(
    environment,
    [0, 1].map((index) => buildStoredTransaction("RECONCILIATION", index, { applied: -1n, reconciliationDay: day, items: [item] })),
  );
  const of = uetrs.slice(0, 2).map((uetr) => ({ uetr, day }));
  const resolved = await environment.control("/resolution", { body: { reason: "seen", of, resolution: "MADE" }, actionId: "s-1" });
  expect([resolved.status, controlAnswers.resolveItems.parse(await readJsonObject(resolved)).count]).toEqual([202, 2]);
  await judgeAll(environment, "ItemResolutionRequested");
  const load = async () => [...(await environment.settled(environment.store.transactions.load(uetrs)))];
  const shown = (await load()).map(([uetr, { transaction }]) => {
    const resolution = transaction.items[0]?.resolution;
    return { uetr, offset: String(resolution?.offset), contentSha256: resolution?.action.contentSha256 };
  });
  const resolutions = async () => (await load()).map(([, { transaction }]) => transaction.items[0]?.resolution);
  return { environment, shown, resolutions };
}

test("several items are resolved as one decision, and several resolutions confirmed by a second person [D9 several]", async () => {
  const { environment, shown, resolutions } = await openResolved();
  const body = { reason: "seen too", of: shown };
  const own = await environment.control("/resolution/confirmation", { body, actionId: "c-1" });
  expect(own.status).toBe(409);
  const answer = await environment.control("/resolution/confirmation", { body, actionId: "c-1", operator: "second-person" });
  expect([answer.status, controlAnswers.confirmResolutions.parse(await readJsonObject(answer)).count]).toEqual([202, 2]);
  await judgeAll(environment, "ItemResolutionConfirmed");
  expect((await resolutions()).map((one) => one?.isFinal)).toEqual([true, true]);
});

test("several resolutions are rejected as one decision by a second person, and their items are open again [D9 several]", async () => {
  const { environment, shown, resolutions } = await openResolved();
  const body = { reason: "the statement shows both", of: shown };
  const own = await environment.control("/resolution/rejection", { body, actionId: "r-1" });
  expect(own.status).toBe(409);
  const answer = await environment.control("/resolution/rejection", { body, actionId: "r-1", operator: "second-person" });
  expect([answer.status, controlAnswers.rejectResolutions.parse(await readJsonObject(answer)).count]).toEqual([202, 2]);
  await judgeAll(environment, "ItemResolutionRejected");
  expect(await resolutions()).toEqual([null, null]);
});

test("everything is stopped by one decision that names every bank, and each says what came of it [D9 several]", async () => {
  const environment = await openDecisionEnvironment(nobody);
  const body = { reason: "the network is being replaced", of: ["first", "second", "nobody"], until: "2026-11-20T10:00:00+02:00" };
  const answer = await environment.control("/pause", { body, actionId: "p-1" });
  const decided = controlAnswers.pauseBanks.parse(await readJsonObject(answer));
  expect([answer.status, decided.rows.map(({ key, outcome }) => [key, outcome])]).toEqual([
    202,
    [
      ["bank:first", "requested"],
      ["bank:second", "requested"],
      ["bank:nobody", "refused"],
    ],
  ]);
  await judgeAll(environment, "BankPauseRequested");
  const paused = await environment.settled(environment.store.banks.all());
  expect(paused.map(({ bank, isPaused }) => [bank, isPaused])).toEqual([
    ["first", true],
    ["second", true],
  ]);
  const resumed = await environment.control("/resume", {
    body: { reason: "the network is back", of: ["first", "second"] },
    actionId: "p-2",
  });
  expect(resumed.status).toBe(202);
  await judgeAll(environment, "BankResumeRequested");
  const running = await environment.settled(environment.store.banks.all());
  expect(running.map(({ isPaused }) => isPaused)).toEqual([false, false]);
});
