// transactionEvents: the events of the caller's own transaction from a stageVersion on, in order, exactly as they were
// or will be posted.
//
// #1 Only postings to the caller are returned: a caller that owns the transaction but gets no events of it sees an
//    empty list.
// #2 `webhookIds` has the id of each event's posting: a receiver recognises an event that was also posted, and can
//    check the chain.
// #3 A page is bounded; `next` is the stageVersion at which to continue. It is null if the newest state's event is in
//    the list.
// #4 What the topic no longer has is rendered again, in the form that the bank has chosen now.

import { lookUp, type LookUpPorts } from "./look-up.ts";
import type { TransactionQueryHandler } from "../http/bank-answer.ts";
import { findEvents, type FindEventsPorts } from "./find-events.ts";
import { type PastEventsPorts, renderPastEvents } from "./past-events.ts";

export function transactionEvents(ports: LookUpPorts & FindEventsPorts & PastEventsPorts): TransactionQueryHandler {
  return async (question) => {
    const found = await lookUp(question, ports);
    if (found.kind !== "own") return found;
    const { uetr, transaction, document } = found.own;
    const receiver = question.caller.id;
    const wanted = transaction.transitions.filter(({ stageVersion }) => stageVersion >= question.fromStageVersion);
    const page = await findEvents(
      { uetr, receiver, wanted, render: (stageVersion) => renderPastEvents(document, stageVersion, receiver, ports) },
      ports,
    );
    if (page === null) return { kind: "unavailable", detail: "The events could not be found in time. Ask again." };
    const events = page.events.map(({ body }) => body).join(",");
    const webhookIds = JSON.stringify(page.events.map(({ id }) => id));
    // The bodies are inserted as text, so that an amount keeps its digits.
    return {
      kind: "found",
      body: `{"schema":"TransactionEvents","uetr":"${uetr}","events":[${events}],"webhookIds":${webhookIds},"next":${page.next}}`,
    };
  };
}
