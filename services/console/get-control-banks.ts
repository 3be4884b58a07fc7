// listBanks: every configured bank and connector, and whoever was paused and is not configured any more: how it stands as a receiver, what waits
// for it, who paused or resumed it last, and the totals of the running business dates against their alarms.
//
// #1 What waits is counted for 3 s at most (`parked-counts.ts`): then the answer has the count before, or none.

import type { Configuration } from "@sluice/config";
import type { BankStanding } from "@sluice/domain";
import type { ParkedTotals, Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlHandler } from "./control-handler.ts";
import { actionView, decisionView, moneyText, secondsUntil, timeText } from "./control-values.ts";
import { dayTotals, type DayTotal } from "./day-totals.ts";
import type { ParkedCounts } from "./parked-counts.ts";
import { ageView } from "./parked-totals.ts";
import { addressView, receiversNow, whyHeld, type ReceiverStanding } from "./receiver-standing.ts";

export interface BanksPorts {
  readonly store: Pick<Store, "banks" | "transactions" | "addresses" | "days">;
  readonly counts: ParkedCounts;
  readonly configuration: Pick<Configuration, "banks" | "connectors" | "schemes">;
  readonly agreedNowMs: () => number | null;
}

const countingMaxMs = 3_000;

export function listBanks(ports: BanksPorts): ControlHandler {
  const { store, configuration, agreedNowMs } = ports;
  return async () => {
    const nowMs = agreedNowMs();
    const dateFrom = earliestDate(configuration, nowMs);
    const [{ standings, of }, waiting, totals] = await Promise.all([
      receiversNow(ports, nowMs),
      waitingNow(ports, nowMs),
      dateFrom === null ? [] : dayTotals(store, configuration.banks, dateFrom),
    ]);
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
        ...receiverView(of(bank), nowMs),
        waiting: waiting?.of(bank) ?? null,
        ...standingView(standings.get(bank) ?? null),
        dayTotals: totals.filter((total) => total.bank === bank).map(totalView),
      }));
    return {
      kind: "found",
      body: { schema: "Banks", asOf: timeText(nowMs), countedAt: timeText(waiting?.countedAtMs ?? null), rows, next: null },
    };
  };
}

/** The earliest "today" of any scheme: from there on totals may still grow. */
export function earliestDate({ schemes }: Pick<Configuration, "schemes">, nowMs: number | null): string | null {
  if (nowMs === null) return null;
  const now = Temporal.Instant.fromEpochMilliseconds(nowMs);
  const dates = schemes.map(({ times }) => now.toZonedDateTimeISO(times.calendar.zone).toPlainDate().toString());
  return dates.toSorted()[0] ?? null;
}

/** #1. Null: not counted in time. */
async function waitingNow({ counts, store }: BanksPorts, nowMs: number | null) {
  const counted = await counts.within(countingMaxMs);
  if (counted === null) return null;
  const { deliveries, postings, countedAtMs } = counted;
  const keys = [...new Set([...deliveries, ...postings].flatMap(({ closesWith }) => (closesWith === null ? [] : [closesWith])))];
  const days = await store.days.load(keys.slice(0, daysMax));
  const of = (bank: string) => {
    const mine = (all: readonly ParkedTotals[]) => all.filter((one) => one.bank === bank);
    const closings = [...mine(deliveries), ...mine(postings)].map(({ closesWith }) => days.get(closesWith ?? "")?.plan.reconciliationAtMs);
    const closesAtMs = closings.reduce<number | null>((first, atMs) => earliest(first, atMs ?? null), null);
    return {
      deliveries: waitingView(mine(deliveries), nowMs),
      postings: waitingView(mine(postings), nowMs),
      closes: timeText(closesAtMs),
      secondsToClose: secondsUntil(closesAtMs, nowMs),
    };
  };
  return { of, countedAtMs };
}

const daysMax = 1_000;

function waitingView(totals: readonly ParkedTotals[], nowMs: number | null) {
  const [count, refused] = [sumOf(totals.map((one) => one.count)), sumOf(totals.map((one) => one.refused))];
  const sinceMs = totals.reduce<number | null>((first, { waitingSinceMs }) => earliest(first, waitingSinceMs), null);
  return { waiting: count - refused, refused, ...ageView(sinceMs, nowMs) };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function receiverView(receiver: ReceiverStanding, nowMs: number | null) {
  const { state, pause, untilMs, addresses } = receiver;
  return {
    state,
    isPaused: pause !== null,
    until: timeText(untilMs),
    why: whyHeld(receiver),
    addresses: addresses.map((address) => addressView(address, nowMs)),
  };
}

function standingView(standing: BankStanding | null) {
  const since = standing?.since ?? null;
  return {
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
