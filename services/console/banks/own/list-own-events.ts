// listOwnEvents: how many events of a bank were made in a time, how their postings stand, and those that the bank does
// not have.
//
// #1 An event that was acknowledged is not posted again (ADR 139): the bank asks for it. What was refused can be
//    redriven, and the rest is under way.
// #2 One answer counts at most `eventsMax` events and names at most `listedMax`; `next` goes on behind them.
// #3 Bodies are in memory while they are counted, so few answers are made at once.

import type { ControlHandler } from "../../http/control-handler.ts";
import { formatInstant } from "../../http/bank-answer.ts";
import { formatOptionalInstant } from "../../views/control-values.ts";
import { formatEventsPlace } from "../../own-transactions/walk-events.ts";
import {
  createEventsSlots,
  eventsBusy,
  loadOwnEvents,
  type OwnEvent,
  type OwnEventsPorts,
  parseEventsSpan,
  showOwnEvent,
} from "./own-events.ts";

/** #2 */
const eventsMax = 10_000;
const listedMax = 100;
/** Bytes of bodies that one answer holds in memory while it counts. */
const bytesMax = 8 * 1024 * 1024;

export function listOwnEvents(ports: OwnEventsPorts): ControlHandler {
  const slots = createEventsSlots();
  return async ({ path, query, operator }) => {
    const asked = parseEventsSpan(ports.configuration, path["bank"] ?? "", query);
    if ("kind" in asked) return asked;
    // #3
    const slot = slots.acquire(operator.id);
    if (slot === null) return eventsBusy;
    const { rows, next } = await loadOwnEvents(ports, asked, { eventsMax, bytesMax }, showOwnEvent).finally(() => slot.release());
    const open = rows.filter(({ status }) => status !== "done" && status !== "not-posted");
    const { bank, fromMs, toMs } = asked.span;
    return {
      kind: "found",
      body: {
        schema: "OwnEvents",
        asOf: formatOptionalInstant(ports.brokerNowMs()),
        bank,
        from: formatInstant(fromMs),
        to: formatInstant(toMs),
        isPosted: asked.isPosted,
        count: rows.length,
        transactions: new Set(rows.map(({ uetr }) => uetr)).size,
        bytes: rows.reduce((sum, one) => sum + one.bytes, 0),
        counts: countStatuses(rows),
        rows: open.slice(0, listedMax).map(({ bytes: _bytes, ...row }) => row),
        rowsCount: open.length,
        next: next === null ? null : formatEventsPlace(next),
      },
    };
  };
}

function countStatuses(rows: readonly OwnEvent[]) {
  const number = (wanted: OwnEvent["status"]): number => rows.filter(({ status }) => status === wanted).length;
  return {
    done: number("done"),
    underWay: number("under-way"),
    waiting: number("waiting"),
    refused: number("refused"),
    stopped: number("stopped"),
    expired: number("expired"),
    notPosted: number("not-posted"),
  };
}
