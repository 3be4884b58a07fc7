// listBanks: every configured bank and connector, and every receiver that was ever paused: its status, what waits for
// it, who paused or resumed it last, and the totals of the running business dates against their alarms.
//
// #1 Counting what waits may take at most 3 s (`parked-counts.ts`); after that the answer has the previous count, or
//    none.
// #2 Totals are counted before somebody asks (`date-totals.ts`); `totalsCountedAt` says when, null: not yet.

import type { Configuration } from "@sluice/config";
import type { BankState } from "@sluice/domain";
import type { ParkedTotals, Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import type { DateTotals } from "../outlook/date-totals.ts";
import { actionView, decisionView, formatAmount, wholeSecondsUntil, formatOptionalInstant } from "../views/control-values.ts";
import { sumDayTotals, type DayTotal } from "./day-totals.ts";
import type { ParkedCounts } from "./parked-counts.ts";
import { ageView } from "../views/parked-totals.ts";
import { endpointView, loadReceiverStatuses, explainReceiver, type ReceiverStatus } from "../views/receiver-status.ts";
import { lastWindowCloseMs, windowCloseView } from "../views/window-close.ts";

export interface BanksPorts {
  readonly store: Pick<Store, "banks" | "transactions" | "endpointHealth" | "days">;
  readonly counts: ParkedCounts;
  readonly dates: DateTotals;
  readonly configuration: Pick<Configuration, "banks" | "connectors">;
  readonly brokerNowMs: () => number | null;
}

const countingMaxMs = 3_000;

export function listBanks(ports: BanksPorts): ControlHandler {
  return async () => {
    const nowMs = ports.brokerNowMs();
    const { statusOf: _, ...found } = await loadBanks(ports, nowMs);
    return { kind: "found", body: { schema: "Banks", asOf: formatOptionalInstant(nowMs), ...found, next: null } };
  };
}

/** One row for each receiver, or for `only` one; none if nobody knows it. */
export async function loadBanks(ports: BanksPorts, nowMs: number | null, only: string | null = null) {
  const { configuration } = ports;
  const banks = configuration.banks.filter(({ id }) => only === null || id === only);
  const [{ bankStates, of }, waiting, dates] = await Promise.all([
    loadReceiverStatuses(ports, nowMs),
    countWaiting(ports, nowMs),
    ports.dates.readSoon(),
  ]);
  const totalsByBank = Map.groupBy(sumDayTotals(dates?.rows ?? [], banks), ({ bank }) => bank);
  const kinds = new Map<string, "bank" | "connector" | "unknown">([
    ...[...bankStates.keys()].map((id) => [id, "unknown"] as const),
    ...configuration.banks.map(({ id }) => [id, "bank"] as const),
    ...configuration.connectors.map(({ id }) => [id, "connector"] as const),
  ]);
  const rows = [...kinds]
    .filter(([bank]) => only === null || bank === only)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([bank, kind]) => ({
      bank,
      kind,
      ...receiverView(of(bank), nowMs),
      waiting: waiting?.of(bank) ?? null,
      ...pauseView(bankStates.get(bank) ?? null),
      dayTotals: (totalsByBank.get(bank) ?? []).map(totalView),
    }));
  return {
    countedAt: formatOptionalInstant(waiting?.countedAtMs ?? null),
    totalsCountedAt: formatOptionalInstant(dates?.countedAtMs ?? null),
    rows,
    statusOf: of,
  };
}

/** #1 Null: the count did not end in time. */
async function countWaiting({ counts, store }: BanksPorts, nowMs: number | null) {
  const counted = await counts.within(countingMaxMs);
  if (counted === null) return null;
  const { deliveries, postings, countedAtMs } = counted;
  const keys = [
    ...new Set([...deliveries, ...postings].flatMap(({ reconciliationDay }) => (reconciliationDay === null ? [] : [reconciliationDay]))),
  ];
  const days = await store.days.load(keys.slice(0, daysMax));
  const [deliveriesOf, postingsOf] = [byReceiver(deliveries), byReceiver(postings)];
  const of = (bank: string) => {
    const [mine, myPostings] = [deliveriesOf.get(bank) ?? [], postingsOf.get(bank) ?? []];
    const waitedFor = [...mine, ...myPostings].map(({ reconciliationDay }) => days.get(reconciliationDay ?? "") ?? null);
    const closesAtMs = firstOf(waitedFor.map((day) => day?.plan.reconciliationAtMs ?? null));
    const windowClosesAtMs = firstOf(waitedFor.map(lastWindowCloseMs));
    return {
      deliveries: waitingView(mine, nowMs),
      postings: waitingView(myPostings, nowMs),
      ...windowCloseView(windowClosesAtMs, nowMs),
      closes: formatOptionalInstant(closesAtMs),
      secondsToClose: wholeSecondsUntil(closesAtMs, nowMs),
    };
  };
  return { of, countedAtMs };
}

const daysMax = 1_000;

function firstOf(times: readonly (number | null)[]): number | null {
  return times.reduce<number | null>((first, atMs) => earliest(first, atMs), null);
}

function byReceiver(totals: readonly ParkedTotals[]): ReadonlyMap<string, readonly ParkedTotals[]> {
  return Map.groupBy(totals, ({ receiverId }) => receiverId);
}

function waitingView(totals: readonly ParkedTotals[], nowMs: number | null) {
  const [count, refused] = [sum(totals.map((one) => one.count)), sum(totals.map((one) => one.refused))];
  const sinceMs = totals.reduce<number | null>((first, { waitingSinceMs }) => earliest(first, waitingSinceMs), null);
  return { waiting: count - refused, refused, ...ageView(sinceMs, nowMs) };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function earliest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function receiverView(receiver: ReceiverStatus, nowMs: number | null) {
  const { state, pause, untilMs, endpoints } = receiver;
  return {
    state,
    isPaused: pause !== null,
    until: formatOptionalInstant(untilMs),
    why: explainReceiver(receiver),
    endpoints: endpoints.map((address) => endpointView(address, nowMs)),
  };
}

function pauseView(state: BankState | null) {
  const since = state?.since ?? null;
  return {
    /** The action that paused or resumed it last. */
    since: since === null ? null : { at: formatInstant(since.atMs), ...actionView(since.action) },
    decisions: (state?.decisions ?? []).map(decisionView),
  };
}

function totalView(total: DayTotal) {
  const { scheme, businessDate, currency, count, sumTenThousandths, alarmAboveTenThousandths, isAboveAlarm } = total;
  return {
    scheme,
    businessDate,
    currency,
    count,
    sum: formatAmount(sumTenThousandths, currency),
    alarmAbove: alarmAboveTenThousandths === null ? null : formatAmount(alarmAboveTenThousandths, currency),
    isAboveAlarm,
  };
}
