// Counts every hour the open reconciliation items of days that ended more than a day ago, for an alarm.
//
// #1 If the items cannot be counted the number stays as it was: a store that is not available has an alarm of its own.
// #2 Each count reads the items of one day by an index; at most `daysLooked` days of each scheme are looked at, and
//    only those that were ever planned.

import { Fault, type Logger, type Metrics, type Time, formatReason } from "@sluice/kernel";
import type { Configuration } from "@sluice/config";
import { dayKey } from "@sluice/domain";
import type { BrokerClock } from "@sluice/messaging";
import type { Store } from "@sluice/store";

export interface WatchOldItemsPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: Pick<Store, "transactions" | "days">;
  readonly configuration: Pick<Configuration, "schemes">;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
}

export const oldItemsCheckEveryMs = 3_600_000;
/** The newest day that ended more than a day ago is the one before yesterday. */
const newestDaysAgo = 2;
const daysLooked = 31;

export function watchOldItems({ time, logger, metrics, store, configuration, brokerClock }: WatchOldItemsPorts): { stop(): void } {
  const old = metrics.gauge(
    "sluice_console_old_items",
    "Transactions with an open reconciliation item of a day that ended more than a day ago; of the last 31 such days",
  );
  let isStopped = false;
  let timer = time.after(0, () => void check());

  async function check(): Promise<void> {
    const nowMs = brokerClock.nowMs();
    if (nowMs !== null) await measure(nowMs);
    if (!isStopped) timer = time.after(oldItemsCheckEveryMs, () => void check());
  }

  async function measure(nowMs: number): Promise<void> {
    try {
      let count = 0;
      for (const itemDay of (await store.days.load(listOldDays(configuration, nowMs))).keys()) {
        if (isStopped) return;
        const rows = await store.transactions.totals({ itemDay, isItemOpen: true });
        count += rows.reduce((sum, row) => sum + row.count, 0);
      }
      old.set(count);
    } catch (error) {
      if (!(error instanceof Fault)) logger.error("console.failed", { operation: "watchOldItems", error });
      else logger.warn("old-items.not-counted", { code: error.code, reason: formatReason(error) });
    }
  }

  return {
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}

function listOldDays({ schemes }: Pick<Configuration, "schemes">, nowMs: number): readonly string[] {
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
  return schemes.flatMap(({ id, times }) => {
    const today = now.toZonedDateTimeISO(times.calendar.zone).toPlainDate();
    return Array.from({ length: daysLooked }, (_, index) => dayKey(id, today.subtract({ days: newestDaysAgo + index }).toString()));
  });
}
