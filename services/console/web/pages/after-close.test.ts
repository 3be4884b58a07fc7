// What pages say when the window of the day is closed, without a browser: nothing that is as planned is an alarm.

import { expect, test } from "vitest";
import { consoleStartAtMs, day, decisionHourMs, openDecisionEnvironment, planOpenDay } from "../../decisions/decisions.fixture.ts";
import { buildItem, buildStoredTransaction, saveTransactions } from "../../queries/stored-data.fixture.ts";
import { openReader } from "../browser.fixture.ts";

const nobody = { secondPerson: { actions: [], proposalLifetimeMs: 3_600_000 } } as const;
const at = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", number: 1 } as const;
const opens = { ...at, time: "window-opens" } as const;
const closes = { ...at, time: "window-closes" } as const;
const reconciles = { ...at, time: "reconciliation", number: 0 } as const;
const minuteMs = 60_000;
const dueAtMs = consoleStartAtMs - decisionHourMs;

/** Debits for the next day are held; the console has looked at them for some minutes. */
async function openDay(...facts: readonly (typeof opens | typeof closes | typeof reconciles)[]) {
  const environment = await openDecisionEnvironment(nobody);
  const isOver = facts.length > 1;
  // The facts of the fixture come an hour before the console's start: what they close has to be due by then.
  const times = { opensAtMs: dueAtMs - 2 * minuteMs, closesAtMs: isOver ? dueAtMs - minuteMs : consoleStartAtMs + 60 * minuteMs };
  const plan = {
    windows: [{ number: 1, ...times }],
    cutOffAtMs: times.closesAtMs - minuteMs / 2,
    reconciliationAtMs: times.closesAtMs + minuteMs,
  };
  await environment.saveDay(planOpenDay(plan), ...facts);
  const about = { applied: -1n, bank: "first", businessDate: "2026-11-23", reconciliationDay: "ZA_EFT:2026-11-23" } as const;
  await saveTransactions(
    environment,
    [0, 1, 2].map((index) => buildStoredTransaction("HELD", index, about)),
  );
  for (let minute = 0; minute < 4; minute += 1) await environment.time.advance(minuteMs);
  const reader = openReader(environment);
  await reader.signIn();
  const read = async (path: string): Promise<string> => (await reader.ask(path)).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  return { environment, reader, read };
}

test("held debits are compared with a close that is ahead, and not with one that is past", async () => {
  const open = await openDay(opens);
  expect((await open.read("/")).includes("close of the window")).toBe(true);
  const closed = await openDay(opens, closes);
  expect((await closed.read("/")).includes("close of the window")).toBe(false);
});

test("a gate is closed as planned until its window opens: that is no warning", async () => {
  const planned = await openDay();
  expect([/▲ closed/.test(await planned.read("/banks/first")), /▲ closed/.test(await planned.read(`/days/${day}`))]).toEqual([
    false,
    false,
  ]);
  const open = await openDay(opens);
  expect([/▲ closed/.test(await open.read("/banks/first")), /▲ closed/.test(await open.read(`/days/${day}`))]).toEqual([true, true]);
});

test("the count of a day's items leads to all of them, also to those that are resolved", async () => {
  const { environment, reader } = await openDay(opens, closes);
  const item = buildItem({ row: 9, settledAtMs: null });
  const about = { applied: -1n, bank: "first", reconciliationDay: day, items: [item] } as const;
  await saveTransactions(environment, [buildStoredTransaction("RECONCILIATION", 9, about)]);
  const { text } = await reader.ask(`/days/${day}`);
  const [, href = ""] = /href="(\/reconciliation\?[^"]*)"/.exec(text) ?? [];
  expect(new URLSearchParams(href.replaceAll("&amp;", "&").split("?")[1]).get("all")).toBe("yes");
});

test("a day that is reconciled offers no decision about its gates and closes, and says why", async () => {
  const open = await openDay(opens);
  expect((await open.reader.ask(`/days/${day}`)).text.includes("/decide/extendClose")).toBe(true);
  const over = await openDay(opens, closes, reconciles);
  expect((await over.reader.ask(`/days/${day}`)).text.includes("/decide/extendClose")).toBe(false);
  expect(await over.read(`/days/${day}`)).toMatch(/Extend a close not possible: the day is reconciled/);
});

test("a day that is counted is counted by bank and state, each with a way to its transactions", async () => {
  const { environment, reader } = await openDay(opens);
  const about = { applied: -1n, businessDate: "2026-11-20", reconciliationDay: day } as const;
  const banks = ["first", "second", "second"];
  await saveTransactions(
    environment,
    banks.map((bank, index) => buildStoredTransaction(index === 2 ? "UNPAID" : "COMPLETED", 20 + index, { ...about, bank })),
  );
  expect((await reader.ask(`/days/${day}`)).text).not.toContain("By bank and state");
  const { text } = await reader.ask(`/days/${day}?conservation=yes`);
  const places = [...text.matchAll(/href="(\/search\?[^"]*state=[^"]*)"/g)].map(([, href = ""]) => href.replaceAll("&amp;", "&"));
  expect(places).toEqual(
    [
      ["COMPLETED", "first"],
      ["COMPLETED", "second"],
      ["UNPAID", "second"],
    ].map(([state, bank]) => `/search?scheme=ZA_EFT&businessDate=2026-11-20&state=${state}&bank=${bank}`),
  );
});
