// What retention takes from a day, and from a reader that did not come in time.

import { checkHistory } from "@sluice/checker";
import { buildDirectDebit, seededRandom, validAccount } from "@sluice/testkit";
import { expect, test } from "vitest";
import { type ScenarioMessage, simulatedBranches } from "../messages.ts";
import { calmScenario, drawScenario } from "../scenario.ts";
import { simulatedDayTimes, simulateScenario } from "../simulate.ts";

const throttledFromMs = 5_000;
const throttledUntilMs = 20_000;
const keptMs = 4_000;

/** Debits around the time from which nobody reads: what follows from some is written and not read. */
const messages = Array.from({ length: 40 }, (_, n): ScenarioMessage => {
  const uetr = `0b8d8f3e-5c1a-4f0e-9d53-1d2c3b4a5f${String(n).padStart(2, "0")}`;
  const [party, debtorBranch, debtorAccount] = ["first", simulatedBranches.first, validAccount(1)] as const;
  const message = buildDirectDebit({ uetr, messageIdentification: `M-${n}`, amount: "1.00", debtorBranch, debtorAccount });
  return { party, what: "debit", sendAtMs: throttledFromMs - 200 + n * 5, message };
});

test("I16: a service whose records retention took unread ends and says so, and nothing behind them is handled as if they had never been", async () => {
  const throttles = [{ atMs: throttledFromMs, untilMs: throttledUntilMs }];
  const end = await simulateScenario(1, {
    ...calmScenario,
    messages,
    throttles,
    retentionMs: keptMs,
    firstLookMs: 60_000,
    lastLookMs: 60_000,
  });
  expect(end.taken).toBeGreaterThan(0);
  const said = end.crashes.filter((crash) => crash.includes("messaging.outside-log") || crash.includes("lies outside"));
  expect(said.length).toBeGreaterThan(0);
  expect(end.crashes.filter((crash) => !said.includes(crash))).toEqual([]);
  expect(end.unfinished.length).toBeGreaterThan(0);
});

/** Longer than a reader is away on a calm day. Days are kept in a deployment. */
const longEnoughMs = 60_000;

test.each([2, 10])("I16: a calm day whose old records vanish keeps the promises, and ends; seed %i", async (seed) => {
  const scenario = { ...drawScenario(seed, seededRandom(`scenario ${seed}`), simulatedDayTimes), retentionMs: longEnoughMs };
  expect(scenario.dates.night).toBe(null);
  const { taken, unfinished, history } = await simulateScenario(seed, scenario);
  const { violations } = checkHistory(history, { queueToleranceMs: 10_000 });
  expect({ isTaken: taken > 0, unfinished, violations }).toEqual({ isTaken: true, unfinished: [], violations: [] });
});
