// listUndelivered: what receivers have not taken. Without `bank` a row for each receiver and day whose close ends it (null: credits, outcomes
// told, postings); with it each of its messages, deliveries first, then event postings, by their place in the log.
//
// #1 Only what is parked: a message under its first attempt is in no list. The bodies are shown nowhere.

import { isPausedAt, type BankStanding, type Day } from "@sluice/domain";
import type { ParkedRow, ParkedTotals, Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { cursorOf, pageIn, pageOf, type Page } from "./control-page.ts";
import { invalid, isDayKey, secondsUntil, timeText } from "./control-values.ts";
import { isPartyId } from "./search-terms-in.ts";

export interface UndeliveredPorts {
  readonly store: Pick<Store, "deliveries" | "postings" | "banks" | "days">;
  readonly agreedNowMs: () => number | null;
}

/** Days whose plan is read at once. */
const daysMax = 1_000;

export function listUndelivered(ports: UndeliveredPorts): ControlHandler {
  return async ({ query }) => {
    const bank = query.get("bank");
    if (bank !== null && !isPartyId(bank)) return invalid("bank: the id of a bank or connector.");
    const page = pageIn(query, bank === null ? isPlaceOfTotals : isPlace);
    if (typeof page === "string") return invalid(page);
    return bank === null ? await summary(ports, page) : await messages(ports, bank, page);
  };
}

async function summary({ store, agreedNowMs }: UndeliveredPorts, page: Page): Promise<ControlAnswer> {
  const [deliveries, postings, standings] = await Promise.all([store.deliveries.totals(), store.postings.totals(), store.banks.all()]);
  const nowMs = agreedNowMs();
  const paused = pausedIn(standings, nowMs);
  const places = [...new Set([...deliveries, ...postings].map(placeOfTotals))].toSorted().map((place) => place.split(" "));
  const days = await store.days.load([...new Set(places.flatMap(([, day = ""]) => (day === "" ? [] : [day])))].slice(0, daysMax));
  const rows = places.map(([bank = "", day = ""]) => {
    const at = (all: readonly ParkedTotals[]) => totalsView(all.find((one) => placeOfTotals(one) === `${bank} ${day}`));
    const closesAtMs = days.get(day)?.plan.reconciliationAtMs ?? null;
    const closing = { closes: timeText(closesAtMs), secondsToClose: secondsUntil(closesAtMs, nowMs) };
    return {
      bank,
      day: day === "" ? null : day,
      isPaused: paused.has(bank),
      ...closing,
      deliveries: at(deliveries),
      postings: at(postings),
    };
  });
  const paged = pageOf(rows, page, ({ bank, day }) => placeOfTotals({ bank, closesWith: day }));
  return { kind: "found", body: { schema: "Undelivered", asOf: timeText(nowMs), ...paged } };
}

function placeOfTotals({ bank, closesWith }: Pick<ParkedTotals, "bank" | "closesWith">): string {
  return `${bank} ${closesWith ?? ""}`;
}

/** Before agreed time is known no maintenance is over. */
function pausedIn(standings: readonly BankStanding[], nowMs: number | null): ReadonlySet<string> {
  return new Set(standings.flatMap((one) => (isPausedAt(one, nowMs ?? 0) ? [one.bank] : [])));
}

function totalsView(totals: ParkedTotals | undefined) {
  if (totals === undefined) return { waiting: 0, refused: 0, nextAttempt: null, firstDeadline: null };
  const { count, refused, nextAttemptAtMs, deadlineMs } = totals;
  return { waiting: count - refused, refused, nextAttempt: timeText(nextAttemptAtMs), firstDeadline: timeText(deadlineMs) };
}

interface Place {
  readonly kind: "delivery" | "posting";
  readonly sequence: bigint;
  readonly id: string;
}

async function messages({ store, agreedNowMs }: UndeliveredPorts, bank: string, page: Page): Promise<ControlAnswer> {
  const after = page.after === null ? null : placeIn(page.after);
  const wanted = page.limit;
  const found: { readonly kind: Place["kind"]; readonly row: ParkedRow }[] = [];
  if (after?.kind !== "posting") {
    const rows = await store.deliveries.ofBank(bank, after === null ? null : { bank, ...after }, wanted);
    found.push(...rows.map((row) => ({ kind: "delivery" as const, row })));
  }
  if (found.length < wanted) {
    const rows = await store.postings.ofBank(bank, after?.kind === "posting" ? { bank, ...after } : null, wanted - found.length);
    found.push(...rows.map((row) => ({ kind: "posting" as const, row })));
  }
  const nowMs = agreedNowMs();
  const isPaused = pausedIn([...(await store.banks.load([bank])).values()], nowMs).has(bank);
  const days = await store.days.load([...new Set(found.flatMap(({ row }) => (row.closesWith === null ? [] : [row.closesWith])))]);
  const rows = found.map(({ kind, row }) => messageView({ kind, row }, { days, nowMs, isPaused }));
  const last = found.at(-1);
  // A full page may be the last: the next one is empty then.
  const next = last === undefined || found.length < wanted ? null : cursorOf(placeText(last.kind, last.row));
  return { kind: "found", body: { schema: "UndeliveredMessages", asOf: timeText(nowMs), bank, rows, next } };
}

interface Moment {
  readonly days: ReadonlyMap<string, Day>;
  readonly nowMs: number | null;
  readonly isPaused: boolean;
}

function messageView({ kind, row }: { readonly kind: Place["kind"]; readonly row: ParkedRow }, { days, nowMs, isPaused }: Moment) {
  const { id, uetr, lane, attempts, anyAnswer, mayHaveBeenTaken, recentAttempts, ended, closesWith } = row;
  const ownEndMs = row.redrive?.untilMs ?? row.deadlineMs ?? row.stopsAtMs;
  const closesAtMs = closesWith === null ? ownEndMs : (days.get(closesWith)?.plan.reconciliationAtMs ?? null);
  const isExpired = kind === "posting" && ended !== null && ownEndMs !== null && nowMs !== null && ownEndMs <= nowMs;
  const refusedOrExpired = isExpired ? "expired" : "refused";
  const waiting = isPaused ? "paused" : "waiting";
  return {
    kind,
    messageIdentification: id,
    uetr,
    lane,
    standing: ended === null ? waiting : refusedOrExpired,
    attempts,
    anyAnswer,
    mayHaveBeenTaken,
    nextAttempt: ended === null && !isPaused ? instantText(row.nextAttemptAtMs) : null,
    day: closesWith,
    closes: timeText(closesAtMs),
    secondsToClose: secondsUntil(closesAtMs, nowMs),
    recentAttempts: recentAttempts.map(({ atMs, httpStatusCode, answer, tookMs }) => ({
      at: instantText(atMs),
      httpStatusCode,
      answer,
      tookMs,
    })),
  };
}

function placeText(kind: Place["kind"], { sequence, id }: Pick<ParkedRow, "sequence" | "id">): string {
  return `${kind} ${sequence} ${id}`;
}

function isPlaceOfTotals(text: string): boolean {
  const [bank = "", day, ...rest] = text.split(" ");
  return isPartyId(bank) && (day === "" || (day !== undefined && isDayKey(day))) && rest.length === 0;
}

function isPlace(text: string): boolean {
  return /^(delivery|posting) \d{1,19} \S.*$/.test(text);
}

function placeIn(text: string): Place {
  const [kind, sequence = "0", ...id] = text.split(" ");
  return { kind: kind === "posting" ? "posting" : "delivery", sequence: BigInt(sequence), id: id.join(" ") };
}
