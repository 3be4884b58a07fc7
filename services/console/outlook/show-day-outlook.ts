// showDayOutlook: when the held debits of a day are through at the rate of the last minutes, against its closes.
//
// #1 It is a projection of what this console has seen, and no promise: a gate that opens or a bank that throttles
//    changes it.
// #2 Without a rate it says why there is none, and never that all will be well.

import type { Store } from "@sluice/store";
import { refuseWith } from "../decisions/decision.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { formatOptionalInstant } from "../views/control-values.ts";
import { findTrend, type Series, type Trend } from "./series.ts";
import type { Overview } from "./show-overview.ts";

interface DayOutlookPorts {
  readonly store: Pick<Store, "days">;
  readonly overview: Overview;
  readonly series: Series;
  readonly brokerNowMs: () => number | null;
}

export type Finish =
  | "nothing-held"
  | "not-known"
  | "does-not-fall"
  | "before-window-close"
  | "after-window-close"
  | "after-reconciliation-close";

export function showDayOutlook({ store, overview, series, brokerNowMs }: DayOutlookPorts): ControlHandler {
  return async ({ path: { scheme = "", date = "" } }) => {
    const key = `${scheme}:${date}`;
    const [days, { held, heldCountedAt }] = await Promise.all([store.days.load([key]), overview.read(null)]);
    const day = days.get(key);
    if (day === undefined) return refuseWith(404, "Not known", "This business day is not planned. Days are planned a week ahead.");
    const own = held.filter((one) => one.day === key);
    const trend = findTrend(series.list(), (point) => point.heldByDay.get(key) ?? 0);
    const count = own.reduce((sum, one) => sum + one.count, 0);
    const closes = { windowMs: day.plan.windows.at(-1)?.closesAtMs ?? null, reconciliationMs: day.plan.reconciliationAtMs };
    const rows = own.map(({ bank, count: number, currency, sum, waitsFor, why }) => ({
      bank,
      count: number,
      currency,
      sum,
      waitsFor,
      why,
    }));
    return {
      kind: "found",
      body: {
        schema: "DayOutlook",
        asOf: formatOptionalInstant(brokerNowMs()),
        heldCountedAt,
        day: key,
        held: count,
        rows,
        trend: trend === null ? null : { perMinute: trend.perMinute, emptyAt: formatOptionalInstant(trend.emptyAtMs) },
        windowCloses: formatOptionalInstant(closes.windowMs),
        reconciliationCloses: formatInstant(closes.reconciliationMs),
        finish: heldCountedAt === null ? "not-known" : judgeFinish(count, trend, closes),
      },
    };
  };
}

/** #2 */
export function judgeFinish(
  held: number,
  trend: Trend | null,
  { windowMs, reconciliationMs }: { readonly windowMs: number | null; readonly reconciliationMs: number },
): Finish {
  if (held === 0) return "nothing-held";
  if (trend === null) return "not-known";
  if (trend.emptyAtMs === null) return "does-not-fall";
  if (trend.emptyAtMs > reconciliationMs) return "after-reconciliation-close";
  return windowMs === null || trend.emptyAtMs > windowMs ? "after-window-close" : "before-window-close";
}
