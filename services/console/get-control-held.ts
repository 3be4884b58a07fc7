// listHeld: what is held, by bank, business day and currency: how much, how old, why it waits, and until when.
//
// #1 Counts and sums are the store's, exact at the moment of asking. Why it waits is the domain's (`heldOutlook`), by the day, the bank's gate
//    and standing, and agreed time.

import { gateStanding, heldOutlook, isPausedAt, type Day, type GateStanding, type HeldOutlook } from "@sluice/domain";
import type { Store, TotalsRow, TransactionQuery } from "@sluice/store";
import { instantText } from "./answer.ts";
import { awaitedCredits } from "./awaited-credits.ts";
import type { ControlHandler } from "./control-handler.ts";
import { pageIn, pageOf } from "./control-page.ts";
import { invalid, isDayKey, moneyText, secondsUntil, timeText } from "./control-values.ts";
import { gateReason } from "./gate-reason.ts";
import { isPartyId } from "./search-terms-in.ts";

export interface HeldPorts {
  readonly store: Pick<Store, "transactions" | "days" | "banks" | "lanes">;
  readonly agreedNowMs: () => number | null;
}

interface HeldTotal {
  readonly bank: string;
  readonly day: string;
  readonly currency: string;
  readonly count: number;
  readonly sumTenThousandths: bigint;
  readonly oldestReceivedAtMs: number;
}

/** Days whose plan is read at once. */
const daysMax = 1_000;

export function listHeld({ store, agreedNowMs }: HeldPorts): ControlHandler {
  return async ({ query }) => {
    const asked = heldQuery(query);
    if (typeof asked === "string") return invalid(asked);
    const page = pageIn(query, (place) => place.length > 0);
    if (typeof page === "string") return invalid(page);
    const nowMs = agreedNowMs();
    const { rows: totals, next } = pageOf(heldTotals(await store.transactions.totals(asked)), page, placeOf);
    const days = await store.days.load([...new Set(totals.map(({ day }) => day))].slice(0, daysMax));
    const paused = new Set((await store.banks.all()).flatMap((one) => (isPausedAt(one, nowMs ?? 0) ? [one.bank] : [])));
    const rows = [];
    for (const total of totals) {
      const day = days.get(total.day) ?? null;
      const gate = day === null ? null : gateStanding(day, total.bank);
      const outlook = heldOutlook(day, gate, paused.has(total.bank));
      const reason = outlook.waitsFor === "gate" ? await reasonOf(store, day, total.bank, gate) : null;
      rows.push({ ...totalView(total, nowMs), ...outlookView(outlook, nowMs), why: whyText(outlook, reason) });
    }
    return { kind: "found", body: { schema: "Held", asOf: timeText(nowMs), rows, next } };
  };
}

/** A text says what is wrong. */
function heldQuery(query: URLSearchParams): TransactionQuery | string {
  const bank = query.get("bank");
  if (bank !== null && !isPartyId(bank)) return "bank: the id of a bank.";
  const day = query.get("day");
  if (day !== null && !isDayKey(day)) return "day: a day, for example ZA_EFT:2026-11-20.";
  const [scheme, businessDate] = day?.split(":") ?? [];
  return { state: "HELD", bank: bank ?? undefined, scheme, businessDate };
}

/** By day, bank and currency; on-us and off-us debits wait in the same queue. */
export function heldTotals(totals: readonly TotalsRow[]): readonly HeldTotal[] {
  const byPlace = new Map<string, HeldTotal>();
  for (const { bank, scheme, businessDate, currency, count, sumTenThousandths, oldestReceivedAtMs } of totals) {
    if (bank === null || businessDate === null) continue;
    const one = { bank, day: `${scheme}:${businessDate}`, currency, count, sumTenThousandths, oldestReceivedAtMs };
    const before = byPlace.get(placeOf(one));
    const sum =
      before === undefined
        ? one
        : {
            ...one,
            count: before.count + count,
            sumTenThousandths: before.sumTenThousandths + sumTenThousandths,
            oldestReceivedAtMs: Math.min(before.oldestReceivedAtMs, oldestReceivedAtMs),
          };
    byPlace.set(placeOf(one), sum);
  }
  return [...byPlace.values()].toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

function placeOf({ day, bank, currency }: Pick<HeldTotal, "day" | "bank" | "currency">): string {
  return `${day} ${bank} ${currency}`;
}

function totalView({ bank, day, currency, count, sumTenThousandths, oldestReceivedAtMs }: HeldTotal, nowMs: number | null) {
  return {
    bank,
    day,
    currency,
    count,
    sum: moneyText(sumTenThousandths, currency),
    oldestReceivedAt: instantText(oldestReceivedAtMs),
    oldestAgeSeconds: nowMs === null ? null : Math.max(0, Math.round((nowMs - oldestReceivedAtMs) / 1_000)),
  };
}

function outlookView({ waitsFor, opensAtMs, closesAtMs, reconciliationAtMs }: HeldOutlook, nowMs: number | null) {
  return {
    waitsFor,
    opens: timeText(opensAtMs),
    secondsToOpening: secondsUntil(opensAtMs, nowMs),
    closes: timeText(closesAtMs),
    secondsToClose: secondsUntil(closesAtMs, nowMs),
    reconciliation: timeText(reconciliationAtMs),
    secondsToReconciliation: secondsUntil(reconciliationAtMs, nowMs),
  };
}

async function reasonOf(store: HeldPorts["store"], day: Day | null, bank: string, gate: GateStanding | null): Promise<string | null> {
  if (day === null || gate === null) return null;
  const credits = gate.kind === "credits-unresolved" ? await awaitedCredits(store, day, bank, gate.declaration) : null;
  return gateReason(gate, credits);
}

function whyText({ waitsFor }: HeldOutlook, gate: string | null): string {
  return waitsFor === "gate" ? `gate closed: ${gate ?? "not known"}` : sentences[waitsFor];
}

const sentences: Readonly<Record<Exclude<HeldOutlook["waitsFor"], "gate">, string>> = {
  "day-not-planned": "the day is not planned yet",
  "day-over": "the day is over: an item is made, or it goes over to the next business date",
  "no-window-ahead": "no window is ahead: the reconciliation close, or the next business date",
  "bank-paused": "the bank is paused by an operator",
  window: "the window is not open yet",
  turn: "released in its turn, as the bank acknowledges",
};
