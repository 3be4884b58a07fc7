// listFailing: the messages that were attempted three times or more and are not acknowledged. Such a message says
// nothing about its receiver, so it may fail for days while all others pass.
//
// #1 All receivers, or one, in pages (`views/parked-page.ts`).
// #2 Message bodies are never shown.

import { failingFromAttempts } from "@sluice/contracts";
import type { ParkedCursor } from "@sluice/store";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { formatOptionalInstant, invalidRequest } from "../views/control-values.ts";
import { encodeCursor, parsePageRequest, type PageRequest } from "../views/page.ts";
import { answerView, parkedMessageView } from "../views/parked-message.ts";
import { findEndpointStatus, loadReceiverStatuses } from "../views/receiver-status.ts";
import type { UndeliveredPorts } from "./list-undelivered.ts";
import { loadClosingDays, loadParkedPage, type FoundMessage } from "../views/parked-page.ts";
import { isPartyId } from "./parse-search-terms.ts";

export type FailingPorts = Omit<UndeliveredPorts, "counts">;

export function listFailing(ports: FailingPorts): ControlHandler {
  return async ({ query }) => {
    const bank = query.get("bank");
    if (bank !== null && !isPartyId(bank)) return invalidRequest("bank: the id of a bank or connector.");
    const page = parsePageRequest(query, (text) => parsePlace(text) !== null);
    if (typeof page === "string") return invalidRequest(page);
    return await listPage(ports, bank, page);
  };
}

async function listPage(ports: FailingPorts, bank: string | null, page: PageRequest): Promise<ControlAnswer> {
  const { store, brokerNowMs } = ports;
  const after = page.after === null ? null : parsePlace(page.after);
  const found = await loadParkedPage(store, { receiverId: bank, after, limit: page.limit, attemptsMin: failingFromAttempts });
  const nowMs = brokerNowMs();
  const rows = await attemptedView(ports, found, nowMs);
  const last = found.at(-1);
  // A full page may be the last one; the next page is then empty.
  const next = last === undefined || found.length < page.limit ? null : encodeCursor(placeText(last));
  const body = { schema: "FailingMessages", asOf: formatOptionalInstant(nowMs), attemptsMin: failingFromAttempts, rows, next };
  return { kind: "found", body };
}

/** Messages with their last answer, as they wait now. */
export async function attemptedView(ports: FailingPorts, found: readonly FoundMessage[], nowMs: number | null) {
  const receivers = await loadReceiverStatuses(ports, nowMs);
  const days = await loadClosingDays(ports.store, found);
  return found.map(({ kind, row }) => {
    const { receiverId, operation, recentAttempts, earlier } = row;
    const receiver = receivers.of(receiverId);
    const configured = receivers.receivers.get(receiverId) ?? null;
    const address = findEndpointStatus(configured, receiver.endpoints, { kind, operation });
    const last = recentAttempts.at(-1);
    return {
      bank: receiverId,
      operation,
      since: formatOptionalInstant(earlier?.firstAtMs ?? recentAttempts[0]?.atMs ?? null),
      lastAnswer: last === undefined ? null : answerView(last),
      ...parkedMessageView(kind, row, { days, nowMs, isPaused: receiver.pause !== null, address }),
    };
  });
}

function placeText({ kind, row: { receiverId, sequence, id } }: FoundMessage): string {
  return `${kind} ${receiverId} ${sequence} ${id}`;
}

function parsePlace(text: string): (ParkedCursor & Pick<FoundMessage, "kind">) | null {
  const [, kind, receiverId = "", sequence = "", id = ""] = /^(delivery|posting) (\S+) (\d{1,19}) (\S.*)$/.exec(text) ?? [];
  if ((kind !== "delivery" && kind !== "posting") || !isPartyId(receiverId)) return null;
  return { kind, receiverId, sequence: BigInt(sequence), id };
}
