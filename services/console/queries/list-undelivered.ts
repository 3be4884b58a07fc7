// listUndelivered: what receivers have not acknowledged. Without `bank`: one row for each receiver and each day whose
// close ends the wait (null: credits, outcome reports, postings). With `bank`: each of its messages, first deliveries
// and then event postings, in the order of the topic.
//
// #1 Only parked messages are listed: a message under its first attempt is in no list. Message bodies are never shown.
// #2 Each receiver shows why little or nothing is sent to it, and each message whether it waits for that or for its own
//    back-off.

import type { Configuration } from "@sluice/config";
import type { AttemptSummary, ParkedRow, ParkedTotals, Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { encodeCursor, parsePageRequest, slicePage, type PageRequest } from "../views/page.ts";
import { invalidRequest, isDayKey, wholeSecondsUntil, formatOptionalInstant } from "../views/control-values.ts";
import type { ParkedCount, ParkedCounts } from "./parked-counts.ts";
import { answerView, parkedMessageView, type ParkedMoment } from "../views/parked-message.ts";
import { parkedTotalsView } from "../views/parked-totals.ts";
import {
  findEndpointStatus,
  endpointView,
  loadReceiverStatuses,
  explainReceiver,
  type EndpointStatus,
  type ReceiverStatus,
} from "../views/receiver-status.ts";
import { lastWindowCloseMs, windowCloseView } from "../views/window-close.ts";
import { loadClosingDays, loadParkedPage, type FoundMessage } from "../views/parked-page.ts";
import { isPartyId } from "./parse-search-terms.ts";

export interface UndeliveredPorts {
  readonly store: Pick<Store, "deliveries" | "postings" | "banks" | "days" | "endpointHealth">;
  readonly counts: ParkedCounts;
  readonly configuration: Pick<Configuration, "banks" | "connectors">;
  readonly brokerNowMs: () => number | null;
}

const countingMaxMs = 3_000;

/** Days whose plans are loaded at once. */
const daysMax = 1_000;

export function listUndelivered(ports: UndeliveredPorts): ControlHandler {
  return async ({ query }) => {
    const bank = query.get("bank");
    if (bank !== null && !isPartyId(bank)) return invalidRequest("bank: the id of a bank or connector.");
    if (bank !== null) {
      const found = await undeliveredMessages(ports, bank, query);
      return "kind" in found ? found : { kind: "found", body: found };
    }
    const page = parsePageRequest(query, isTotalsKey);
    return typeof page === "string" ? invalidRequest(page) : await summarise(ports, page);
  };
}

/** The messages that one receiver has not taken, or a refusal of the question. */
export async function undeliveredMessages(ports: UndeliveredPorts, bank: string, query: URLSearchParams) {
  const page = parsePageRequest(query, isPlace);
  return typeof page === "string" ? invalidRequest(page) : await listMessages(ports, bank, page);
}

async function summarise(ports: UndeliveredPorts, page: PageRequest): Promise<ControlAnswer> {
  const nowMs = ports.brokerNowMs();
  const { rows, countedAtMs } = await loadUndelivered(ports, nowMs);
  const paged = slicePage(rows, page, ({ bank, day }) => totalsKey({ receiverId: bank, reconciliationDay: day }));
  return {
    kind: "found",
    body: { schema: "Undelivered", asOf: formatOptionalInstant(nowMs), countedAt: formatOptionalInstant(countedAtMs), ...paged },
  };
}

/** What waits for each receiver, by the day whose close ends it. */
export async function loadUndelivered(ports: UndeliveredPorts, nowMs: number | null, waitMaxMs = countingMaxMs) {
  const { store } = ports;
  const [counted, receivers] = await Promise.all([count(ports.counts, waitMaxMs), loadReceiverStatuses(ports, nowMs)]);
  const { deliveries, postings, countedAtMs } = counted;
  const places = [...new Set([...deliveries, ...postings].map(totalsKey))].toSorted().map((place) => place.split(" "));
  const days = await store.days.load([...new Set(places.flatMap(([, day = ""]) => (day === "" ? [] : [day])))].slice(0, daysMax));
  const byPlace = (all: readonly ParkedTotals[]) => new Map(all.map((one) => [totalsKey(one), one]));
  const [deliveriesAt, postingsAt] = [byPlace(deliveries), byPlace(postings)];
  const rows = places.map(([bank = "", day = ""]) => {
    const receiver = receivers.of(bank);
    const at = (service: EndpointStatus["service"], all: ReadonlyMap<string, ParkedTotals>) => {
      const view = parkedTotalsView(all.get(`${bank} ${day}`), nowMs);
      return isBlocked(receiver, service) ? { ...view, nextAttempt: null } : view;
    };
    const closesAtMs = days.get(day)?.plan.reconciliationAtMs ?? null;
    const windowClose = windowCloseView(lastWindowCloseMs(days.get(day)), nowMs);
    const closing = { ...windowClose, closes: formatOptionalInstant(closesAtMs), secondsToClose: wholeSecondsUntil(closesAtMs, nowMs) };
    return {
      bank,
      day: day === "" ? null : day,
      state: receiver.state,
      isPaused: receiver.pause !== null,
      until: formatOptionalInstant(receiver.untilMs),
      why: explainReceiver(receiver),
      ...closing,
      deliveries: at("dispatcher", deliveriesAt),
      postings: at("event-publisher", postingsAt),
    };
  });
  return { rows, countedAtMs };
}

/**
 * A slow count is replaced by the previous one; if there is none yet, the request waits as long as requests may take.
 */
async function count(counts: ParkedCounts, waitMaxMs: number): Promise<ParkedCount> {
  return (await counts.within(waitMaxMs)) ?? (await counts.next());
}

/** True if no attempt is scheduled: the next one comes when the pause or the breaker ends. */
function isBlocked({ pause, endpoints }: ReceiverStatus, service: EndpointStatus["service"]): boolean {
  const mine = endpoints.filter((one) => one.service === service);
  return pause !== null || (mine.length > 0 && mine.every(({ breaker }) => breaker !== null));
}

function totalsKey({ receiverId, reconciliationDay }: Pick<ParkedTotals, "receiverId" | "reconciliationDay">): string {
  return `${receiverId} ${reconciliationDay ?? ""}`;
}

interface Place {
  readonly kind: "delivery" | "posting";
  readonly sequence: bigint;
  readonly id: string;
}

async function listMessages(ports: UndeliveredPorts, bank: string, page: PageRequest) {
  const { store } = ports;
  const place = page.after === null ? null : parsePlace(page.after);
  const after = place === null ? null : { receiverId: bank, ...place };
  const found = await loadParkedPage(store, { receiverId: bank, after, limit: page.limit, attemptsMin: 0 });
  const nowMs = ports.brokerNowMs();
  const receivers = await loadReceiverStatuses(ports, nowMs);
  const receiver = receivers.of(bank);
  const configured = receivers.receivers.get(bank) ?? null;
  const days = await loadClosingDays(store, found);
  const rows = found.map(({ kind, row }) => {
    const address = findEndpointStatus(configured, receiver.endpoints, { kind, operation: row.operation });
    return messageView({ kind, row }, { days, nowMs, isPaused: receiver.pause !== null, address });
  });
  const last = found.at(-1);
  // A full page may be the last one; the next page is then empty.
  const next = last === undefined || found.length < page.limit ? null : encodeCursor(placeText(last.kind, last.row));
  const status = {
    state: receiver.state,
    until: formatOptionalInstant(receiver.untilMs),
    why: explainReceiver(receiver),
    endpoints: receiver.endpoints.map((address) => endpointView(address, nowMs)),
  };
  return { schema: "UndeliveredMessages", asOf: formatOptionalInstant(nowMs), bank, ...status, rows, next };
}

function messageView({ kind, row }: FoundMessage, moment: ParkedMoment) {
  const { recentAttempts, earlier } = row;
  return {
    ...parkedMessageView(kind, row, moment),
    recentAttempts: recentAttempts.map((attempt) => ({ ...answerView(attempt), tookMs: attempt.tookMs, address: attempt.address })),
    earlierAttempts: earlier === null ? null : earlierView(earlier),
  };
}

function earlierView({ count, firstAtMs, lastAtMs, answers }: AttemptSummary) {
  return { count, from: formatInstant(firstAtMs), to: formatInstant(lastAtMs), answers };
}

function placeText(kind: Place["kind"], { sequence, id }: Pick<ParkedRow, "sequence" | "id">): string {
  return `${kind} ${sequence} ${id}`;
}

function isTotalsKey(text: string): boolean {
  const [bank = "", day, ...rest] = text.split(" ");
  return isPartyId(bank) && (day === "" || (day !== undefined && isDayKey(day))) && rest.length === 0;
}

function isPlace(text: string): boolean {
  return /^(delivery|posting) \d{1,19} \S.*$/.test(text);
}

function parsePlace(text: string): Place {
  const [kind, sequence = "0", ...id] = text.split(" ");
  return { kind: kind === "posting" ? "posting" : "delivery", sequence: BigInt(sequence), id: id.join(" ") };
}
