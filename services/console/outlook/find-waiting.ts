// Says what a transaction waits for, why, and what comes next, as one value. It is pure: everything that it needs was
// read at one moment.
//
// #1 The first reason that holds back the transaction counts: dead letters, then its state's own wait, then a person
//    who has to find out about an open item.
// #2 No time is promised that cannot be kept: a delivery behind an open breaker or a pause has no next attempt.

import type { HeldOutlook, Item, State, Transaction } from "@sluice/domain";
import type { Timeline, TimelineParkedMessage } from "@sluice/timeline";
import { formatOptionalInstant } from "../views/control-values.ts";
import { isItemOpen } from "../views/item-view.ts";
import type { ReceiverStatus } from "../views/receiver-status.ts";

export interface WaitingMoment {
  readonly transaction: Transaction;
  readonly messages: Timeline["messages"];
  /** Of a held debit; null: it is not held. */
  readonly held: { readonly outlook: HeldOutlook; readonly why: string } | null;
  /** Planned reconciliation close of its day, epoch milliseconds; null: not known, or a credit. */
  readonly closesAtMs: number | null;
  readonly receiverOf: (id: string) => Pick<ReceiverStatus, "state" | "endpoints" | "pause"> & { readonly why: readonly string[] };
}

export interface Waiting {
  readonly for: string;
  readonly why: string;
  readonly since: string | null;
  readonly nextAttempt: string | null;
  readonly until: string | null;
  readonly then: string;
}

interface Wait {
  readonly for: string;
  readonly why: string;
  readonly nextAttemptAtMs?: number | null;
  readonly untilMs?: number | null;
  readonly next: string;
}

/** #1 Null: it waits for nothing. */
export function findWaiting(moment: WaitingMoment): Waiting | null {
  const { transaction } = moment;
  const wait = waitForReplay(transaction) ?? waitOfState(moment) ?? waitForPerson(transaction);
  if (wait === null) return null;
  const { nextAttemptAtMs = null, untilMs = null, next, ...said } = wait;
  return {
    ...said,
    since: formatOptionalInstant(
      wait.for === "replay" ? (transaction.quarantined?.sinceMs ?? null) : (transaction.transitions.at(-1)?.atMs ?? null),
    ),
    nextAttempt: formatOptionalInstant(nextAttemptAtMs),
    until: formatOptionalInstant(untilMs),
    // oxlint-disable-next-line unicorn/no-thenable -- a text is no function, so that nothing awaits it
    then: next,
  };
}

function waitForReplay({ quarantined }: Transaction): Wait | null {
  if (quarantined === null) return null;
  const count = quarantined.records === 1 ? "a record" : `${quarantined.records} records`;
  return {
    for: "replay",
    why: `${count} of it could not be read or handled, and later messages follow into the dead letters`,
    next: "a person replays the dead letters; then the transaction goes on",
  };
}

function waitOfState(moment: WaitingMoment): Wait | null {
  const { transaction, held } = moment;
  if (held !== null) return waitOfHeld(moment, held);
  const delivery = waitForDelivery(moment);
  if (delivery !== null) return delivery;
  const until = { untilMs: moment.closesAtMs ?? transaction.deadlineMs ?? null };
  const kind = kinds[transaction.state];
  if (kind === undefined) return null;
  const otherwise = transaction.flow === "credit" ? "at its deadline" : "at the reconciliation close";
  return { ...kind, ...until, next: `${kind.next}; ${otherwise} it becomes a reconciliation item` };
}

const verdict = { for: "verdict", why: "the validator has not given its verdict yet", next: "it is accepted or rejected" } as const;
const report = { for: "report", why: "the bank took it and has not reported how it ended", next: "the bank's report ends it" } as const;
const underWay = { for: "delivery", why: "its message is on the way", next: "the receiver acknowledges it" } as const;

/** What a state waits for where no delivery is parked. */
const kinds: Readonly<Partial<Record<State | "ORPHAN", Pick<Wait, "for" | "why" | "next">>>> = {
  RECEIVED: verdict,
  ACCEPTED: underWay,
  REJECTED: underWay,
  RELEASED: underWay,
  DELIVERED: report,
  CREDIT_AUTH_RECEIVED: verdict,
  CREDIT_AUTH_DELIVERY_PENDING: underWay,
  CREDIT_AUTH_DELIVERED: report,
};

function waitOfHeld({ transaction }: WaitingMoment, { outlook, why }: NonNullable<WaitingMoment["held"]>): Wait {
  const { opensAtMs, closesAtMs, reconciliationAtMs, waitsFor } = outlook;
  const missed = transaction.carryOversMax > 0 ? "is carried over to the next business date" : "becomes a reconciliation item";
  const isOpening = waitsFor === "window";
  return {
    for: waitsFor,
    why,
    untilMs: isOpening ? opensAtMs : (closesAtMs ?? reconciliationAtMs),
    next: isOpening
      ? "the window opens, and it is released when gate and turn allow"
      : `it is released to the bank; if that does not happen before the close it ${missed}`,
  };
}

/** #2 Null: no delivery of it is parked. */
function waitForDelivery({ messages, receiverOf, closesAtMs, transaction }: WaitingMoment): Wait | null {
  const message = messages.findLast(({ direction, waiting }) => direction === "out" && waiting !== null);
  const waiting = message?.waiting ?? null;
  if (message === undefined || waiting === null) return null;
  const untilMs = closesAtMs ?? transaction.deadlineMs ?? null;
  if (!waiting.isTried) {
    return {
      for: "redrive",
      why:
        waiting.stoppedBy === null
          ? `${message.bank} refused ${message.operation}${lastCode(waiting)}`
          : `${waiting.stoppedBy.operator} had ${message.operation} to ${message.bank} tried no more${lastCode(waiting)}`,
      untilMs,
      next: "nothing is tried until a person redrives it",
    };
  }
  const { why, state } = receiverOf(message.bank);
  const isBlocked = state === "paused" || state === "maintenance" || state === "breaker-open";
  const attempts = waiting.attempts === 1 ? "one attempt" : `${waiting.attempts} attempts`;
  return {
    for: "delivery",
    why: [`${message.bank} has not acknowledged ${message.operation} after ${attempts}${lastCode(waiting)}`, ...why].join(". "),
    nextAttemptAtMs: isBlocked ? null : waiting.nextAttemptAtMs,
    untilMs,
    next: `${isBlocked ? "it is sent when the receiver is back" : "it is tried again"}; without an acknowledgement in time it becomes a reconciliation item`,
  };
}

function lastCode({ recentAttempts }: TimelineParkedMessage): string {
  const last = recentAttempts.at(-1);
  if (last === undefined) return "";
  return last.httpStatusCode === null ? " (no answer)" : ` (HTTP ${last.httpStatusCode})`;
}

function waitForPerson({ items }: Transaction): Wait | null {
  const item = items.find((one) => isItemOpen(one));
  if (item === undefined) return null;
  return isProposed(item)
    ? { for: "second-person", why: "somebody resolved its item, and a second person has to confirm it", next: "the item is closed" }
    : { for: "person", why: "its reconciliation item is open: somebody has to find out what became of it", next: "the item is resolved" };
}

function isProposed({ resolution }: Item): boolean {
  return resolution !== null && !resolution.isFinal;
}
