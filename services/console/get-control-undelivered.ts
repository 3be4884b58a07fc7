// listUndelivered: what receivers have not taken. Without `bank` one row for each receiver; with it each of its messages, deliveries first, then
// event postings, by their place in the log.
//
// #1 Only what is parked: a message under its first attempt is in no list. The bodies are shown nowhere.

import type { Day } from "@sluice/domain";
import type { ParkedRow, ParkedTotals, Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { cursorOf, pageIn, pageOf, type Page } from "./control-page.ts";
import { invalid, secondsUntil, timeText } from "./control-values.ts";
import { isPartyId } from "./search-terms-in.ts";

export interface UndeliveredPorts {
  readonly store: Pick<Store, "deliveries" | "postings" | "banks" | "days">;
  readonly agreedNowMs: () => number | null;
}

export function listUndelivered(ports: UndeliveredPorts): ControlHandler {
  return async ({ query }) => {
    const bank = query.get("bank");
    if (bank !== null && !isPartyId(bank)) return invalid("bank: the id of a bank or connector.");
    const page = pageIn(query, bank === null ? isPartyId : isPlace);
    if (typeof page === "string") return invalid(page);
    return bank === null ? await summary(ports, page) : await messages(ports, bank, page);
  };
}

async function summary({ store, agreedNowMs }: UndeliveredPorts, page: Page): Promise<ControlAnswer> {
  const [deliveries, postings, standings, open] = await Promise.all([
    store.deliveries.totals(),
    store.postings.totals(),
    store.banks.all(),
    store.days.open(),
  ]);
  const nowMs = agreedNowMs();
  const paused = new Set(standings.flatMap(({ bank, isPaused }) => (isPaused ? [bank] : [])));
  const banks = [...new Set([...deliveries, ...postings].map(({ bank }) => bank))].toSorted();
  const closesAtMs = earliestClose(open);
  const rows = banks.map((bank) => ({
    bank,
    isPaused: paused.has(bank),
    deliveries: totalsView(deliveries.find((one) => one.bank === bank)),
    postings: totalsView(postings.find((one) => one.bank === bank)),
    nextClose: timeText(closesAtMs),
    secondsToClose: secondsUntil(closesAtMs, nowMs),
  }));
  return { kind: "found", body: { schema: "Undelivered", asOf: timeText(nowMs), ...pageOf(rows, page, ({ bank }) => bank) } };
}

/** Of the days that are not reconciled, the close that comes first. */
function earliestClose(open: readonly Day[]): number | null {
  const times = open.map(({ plan }) => plan.reconciliationAtMs);
  return times.length === 0 ? null : Math.min(...times);
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
  const days = await store.days.load([...new Set(found.flatMap(({ row }) => (row.closesWith === null ? [] : [row.closesWith])))]);
  const rows = found.map(({ kind, row }) => messageView(kind, row, days, nowMs));
  const last = found.at(-1);
  // A full page may be the last: the next one is empty then.
  const next = last === undefined || found.length < wanted ? null : cursorOf(placeText(last.kind, last.row));
  return { kind: "found", body: { schema: "UndeliveredMessages", asOf: timeText(nowMs), bank, rows, next } };
}

function messageView(kind: Place["kind"], row: ParkedRow, days: ReadonlyMap<string, Day>, nowMs: number | null) {
  const { id, uetr, lane, attempts, anyAnswer, mayHaveBeenTaken, recentAttempts, ended, closesWith } = row;
  const closesAtMs = closesWith === null ? (row.deadlineMs ?? row.stopsAtMs) : (days.get(closesWith)?.plan.reconciliationAtMs ?? null);
  return {
    kind,
    messageIdentification: id,
    uetr,
    lane,
    isRefused: ended !== null,
    attempts,
    anyAnswer,
    mayHaveBeenTaken,
    nextAttempt: ended === null ? instantText(row.nextAttemptAtMs) : null,
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

function isPlace(text: string): boolean {
  return /^(delivery|posting) \d{1,19} \S.*$/.test(text);
}

function placeIn(text: string): Place {
  const [kind, sequence = "0", ...id] = text.split(" ");
  return { kind: kind === "posting" ? "posting" : "delivery", sequence: BigInt(sequence), id: id.join(" ") };
}
