// When the held debits of a day are through: by hand, by the API, on its page and before a close is extended.

import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { day, openDecisionEnvironment, planOpenDay } from "../decisions/decisions.fixture.ts";
import { buildStoredTransaction, readControlAnswer, saveTransactions } from "../queries/stored-data.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { minuteMs } from "./series.ts";
import { judgeFinish } from "./show-day-outlook.ts";

const closes = { windowMs: 100, reconciliationMs: 200 };

test.each([
  [0, null, closes, "nothing-held"],
  [5, null, closes, "not-known"],
  [5, { perMinute: 0, emptyAtMs: null }, closes, "does-not-fall"],
  [5, { perMinute: 1, emptyAtMs: 100 }, closes, "before-window-close"],
  [5, { perMinute: 1, emptyAtMs: 101 }, closes, "after-window-close"],
  [5, { perMinute: 1, emptyAtMs: 200 }, closes, "after-window-close"],
  [5, { perMinute: 1, emptyAtMs: 201 }, closes, "after-reconciliation-close"],
  [5, { perMinute: 1, emptyAtMs: 50 }, { ...closes, windowMs: null }, "after-window-close"],
] as const)("%i held at a rate of %o against %o: %s", (held, trend, against, finish) => {
  expect(judgeFinish(held, trend, against)).toBe(finish);
});

async function openFalling() {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  const at = { businessDate: "2026-11-20", reconciliationDay: day, applied: -1n };
  const indexes = [1, 2, 3, 4, 5, 6];
  await saveTransactions(
    environment,
    indexes.map((index) => buildStoredTransaction("HELD", index, at)),
  );
  await environment.time.advance(minuteMs);
  return environment;
}

test("the day's answer has its held debits by bank and its closes, and no rate while the console has just begun", async () => {
  const environment = await openFalling();
  const body = controlAnswers.showDayOutlook.parse(await readControlAnswer(environment, "/days/ZA_EFT/2026-11-20/outlook"));
  expect(body).toMatchObject({ day, held: 6, rows: [{ count: 6 }] });
  expect([body.windowCloses, body.reconciliationCloses]).toEqual(["2026-11-20T14:00:00.000Z", "2026-11-20T15:00:00.000Z"]);
  await environment.time.advance(2 * minuteMs);
  const later = controlAnswers.showDayOutlook.parse(await readControlAnswer(environment, "/days/ZA_EFT/2026-11-20/outlook"));
  expect([later.trend?.perMinute, later.finish]).toEqual([0, "does-not-fall"]);
  expect((await environment.control("/days/ZA_EFT/2026-10-01/outlook")).status).toBe(404);
});

test("the day's page says how it ends, and extending a close shows how many debits of which sum it is about", async () => {
  const environment = await openFalling();
  await environment.time.advance(2 * minuteMs);
  const reader = openReader(environment);
  await reader.signIn();
  const plain = ({ text }: { readonly text: string }): string => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  const page = plain(await reader.ask(`/days/${day}`));
  for (const words of ["The number of held debits stays or rises.", `./sluice window outlook ${day}`]) expect(page).toContain(words);
  const extension = plain(await reader.ask("/decide/extendClose?scheme=ZA_EFT&date=2026-11-20"));
  expect(extension).toMatch(/6 held debits have until the new close\..*ZAR/);
});
