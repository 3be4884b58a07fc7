// listUndelivered: what receivers have not taken. Without `bank` a row for each receiver and day whose close ends it (null: credits, outcomes
// told, postings); with it each of its messages, deliveries first, then event postings, by their place in the log.
//
// #1 Only what is parked: a message under its first attempt is in no list. The bodies are shown nowhere.
// #2 Each receiver says why nothing, or little, leaves to it, and each message whether it waits for that or for its own back-off.

import type { Configuration } from "@sluice/config";
import type { Day } from "@sluice/domain";
import type { EarlierAttempts, ParkedRow, ParkedTotals, Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { cursorOf, pageIn, pageOf, type Page } from "./control-page.ts";
import { invalid, isDayKey, secondsUntil, timeText } from "./control-values.ts";
import type { ParkedCount, ParkedCounts } from "./parked-counts.ts";
import { parkedTotalsView } from "./parked-totals.ts";
import { addressOf, addressView, receiversNow, whyHeld, type AddressNow, type ReceiverStanding } from "./receiver-standing.ts";
import { isPartyId } from "./search-terms-in.ts";

export interface UndeliveredPorts {
  readonly store: Pick<Store, "deliveries" | "postings" | "banks" | "days" | "addresses">;
  readonly counts: ParkedCounts;
  readonly configuration: Pick<Configuration, "banks" | "connectors">;
  readonly agreedNowMs: () => number | null;
}

const countingMaxMs = 3_000;

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

async function summary(ports: UndeliveredPorts, page: Page): Promise<ControlAnswer> {
  const { store } = ports;
  const nowMs = ports.agreedNowMs();
  const [counted, receivers] = await Promise.all([count(ports.counts), receiversNow(ports, nowMs)]);
  const { deliveries, postings, countedAtMs } = counted;
  const places = [...new Set([...deliveries, ...postings].map(placeOfTotals))].toSorted().map((place) => place.split(" "));
  const days = await store.days.load([...new Set(places.flatMap(([, day = ""]) => (day === "" ? [] : [day])))].slice(0, daysMax));
  const rows = places.map(([bank = "", day = ""]) => {
    const receiver = receivers.of(bank);
    const at = (service: AddressNow["service"], all: readonly ParkedTotals[]) => {
      const found = all.find((one) => placeOfTotals(one) === `${bank} ${day}`);
      const view = parkedTotalsView(found, nowMs);
      return isAllHeld(receiver, service) ? { ...view, nextAttempt: null } : view;
    };
    const closesAtMs = days.get(day)?.plan.reconciliationAtMs ?? null;
    const closing = { closes: timeText(closesAtMs), secondsToClose: secondsUntil(closesAtMs, nowMs) };
    return {
      bank,
      day: day === "" ? null : day,
      state: receiver.state,
      isPaused: receiver.pause !== null,
      until: timeText(receiver.untilMs),
      why: whyHeld(receiver),
      ...closing,
      deliveries: at("dispatcher", deliveries),
      postings: at("event-publisher", postings),
    };
  });
  const paged = pageOf(rows, page, ({ bank, day }) => placeOfTotals({ bank, closesWith: day }));
  return { kind: "found", body: { schema: "Undelivered", asOf: timeText(nowMs), countedAt: timeText(countedAtMs), ...paged } };
}

/** Of many the count before; where there is none yet, whoever asks waits, as long as questions may take. */
async function count(counts: ParkedCounts): Promise<ParkedCount> {
  return (await counts.within(countingMaxMs)) ?? (await counts.next());
}

/** Then nobody knows when the next attempt is: when what holds it is over. */
function isAllHeld({ pause, addresses }: ReceiverStanding, service: AddressNow["service"]): boolean {
  const mine = addresses.filter((one) => one.service === service);
  return pause !== null || (mine.length > 0 && mine.every(({ breaker }) => breaker !== null));
}

function placeOfTotals({ bank, closesWith }: Pick<ParkedTotals, "bank" | "closesWith">): string {
  return `${bank} ${closesWith ?? ""}`;
}

interface Place {
  readonly kind: "delivery" | "posting";
  readonly sequence: bigint;
  readonly id: string;
}

async function messages(ports: UndeliveredPorts, bank: string, page: Page): Promise<ControlAnswer> {
  const { store } = ports;
  const found = await parkedOf(store, bank, page);
  const nowMs = ports.agreedNowMs();
  const receivers = await receiversNow(ports, nowMs);
  const receiver = receivers.of(bank);
  const configured = receivers.receivers.get(bank) ?? null;
  const days = await store.days.load([...new Set(found.flatMap(({ row }) => (row.closesWith === null ? [] : [row.closesWith])))]);
  const rows = found.map(({ kind, row }) => {
    const address = addressOf(configured, receiver.addresses, { kind, operation: row.operation });
    return messageView({ kind, row }, { days, nowMs, isPaused: receiver.pause !== null, address });
  });
  const last = found.at(-1);
  // A full page may be the last: the next one is empty then.
  const next = last === undefined || found.length < page.limit ? null : cursorOf(placeText(last.kind, last.row));
  const held = {
    state: receiver.state,
    until: timeText(receiver.untilMs),
    why: whyHeld(receiver),
    addresses: receiver.addresses.map((address) => addressView(address, nowMs)),
  };
  return { kind: "found", body: { schema: "UndeliveredMessages", asOf: timeText(nowMs), bank, ...held, rows, next } };
}

interface Found {
  readonly kind: Place["kind"];
  readonly row: ParkedRow;
}

async function parkedOf(store: UndeliveredPorts["store"], bank: string, page: Page): Promise<readonly Found[]> {
  const after = page.after === null ? null : placeIn(page.after);
  const found: Found[] = [];
  if (after?.kind !== "posting") {
    const rows = await store.deliveries.ofBank(bank, after === null ? null : { bank, ...after }, page.limit);
    found.push(...rows.map((row) => ({ kind: "delivery" as const, row })));
  }
  if (found.length < page.limit) {
    const rows = await store.postings.ofBank(bank, after?.kind === "posting" ? { bank, ...after } : null, page.limit - found.length);
    found.push(...rows.map((row) => ({ kind: "posting" as const, row })));
  }
  return found;
}

interface Moment {
  readonly days: ReadonlyMap<string, Day>;
  readonly nowMs: number | null;
  readonly isPaused: boolean;
  readonly address: AddressNow | null;
}

function messageView({ kind, row }: Found, { days, nowMs, isPaused, address }: Moment) {
  const { id, uetr, lane, attempts, anyAnswer, mayHaveBeenTaken, recentAttempts, earlier, ended, closesWith } = row;
  const ownEndMs = row.redrive?.untilMs ?? row.deadlineMs ?? row.stopsAtMs;
  const closesAtMs = closesWith === null ? ownEndMs : (days.get(closesWith)?.plan.reconciliationAtMs ?? null);
  const isExpired = kind === "posting" && ended !== null && ownEndMs !== null && nowMs !== null && ownEndMs <= nowMs;
  const refusedOrExpired = isExpired ? "expired" : "refused";
  const waits = waitsFor(isPaused, address);
  return {
    kind,
    messageIdentification: id,
    uetr,
    lane,
    address: address?.address ?? null,
    standing: ended === null ? waits : refusedOrExpired,
    attempts,
    anyAnswer,
    mayHaveBeenTaken,
    nextAttempt: ended === null ? nextAttempt(row, waits, address) : null,
    day: closesWith,
    closes: timeText(closesAtMs),
    secondsToClose: secondsUntil(closesAtMs, nowMs),
    recentAttempts: recentAttempts.map(({ atMs, httpStatusCode, answer, tookMs, address: at, class: answerClass }) => ({
      at: instantText(atMs),
      httpStatusCode,
      class: answerClass,
      answer,
      tookMs,
      address: at,
    })),
    earlierAttempts: earlier === null ? null : earlierView(earlier),
  };
}

/** #2 */
function waitsFor(isPaused: boolean, address: AddressNow | null): "paused" | "breaker-open" | "gated" | "waiting" {
  if (isPaused) return "paused";
  if (address === null) return "waiting";
  if (address.breaker !== null) return "breaker-open";
  return address.gateUntilMs === null ? "waiting" : "gated";
}

/** Null: nobody knows; it is tried when what holds it is over. */
function nextAttempt({ nextAttemptAtMs }: ParkedRow, waits: ReturnType<typeof waitsFor>, address: AddressNow | null): string | null {
  if (waits === "paused" || waits === "breaker-open") return null;
  return instantText(Math.max(nextAttemptAtMs, address?.gateUntilMs ?? 0));
}

function earlierView({ count, firstAtMs, lastAtMs, answers }: EarlierAttempts) {
  return { count, from: instantText(firstAtMs), to: instantText(lastAtMs), answers };
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
