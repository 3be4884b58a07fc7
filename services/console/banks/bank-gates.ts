// The gates of one bank on the days that are near, and its credits that are not resolved.
//
// #1 Of each scheme the first days that are not reconciled are shown: what can still open or close.

import type { Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import { unresolvedCredits } from "../queries/awaited-credits.ts";
import { loadCreditsAtGates } from "../queries/list-windows.ts";
import { formatAmount } from "../views/control-values.ts";
import { windowReport } from "../views/window-report.ts";

/** Days of each scheme. */
const daysShownMax = 3;
/** Credits that are named for each gate. */
const creditsNamedMax = 20;

/** #1 */
export async function loadBankGates(store: Pick<Store, "days" | "transactions" | "partitions">, bank: string) {
  const open = (await store.days.open()).filter(({ plan, isVoided }) => plan.windows.length > 0 && !isVoided);
  const near = [...Map.groupBy(open, ({ plan }) => plan.scheme).values()].flatMap((days) =>
    days.toSorted((a, b) => (a.plan.businessDate < b.plan.businessDate ? -1 : 1)).slice(0, daysShownMax),
  );
  const rows = [];
  for (const day of near) {
    const { windows, gates } = windowReport(day, [bank], await loadCreditsAtGates({ store }, day, [bank]));
    const window = windows.find(({ state }) => state === "open") ?? windows.find(({ state }) => state === "planned") ?? windows.at(-1);
    const [gate] = gates;
    if (gate === undefined || window === undefined) continue;
    rows.push({
      day: day.key,
      window: { number: window.number, state: window.state, opens: window.opens, closes: window.closes },
      isOpen: gate.isOpen,
      openedAt: gate.openedAt,
      reason: gate.reason,
      credits: gate.credits.slice(0, creditsNamedMax),
      creditsCount: gate.credits.length,
      isMoreCredits: gate.isMoreCredits,
    });
  }
  return rows;
}

export async function loadOpenCredits(store: Pick<Store, "transactions">, bank: string) {
  const totals = await Promise.all(unresolvedCredits.map((state) => store.transactions.totals({ flow: "credit", bank, state })));
  return [...Map.groupBy(totals.flat(), ({ state, currency }) => `${state} ${currency ?? ""}`).values()].flatMap((rows) => {
    const [first] = rows;
    if (first === undefined || first.currency === null) return [];
    const tenThousandths = rows.reduce((sum, one) => sum + one.sumTenThousandths, 0n);
    return [
      {
        state: first.state,
        currency: first.currency,
        count: rows.reduce((sum, one) => sum + one.count, 0),
        sum: formatAmount(tenThousandths, first.currency),
        oldestReceivedAt: formatInstant(Math.min(...rows.map(({ oldestReceivedAtMs }) => oldestReceivedAtMs))),
      },
    ];
  });
}
