// Checks the day's totals every half minute while an alarm is configured, and logs once when a total goes above its
// alarm and once when it is below again.
//
// #1 If the totals cannot be read an alarm stays as it was: a store that is not available has an alarm of its own.
// #2 One check runs at a time; only the set of active alarms is kept.
// #3 The metric shows the alarms that are on, at most `alarmsShownMax`; the log lines name all.

import { Fault, type ListedMetric, type Logger, type Metrics, type Time, formatReason } from "@sluice/kernel";
import type { DateTotals } from "../outlook/date-totals.ts";
import { formatAmount } from "../views/control-values.ts";
import { sumDayTotals, type AlarmedBank, type DayTotal } from "./day-totals.ts";

export interface WatchDayTotalsPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly dates: DateTotals;
  readonly configuration: { readonly banks: readonly AlarmedBank[] };
}

export const dayTotalsCheckEveryMs = 30_000;
const alarmsShownMax = 50;

const alarmMetric: ListedMetric = {
  name: "sluice_console_day_total_alarm",
  help: "1: a day's total of a bank is above its alarm",
  kind: "gauge",
  labels: ["bank", "scheme", "currency"],
};

export function watchDayTotals(ports: WatchDayTotalsPorts): { stop(): void } {
  ports.metrics.listed([alarmMetric], () =>
    [...shown.values()].slice(0, alarmsShownMax).map((labels) => ({ name: alarmMetric.name, labels, value: 1 })),
  );
  const on = new Set<string>();
  let shown: ReadonlyMap<string, Record<"bank" | "scheme" | "currency", string>> = new Map();
  let isStopped = false;
  let timer = ports.time.after(0, () => void check());

  async function check(): Promise<void> {
    const isAsked = on.size > 0 || ports.configuration.banks.some(({ dayTotalAlarms }) => dayTotalAlarms.length > 0);
    if (isAsked) await checkOnce();
    if (!isStopped) timer = ports.time.after(dayTotalsCheckEveryMs, () => void check());
  }

  async function checkOnce(): Promise<void> {
    try {
      const { rows, countedAtMs } = await ports.dates.read();
      if (countedAtMs !== null) reportChanges(sumDayTotals(rows, ports.configuration.banks).filter(({ isAboveAlarm }) => isAboveAlarm));
    } catch (error) {
      if (!(error instanceof Fault)) ports.logger.error("console.failed", { operation: "watchDayTotals", error });
      else ports.logger.warn("day-totals.not-read", { code: error.code, reason: formatReason(error) });
    }
  }

  function reportChanges(above: readonly DayTotal[]): void {
    const now = new Map(above.map((total) => [alarmKey(total), total]));
    for (const [key, total] of now) {
      if (on.has(key)) continue;
      on.add(key);
      ports.logger.warn("day-total.above-alarm", logFields(total));
    }
    for (const key of [...on].filter((one) => !now.has(one))) {
      on.delete(key);
      ports.logger.info("day-total.below-alarm", { total: key });
    }
    shown = new Map(above.map(({ bank, scheme, currency }) => [[bank, scheme, currency].join(" "), { bank, scheme, currency }]));
  }

  return {
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}

function alarmKey({ bank, scheme, businessDate, currency }: DayTotal): string {
  return [bank, scheme, businessDate, currency].join(" ");
}

function logFields({ bank, scheme, businessDate, currency, count, sumTenThousandths, alarmAboveTenThousandths }: DayTotal) {
  const [sum, alarmAbove] = [formatAmount(sumTenThousandths, currency), formatAmount(alarmAboveTenThousandths ?? 0n, currency)];
  return { bank, scheme, businessDate, currency, count, sum, alarmAbove };
}
