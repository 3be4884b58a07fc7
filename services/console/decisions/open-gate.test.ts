// Tests of openGate: nobody opens a gate over a credit that was not named (docs/spec/decisions.md D9.40).

import { describe, expect, test } from "vitest";
import { awaitedCreditsMax } from "../queries/awaited-credits.ts";
import { openDecisionEnvironment } from "./decisions.fixture.ts";
import {
  partitionAnswered,
  buildStoredCredit,
  applyDayFacts,
  creditsDeclared,
  markDeclarationApplied,
  twoWindowPlan,
  saveTransactions,
  saveDay,
  uetrInPartition,
} from "../queries/stored-data.fixture.ts";
import { buildConsoleUnread, readJsonObject, consoleStartAtMs } from "../console.fixture.ts";

const path = "/days/ZA_EFT/2026-11-20/gate-opening";
const [one, two, late] = [0, 1, 2].map((nth) => uetrInPartition(0, nth));
const credits = [one ?? "", two ?? ""];

/** Saves two unresolved credits to the bank `first` from before the declaration, and one that came later. */
async function openEnvironmentWithClosedGate() {
  const environment = await openDecisionEnvironment();
  await saveDay(
    environment,
    applyDayFacts(
      [twoWindowPlan, creditsDeclared, partitionAnswered(0, ["first"]), partitionAnswered(1), partitionAnswered(2)],
      consoleStartAtMs - 60_000,
    ),
  );
  await markDeclarationApplied(environment, 100n);
  const before = credits.map((uetr) => buildStoredCredit("CREDIT_AUTH_DELIVERED", uetr, 10n));
  await saveTransactions(environment, [...before, buildStoredCredit("CREDIT_AUTH_DELIVERED", late ?? "", 101n)]);
  const open = (named: readonly string[], over: object = {}) =>
    environment.control(path, { body: { reason: "the bank agreed", bank: "first", credits: named, ...over }, actionId: "g-1" });
  return { ...environment, open };
}

describe("I8: a gate opened by an operator", () => {
  test("is opened over every unresolved credit by name: the record says which, and who decided it", async () => {
    const { open, journal } = await openEnvironmentWithClosedGate();
    expect((await open(credits)).status).toBe(202);
    expect(journal()).toMatchObject([
      {
        key: "ZA_EFT:2026-11-20",
        decoded: { name: "GateOpeningRequested", value: { bank: "first", credits, action: { id: "g-1", operator: "operator" } } },
      },
    ]);
  });

  test("stays closed if a credit is not named: the answer names it, and nothing is appended", async () => {
    const { open, journal } = await openEnvironmentWithClosedGate();
    const answer = await open(credits.slice(0, 1));
    expect([answer.status, (await readJsonObject(answer))["detail"], journal()]).toEqual([409, `Not named: ${two}`, []]);
  });

  test("stays closed if a credit that nobody has read is not named", async () => {
    const { open, journal, ...environment } = await openEnvironmentWithClosedGate();
    const unread = uetrInPartition(0, 3);
    await saveTransactions(environment, [
      buildConsoleUnread("credit", unread, 10n),
      buildConsoleUnread("debit", uetrInPartition(0, 4), 11n),
    ]);
    const answer = await open(credits);
    expect([answer.status, (await readJsonObject(answer))["detail"], journal()]).toEqual([409, `Not named: ${unread}`, []]);
    expect((await open([...credits, unread])).status).toBe(202);
  });

  test("accepts more credits than are unresolved: one that ended meanwhile does not matter", async () => {
    const { open } = await openEnvironmentWithClosedGate();
    expect((await open([...credits, late ?? ""])).status).toBe(202);
  });

  test("over more credits than can be listed needs the name of each listed one", async () => {
    const { open, journal, ...environment } = await openEnvironmentWithClosedGate();
    const many = Array.from({ length: awaitedCreditsMax + 10 }, (_, nth) => `00000000-0000-4000-8000-${String(nth).padStart(12, "0")}`);
    const documents = many.map((uetr) => buildStoredCredit("CREDIT_AUTH_DELIVERED", uetr, 10n));
    for (let start = 0; start < documents.length; start += 500) await saveTransactions(environment, documents.slice(start, start + 500));
    const listed = [...credits, ...many].toSorted().slice(0, awaitedCreditsMax);
    const refused = await open(listed.slice(1));
    expect([refused.status, (await readJsonObject(refused))["detail"], journal()]).toEqual([409, `Not named: ${listed[0]}, …`, []]);
    expect((await open(listed)).status).toBe(202);
  });

  test("is refused if the bank's gate is open", async () => {
    const { open, journal } = await openEnvironmentWithClosedGate();
    const answer = await open(credits, { bank: "second" });
    expect([answer.status, (await readJsonObject(answer))["detail"], journal()]).toEqual([409, expect.stringContaining("gate-open"), []]);
  });

  test("sent twice under one id is 202 both times, even after the gate is open", async () => {
    const { open, journal, judge, control } = await openEnvironmentWithClosedGate();
    await open(credits);
    const [record] = journal();
    // The day of this test has records of its own up to offset 4.
    if (record !== undefined) await judge({ ...record, offset: 50n });
    expect(await readJsonObject(await control("/actions/g-1?key=ZA_EFT:2026-11-20"))).toMatchObject({ result: "applied" });
    expect((await open(credits)).status).toBe(202);
  });
});
