// listBanks: every configured bank and connector, and whoever was paused and is not configured any more: paused or not, since when and by
// whom, and the totals of the running business dates against their alarms.

import type { Configuration } from "@sluice/config";
import type { BankStanding } from "@sluice/domain";
import type { Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlHandler } from "./control-handler.ts";
import { actionView, decisionView, moneyText, timeText } from "./control-values.ts";
import { dayTotals, type DayTotal } from "./day-totals.ts";

export interface BanksPorts {
  readonly store: Pick<Store, "banks" | "transactions">;
  readonly configuration: Pick<Configuration, "banks" | "connectors" | "schemes">;
  readonly agreedNowMs: () => number | null;
}

export function listBanks({ store, configuration, agreedNowMs }: BanksPorts): ControlHandler {
  return async () => {
    const nowMs = agreedNowMs();
    const standings = new Map((await store.banks.all()).map((standing) => [standing.bank, standing]));
    const dateFrom = earliestDate(configuration, nowMs);
    const totals = dateFrom === null ? [] : await dayTotals(store, configuration.banks, dateFrom);
    const kinds = new Map<string, "bank" | "connector" | "unknown">([
      ...[...standings.keys()].map((id) => [id, "unknown"] as const),
      ...configuration.banks.map(({ id }) => [id, "bank"] as const),
      ...configuration.connectors.map(({ id }) => [id, "connector"] as const),
    ]);
    const rows = [...kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([bank, kind]) => ({
        bank,
        kind,
        ...standingView(standings.get(bank) ?? null),
        dayTotals: totals.filter((total) => total.bank === bank).map(totalView),
      }));
    return { kind: "found", body: { schema: "Banks", asOf: timeText(nowMs), rows, next: null } };
  };
}

/** The earliest "today" of any scheme: from there on totals may still grow. */
export function earliestDate({ schemes }: Pick<Configuration, "schemes">, nowMs: number | null): string | null {
  if (nowMs === null) return null;
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
  const dates = schemes.map(({ times }) => now.toZonedDateTimeISO(times.calendar.zone).toPlainDate().toString());
  return dates.toSorted()[0] ?? null;
}

function standingView(standing: BankStanding | null) {
  const since = standing?.since ?? null;
  return {
    isPaused: standing?.isPaused ?? false,
    /** Who paused or resumed it last. */
    since: since === null ? null : { at: instantText(since.atMs), ...actionView(since.action) },
    decisions: (standing?.decisions ?? []).map(decisionView),
  };
}

function totalView(total: DayTotal) {
  const { scheme, businessDate, currency, count, sumTenThousandths, alarmAboveTenThousandths, isAboveAlarm } = total;
  return {
    scheme,
    businessDate,
    currency,
    count,
    sum: moneyText(sumTenThousandths, currency),
    alarmAbove: alarmAboveTenThousandths === null ? null : moneyText(alarmAboveTenThousandths, currency),
    isAboveAlarm,
  };
}
