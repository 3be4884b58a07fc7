// transactionEvents: the events of one's own transaction from a stageVersion on, in order, exactly as they were or will be posted.
//
// #1 Only postings to the caller: somebody whose transaction it is, but who gets no events of it, is given an empty list.
// #2 `webhookIds` are those of the postings, one for each event: a receiver knows one that it was posted, too, and can check the chain.
// #3 A page is bounded; `next` is the stageVersion to go on with. It is null when the newest state's event is in the list.

import { lookUp, type LookUpPorts } from "./look-up.ts";
import type { Answering } from "./answer.ts";
import { findEvents, type FindEventsPorts } from "./find-events.ts";

export function transactionEvents(ports: LookUpPorts & FindEventsPorts): Answering {
  return async (question) => {
    const found = await lookUp(question, ports);
    if (found.kind !== "own") return found;
    const { uetr, transaction } = found.own;
    const wanted = transaction.transitions.filter(({ stageVersion }) => stageVersion >= question.from);
    const page = await findEvents({ uetr, receiver: question.caller.id, wanted }, ports);
    if (page === null) return { kind: "unavailable", detail: "The events could not be found in time. Ask again." };
    const events = page.events.map(({ body }) => body).join(",");
    const webhookIds = JSON.stringify(page.events.map(({ id }) => id));
    // The bodies are spliced in as they are: an amount keeps its digits.
    return {
      kind: "found",
      body: `{"schema":"TransactionEvents","uetr":"${uetr}","events":[${events}],"webhookIds":${webhookIds},"next":${page.next}}`,
    };
  };
}
