// bankEvents: every event that was or will be posted to the caller and that was made in a time, exactly as posted, so
// that a bank which has lost a day of them can have them again (`walk-events.ts`).

import type { Caller } from "@sluice/service";
import type { TransactionAnswer } from "../http/bank-answer.ts";
import { type EventsPlace, formatEventsPlace, walkEvents, type WalkedEvents, type WalkEventsPorts } from "./walk-events.ts";

interface EventsQuestion {
  readonly caller: Caller;
  readonly fromMs: number;
  readonly toMs: number;
  readonly after: EventsPlace;
}

export type EventsQueryHandler = (question: EventsQuestion) => Promise<TransactionAnswer>;

/** A page as a bank is answered it. */
export const postedPage = { eventsMax: 100, bytesMax: 1024 * 1024 } as const;

export function bankEvents(ports: WalkEventsPorts): EventsQueryHandler {
  return async ({ caller, ...span }) => {
    return { kind: "found", body: writePage(await walkEvents(ports, { ...span, bank: caller.id }, postedPage)) };
  };
}

/** The bodies are inserted as text, so that an amount keeps its digits. */
export function writePage({ events, next }: WalkedEvents): string {
  const webhookIds = JSON.stringify(events.map(({ id }) => id));
  const bodies = events.map(({ body }) => body).join(",");
  const cursor = JSON.stringify(next === null ? null : formatEventsPlace(next));
  return `{"schema":"BankEvents","events":[${bodies}],"webhookIds":${webhookIds},"next":${cursor}}`;
}
