// How far the messages and postings of a transaction have come: receipts of what ended, and what is parked of what has not.
//
// #1 A receipt lies in the transaction's lane, from when its story began; what is parked is asked of the store by identification.
// #2 Attempts are as the services keep them: the newest one by one, those before them summed up, answers masked.

import type { ParkedAttempt, ParkedMessage, Store } from "@sluice/store";
import type { AnyDecoded, Attempt } from "@sluice/contracts";
import type { TimelineAttempt, TimelineEnd, TimelineWaiting } from "./timeline.ts";

export interface Sending {
  readonly ends: ReadonlyMap<string, TimelineEnd>;
  readonly waiting: ReadonlyMap<string, TimelineWaiting>;
}

/** Of one id more than once: the newest counts, for a message that was redriven ends again. */
export function endsById(receipts: readonly { readonly decoded: AnyDecoded }[]): ReadonlyMap<string, TimelineEnd> {
  const byId = new Map<string, TimelineEnd>();
  for (const { decoded } of receipts) {
    if (decoded.name !== "Receipt") continue;
    const { webhookId, outcome, attempts, firstAttemptAtMs, endedAtMs, recentAttempts, earlier } = decoded.value;
    byId.set(webhookId, { outcome, attempts, firstAttemptAtMs, endedAtMs, recentAttempts: recentAttempts.map(attemptOf), earlier });
  }
  return byId;
}

/** What the dispatcher and the event-publisher have parked of these. A store takes 1,000 at once; a transaction has a few dozen. */
export async function waitingOf(ids: readonly string[], store: Pick<Store, "deliveries" | "postings">): Promise<Sending["waiting"]> {
  const asked = ids.slice(0, idsMax);
  if (asked.length === 0) return new Map();
  const [deliveries, postings] = await Promise.all([store.deliveries.load(asked), store.postings.load(asked)]);
  // What was stopped waits for nothing: it is kept for its lane alone.
  const waiting = [...deliveries, ...postings].filter(([, { ended }]) => ended !== "stopped");
  return new Map(waiting.map(([id, message]) => [id, waitingIn(message)]));
}

const idsMax = 1_000;

function waitingIn({ ended, nextAttemptAtMs, attempts, recentAttempts, earlier }: ParkedMessage): TimelineWaiting {
  const isTried = ended === null;
  return {
    isTried,
    nextAttemptAtMs: isTried ? nextAttemptAtMs : null,
    attempts,
    recentAttempts: recentAttempts.map(attemptOf),
    earlier,
  };
}

function attemptOf(attempt: Attempt | ParkedAttempt): TimelineAttempt {
  return { ...attempt, class: attempt.class.toLowerCase() };
}
