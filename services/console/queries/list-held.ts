// listHeld: held debits by bank, business day and currency: how many, how much, how old, why they wait, and until when.
//
// #1 Counts and sums come from the store and are exact when asked. Why debits wait is decided by the domain
//    (`heldOutlook`), from the day, the bank's gate and state, and the broker clock.
// #2 Held debits are asked for by scheme, unless by bank: both begin an index. To another question a store of a million
//    transactions reads them all.

import { explainGate, readGateStatus, heldOutlook, isPausedAt, type Day, type GateStatus, type HeldOutlook } from "@sluice/domain";
import { schemeIds } from "@sluice/domain/schemes";
import type { Store, TotalsRow, TransactionQuery } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import { listAwaitedCredits } from "./awaited-credits.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { parsePageRequest, slicePage } from "../views/page.ts";
import { invalidRequest, isDayKey, formatAmount, wholeSecondsUntil, formatOptionalInstant } from "../views/control-values.ts";
import { isPartyId } from "./parse-search-terms.ts";

export interface HeldPorts {
  readonly store: Pick<Store, "transactions" | "days" | "banks" | "partitions">;
  readonly brokerNowMs: () => number | null;
}

interface HeldTotal {
  readonly bank: string;
  readonly day: string;
  readonly currency: string;
  readonly count: number;
  readonly sumTenThousandths: bigint;
  readonly oldestReceivedAtMs: number;
}

/** Days whose plans are loaded at once. */
const daysMax = 1_000;

export function listHeld({ store, brokerNowMs }: HeldPorts): ControlHandler {
  return async ({ query, operator }) => {
    const asked = parseHeldQuery(query, operator.schemes);
    if (typeof asked === "string") return invalidRequest(asked);
    const page = parsePageRequest(query, (place) => place.length > 0);
    if (typeof page === "string") return invalidRequest(page);
    const nowMs = brokerNowMs();
    const { rows: totals, next } = slicePage(sumHeldDebits(await readHeldTotals(store, asked)), page, totalKey);
    const rows = await explainHeld(store, totals, nowMs);
    return { kind: "found", body: { schema: "Held", asOf: formatOptionalInstant(nowMs), rows, next } };
  };
}

type HeldTerms = Pick<TransactionQuery, "bank" | "scheme" | "schemes" | "businessDate">;

/** #2 */
async function readHeldTotals(
  { transactions }: { readonly transactions: Pick<Store["transactions"], "totals"> },
  terms: HeldTerms,
): Promise<readonly TotalsRow[]> {
  if (terms.bank !== undefined || terms.scheme !== undefined) return await transactions.totals({ ...terms, state: "HELD" });
  const found: TotalsRow[] = [];
  for (const scheme of terms.schemes ?? schemeIds) found.push(...(await transactions.totals({ ...terms, scheme, state: "HELD" })));
  return found;
}

/** What is held, by day, bank and currency, and why it waits. */
export async function loadHeld(store: HeldPorts["store"], totals: readonly TotalsRow[], nowMs: number | null) {
  return await explainHeld(store, sumHeldDebits(totals), nowMs);
}

async function explainHeld(store: HeldPorts["store"], totals: readonly HeldTotal[], nowMs: number | null) {
  const days = await store.days.load([...new Set(totals.map(({ day }) => day))].slice(0, daysMax));
  const paused = new Set((await store.banks.all()).flatMap((one) => (isPausedAt(one, nowMs ?? 0) ? [one.bank] : [])));
  const rows = [];
  for (const total of totals) {
    const { outlook, why } = await explainWait(store, {
      bank: total.bank,
      day: days.get(total.day) ?? null,
      isPaused: paused.has(total.bank),
    });
    rows.push({ ...totalView(total, nowMs), ...outlookView(outlook, nowMs), why });
  }
  return rows;
}

/** Why debits of a bank and a day are held, by the domain's rules, and the same in a sentence. */
export async function explainWait(
  store: HeldPorts["store"],
  { bank, day, isPaused }: { readonly bank: string; readonly day: Day | null; readonly isPaused: boolean },
): Promise<{ readonly outlook: HeldOutlook; readonly why: string }> {
  const gate = day === null ? null : readGateStatus(day, bank);
  const outlook = heldOutlook(day, gate, isPaused);
  const reason = outlook.waitsFor === "gate" ? await loadGateReason(store, day, bank, gate) : null;
  return { outlook, why: waitText(outlook, reason) };
}

/** Returns a text that says what is wrong. */
function parseHeldQuery(query: URLSearchParams, schemes: readonly string[] | null): HeldTerms | string {
  const bank = query.get("bank");
  if (bank !== null && !isPartyId(bank)) return "bank: the id of a bank.";
  const day = query.get("day");
  if (day !== null && !isDayKey(day)) return "day: a day, for example ZA_EFT:2026-11-20.";
  const [scheme, businessDate] = day?.split(":") ?? [];
  return { schemes: schemes ?? undefined, bank: bank ?? undefined, scheme, businessDate };
}

/** Adds up by day, bank and currency; on-us and off-us debits wait in the same queue. */
function sumHeldDebits(totals: readonly TotalsRow[]): readonly HeldTotal[] {
  const byPlace = new Map<string, HeldTotal>();
  for (const { bank, scheme, businessDate, currency, count, sumTenThousandths, oldestReceivedAtMs } of totals) {
    if (bank === null || scheme === null || businessDate === null || currency === null) continue;
    const one = { bank, day: `${scheme}:${businessDate}`, currency, count, sumTenThousandths, oldestReceivedAtMs };
    const before = byPlace.get(totalKey(one));
    const sum =
      before === undefined
        ? one
        : {
            ...one,
            count: before.count + count,
            sumTenThousandths: before.sumTenThousandths + sumTenThousandths,
            oldestReceivedAtMs: Math.min(before.oldestReceivedAtMs, oldestReceivedAtMs),
          };
    byPlace.set(totalKey(one), sum);
  }
  return [...byPlace.values()].toSorted((a, b) => (totalKey(a) < totalKey(b) ? -1 : 1));
}

function totalKey({ day, bank, currency }: Pick<HeldTotal, "day" | "bank" | "currency">): string {
  return `${day} ${bank} ${currency}`;
}

function totalView({ bank, day, currency, count, sumTenThousandths, oldestReceivedAtMs }: HeldTotal, nowMs: number | null) {
  return {
    bank,
    day,
    currency,
    count,
    sum: formatAmount(sumTenThousandths, currency),
    oldestReceivedAt: formatInstant(oldestReceivedAtMs),
    oldestAgeSeconds: nowMs === null ? null : Math.max(0, Math.round((nowMs - oldestReceivedAtMs) / 1_000)),
  };
}

function outlookView({ waitsFor, opensAtMs, closesAtMs, reconciliationAtMs }: HeldOutlook, nowMs: number | null) {
  return {
    waitsFor,
    opens: formatOptionalInstant(opensAtMs),
    secondsToOpening: wholeSecondsUntil(opensAtMs, nowMs),
    closes: formatOptionalInstant(closesAtMs),
    secondsToClose: wholeSecondsUntil(closesAtMs, nowMs),
    reconciliation: formatOptionalInstant(reconciliationAtMs),
    secondsToReconciliation: wholeSecondsUntil(reconciliationAtMs, nowMs),
  };
}

async function loadGateReason(store: HeldPorts["store"], day: Day | null, bank: string, gate: GateStatus | null): Promise<string | null> {
  if (day === null || gate === null) return null;
  const credits = gate.kind === "credits-unresolved" ? await listAwaitedCredits(store, day, bank, gate.declaration) : null;
  return explainGate(gate, credits);
}

function waitText({ waitsFor }: HeldOutlook, gate: string | null): string {
  return waitsFor === "gate" ? `gate closed: ${gate ?? "not known"}` : sentences[waitsFor];
}

const sentences: Readonly<Record<Exclude<HeldOutlook["waitsFor"], "gate">, string>> = {
  "day-not-planned": "the day is not planned yet",
  "day-over": "the day is over: it becomes an item, or is carried over to the next business date",
  "no-window-ahead": "no window is ahead: the reconciliation close, or the next business date",
  "bank-paused": "the bank is paused by an operator",
  window: "the window is not open yet",
  turn: "released in its turn, as the bank acknowledges",
};
