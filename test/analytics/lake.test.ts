// A day of the demo lands in the lake, through a SIGKILL of the worker and a newer schema, and ten questions are
// answered from it. With SLUICE_WRITE_ANSWERS=1 the page of the questions is written again from this day.

import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Answer, askLake, readQuestions } from "@sluice/analytics";
import { checkConservation } from "@sluice/store";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { buildAnswersPage, stableLines } from "./answers-page.ts";
import { type LakeDay, playDayIntoLake } from "./lake-environment.ts";
import { newColumn, newValue, repeatEntryTwice } from "./newer-schema.ts";

const python = process.env["SLUICE_ANALYTICS_PYTHON"] ?? "";
const packages = process.env["SLUICE_ANALYTICS_PACKAGES"] ?? "";
const opened = new AsyncDisposableStack();
const waitMaxMs = 240_000;
const askAgainMs = 2_000;
const itemsMax = 1_000;
const infra = (name: string): string => fileURLToPath(new URL(`../../infra/analytics/${name}`, import.meta.url));
const answersPage = fileURLToPath(new URL("../../docs/ten-questions.md", import.meta.url));
const run = promisify(execFile);
let day: LakeDay;

beforeAll(async () => {
  if (python === "" || packages === "") throw new Error("run this by ./sluice test analytics");
  day = await playDayIntoLake(opened, packages);
  await repeatEntryTwice(day.servers, day.stage.messaging);
  await untilInLake();
}, 540_000);
afterAll(() => opened.disposeAsync());

/** Asks SQL of a file beside this one. */
async function askFile(name: string): Promise<readonly Readonly<Record<string, string | null>>[]> {
  const path = fileURLToPath(new URL(`${name}.sql`, import.meta.url));
  const answers = await askLake(python, day.lake, [{ name, text: name, sql: "", path }]);
  return rowsOf(answers.get(name));
}

function rowsOf(answer: Answer | undefined): readonly Readonly<Record<string, string | null>>[] {
  if (answer === undefined || "problem" in answer) throw new Error(answer?.problem ?? "no answer");
  return answer.rows.map((row) => Object.fromEntries(answer.columns.map((column, index) => [column, row[index] ?? null])));
}

function entriesOfStore(): readonly string[] {
  return [...day.snapshots.values()].flatMap(({ uetr, transitions }) =>
    transitions.map(({ stageVersion, state }) => `${uetr} ${stageVersion} ${state}`),
  );
}

/** Waits until the newer record and every entry, item and day is there, which takes a few commits. */
async function untilInLake(): Promise<void> {
  const { store, times } = day.stage;
  const items = await store.transactions.items(`ZA_EFT:${times.businessDate}`, null, itemsMax);
  const counts = { entries: entriesOfStore().length, items: items.length, transactions: day.snapshots.size };
  const wanted = {
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    newer: "1",
    unresolved: "0",
  };
  const look = async (): Promise<unknown> => (await askFile("progress").catch(() => []))[0];
  await vi.waitFor(async () => expect(await look()).toMatchObject(wanted), { timeout: waitMaxMs, interval: askAgainMs });
}

describe("a day of the demo in the lake", () => {
  test("the day ends as planned with the worker beside it", () => {
    expect(day.problems).toEqual([]);
  });

  test("I3: through a SIGKILL of the worker each entry is in the view exactly once per UETR and stage version", async () => {
    const found = await askFile("entries");
    expect(found.map(({ entry }) => String(entry)).toSorted()).toEqual(entriesOfStore().toSorted());
    const [all] = await askFile("rows");
    expect(Number(all?.["entries"])).toBeGreaterThan(found.length);
  });

  test("I11: sums by bank and place are those of the ledger, to the cent", async () => {
    const { times, store } = day.stage;
    const conservation = await checkConservation(store, `ZA_EFT:${times.businessDate}`);
    const ledger = conservation.rows.flatMap(({ bank, currency, columns }) =>
      Object.entries(columns).map(([place, { count, sumTenThousandths }]) => `${bank} ${currency} ${place} ${count} ${sumTenThousandths}`),
    );
    const answers = await askLake(
      python,
      day.lake,
      readQuestions().filter(({ name }) => name === "conservation"),
    );
    const lake = rowsOf(answers.get("conservation")).map(
      ({ bank, currency, place, transactions, total }) => `${bank} ${currency} ${place} ${transactions} ${total?.replace(".", "")}`,
    );
    expect(conservation.isWhole).toBe(true);
    expect(lake.toSorted()).toEqual(ledger.toSorted());
  });

  test("a field of a newer schema becomes a column, and the records before it have none", async () => {
    expect(await askFile("newer")).toEqual([
      { [newColumn]: newValue, records: "1" },
      { [newColumn]: null, records: expect.stringMatching(/^[1-9]\d+$/) },
    ]);
  });

  test("the page of the ten questions has the answers of this day", async () => {
    const questions = readQuestions();
    const answers = await askLake(python, day.lake, questions);
    const built = buildAnswersPage(questions, answers, day.stage.times.businessDate);
    if (process.env["SLUICE_WRITE_ANSWERS"] === "1") writeFileSync(answersPage, built);
    expect(questions).toHaveLength(10);
    expect(stableLines(built)).toEqual(stableLines(readFileSync(answersPage, "utf8")));
  });

  test("ClickHouse's tables have the same entries, transactions, items, days and receipts", async () => {
    const { stdout } = await run(python, [infra("clickhouse.py"), day.lake, infra("clickhouse.sql")]);
    const [counts] = await askFile("counts");
    const found: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = JSON.parse(stdout);
    const sum = (table: string, column: string): number => (found[table] ?? []).reduce((total, row) => total + Number(row[column]), 0);
    expect({
      entries: sum("entries", "entries"),
      transactions: sum("transactions", "transactions"),
      items: sum("items", "items"),
      days: sum("days", "days"),
      windows: sum("days", "windows"),
      receipts: sum("receipts", "receipts"),
      attempts: sum("receipts", "attempts"),
    }).toEqual(Object.fromEntries(Object.entries(counts ?? {}).map(([name, value]) => [name, Number(value)])));
    const totals = await askFile("totals");
    expect((found["entries"] ?? []).map(({ state, total }) => [state, Number(total)])).toEqual(
      totals.map(({ state, total }) => [state, Number(total)]),
    );
  });
});
