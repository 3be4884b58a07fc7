// Looks at the day's totals every half minute, where an alarm is configured, and says once when one goes above it and once when it is below again.
//
// #1 What cannot be looked at keeps its alarm as it was: a store that is away is another alarm.
// #2 One look at a time; nothing is kept but which alarms are on.

import { Fault, type Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { moneyText } from "./control-values.ts";
import { dayTotals, type AlarmedBank, type DayTotal } from "./day-totals.ts";

export interface WatchDayTotalsPorts {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly store: Pick<Store, "transactions">;
  readonly banks: readonly AlarmedBank[];
  /** The earliest business date that may still grow; null: no time of the log is known yet. */
  readonly dateFrom: () => string | null;
}

export const lookEveryMs = 30_000;

export function watchDayTotals(ports: WatchDayTotalsPorts): { stop(): void } {
  const labels = ["bank", "scheme", "currency"] as const;
  const gauge = ports.metrics.gauge("sluice_console_day_total_alarm", "1: a day's total of a bank is above its alarm", labels);
  const alarms = ports.banks.flatMap(({ id, dayTotalAlarms }) =>
    dayTotalAlarms.map(({ scheme, currency }) => ({ bank: id, scheme, currency })),
  );
  const on = new Set<string>();
  let isStopped = alarms.length === 0;
  let timer = isStopped ? null : ports.time.after(0, () => void look());

  async function look(): Promise<void> {
    const dateFrom = ports.dateFrom();
    if (dateFrom !== null) await lookOnce(dateFrom);
    if (!isStopped) timer = ports.time.after(lookEveryMs, () => void look());
  }

  async function lookOnce(dateFrom: string): Promise<void> {
    try {
      const above = (await dayTotals(ports.store, ports.banks, dateFrom)).filter(({ isAboveAlarm }) => isAboveAlarm);
      tell(above);
    } catch (error) {
      if (!(error instanceof Fault)) ports.log.error("console.failed", { operation: "watchDayTotals", error });
      else ports.log.warn("day-totals.not-looked-at", { code: error.code, reason: error.message });
    }
  }

  function tell(above: readonly DayTotal[]): void {
    const now = new Map(above.map((total) => [keyOf(total), total]));
    for (const [key, total] of now) {
      if (on.has(key)) continue;
      on.add(key);
      ports.log.warn("day-total.above-alarm", fieldsOf(total));
    }
    for (const key of [...on].filter((one) => !now.has(one))) {
      on.delete(key);
      ports.log.info("day-total.below-alarm", { total: key });
    }
    for (const { bank, scheme, currency } of alarms) {
      const isOn = above.some((one) => one.bank === bank && one.scheme === scheme && one.currency === currency);
      gauge.set(isOn ? 1 : 0, { bank, scheme, currency });
    }
  }

  return {
    stop() {
      isStopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}

function keyOf({ bank, scheme, businessDate, currency }: DayTotal): string {
  return [bank, scheme, businessDate, currency].join(" ");
}

function fieldsOf({ bank, scheme, businessDate, currency, count, sumTenThousandths, alarmAboveTenThousandths }: DayTotal) {
  const [sum, alarmAbove] = [moneyText(sumTenThousandths, currency), moneyText(alarmAboveTenThousandths ?? 0n, currency)];
  return { bank, scheme, businessDate, currency, count, sum, alarmAbove };
}
