// The progress of a transaction's messages and postings: receipts of ended ones, and parked ones from the store.
//
// #1 Receipts are in the transaction's partition, after its first record. Parked messages are loaded from the store by
//    identification.
// #2 Attempts have the form in which services keep them: the newest one by one, earlier ones summed up, answers masked.
// #3 A process may die between the fact that a delivery ended and its receipt. The fact has the same attempts, so it
//    stands in for a receipt that is missing.

import type { ParkedAttempt, ParkedMessage, ParkedRow, Store } from "@sluice/store";
import type { AnyDecodedRecord, Attempt } from "@sluice/contracts";
import type { TimelineAttempt, TimelineEnd, TimelineParkedMessage } from "./timeline.ts";

export interface DeliveryProgress {
  readonly ends: ReadonlyMap<string, TimelineEnd>;
  readonly waiting: ReadonlyMap<string, TimelineParkedMessage>;
}

interface FoundEnd {
  readonly decoded: AnyDecodedRecord;
  readonly appendedAtMs: number;
}

/** Returns the ends by id. The newest receipt of an id counts, because a redriven message ends again. */
export function readEnds(receipts: readonly FoundEnd[], journal: readonly FoundEnd[]): ReadonlyMap<string, TimelineEnd> {
  const byId = new Map(journal.flatMap(readFactEnd));
  for (const { decoded } of receipts) {
    if (decoded.name !== "Receipt") continue;
    const { webhookId, outcome, attempts, firstAttemptAtMs, endedAtMs, recentAttempts, earlier, stoppedBy, confirmedBy } = decoded.value;
    byId.set(webhookId, {
      outcome,
      attempts,
      firstAttemptAtMs,
      endedAtMs,
      recentAttempts: recentAttempts.map(toTimelineAttempt),
      earlier,
      stoppedBy: stoppedBy === null ? null : { operator: stoppedBy, confirmedBy },
    });
  }
  return byId;
}

/**
 * #3. A stop is left out: it is answered also where nothing is known of the message, and a stopped delivery that was
 * known has a receipt.
 */
function readFactEnd({ decoded, appendedAtMs }: FoundEnd): readonly (readonly [string, TimelineEnd])[] {
  if (decoded.name !== "DeliveryEnded" || decoded.value.outcome === "STOPPED") return [];
  const { messageIdentification, outcome, attempts, recentAttempts } = decoded.value;
  const firstAttemptAtMs = recentAttempts[0]?.atMs ?? appendedAtMs;
  const end = { outcome, attempts, firstAttemptAtMs, endedAtMs: appendedAtMs, earlier: null, stoppedBy: null };
  return [[messageIdentification, { ...end, recentAttempts: recentAttempts.map(toTimelineAttempt) }]];
}

/**
 * Loads the parked messages and postings of these ids. The store takes 1,000 ids at once, and a transaction has a few
 * dozen.
 */
export async function loadWaiting(
  ids: readonly string[],
  store: Pick<Store, "deliveries" | "postings">,
): Promise<DeliveryProgress["waiting"]> {
  const asked = ids.slice(0, idsMax);
  if (asked.length === 0) return new Map();
  const [deliveries, postings] = await Promise.all([store.deliveries.load(asked), store.postings.load(asked)]);
  // A stopped message is not waiting; it is kept only for its partition worker.
  const waiting = [...deliveries, ...postings].filter(([, { ended }]) => ended !== "stopped");
  return new Map(waiting.map(([id, message]) => [id, toParkedMessage(message)]));
}

const idsMax = 1_000;

function toParkedMessage(message: ParkedMessage): TimelineParkedMessage {
  const { ended, nextAttemptAtMs, attempts, recentAttempts, earlier, stop } = message;
  const isTried = ended === null;
  return {
    isTried,
    stoppedBy: stop === null || !isStoppedByOperator(message) ? null : { operator: stop.operator, confirmedBy: stop.confirmedBy },
    nextAttemptAtMs: isTried ? nextAttemptAtMs : null,
    attempts,
    recentAttempts: recentAttempts.map(toTimelineAttempt),
    earlier,
  };
}

/** True if an operator had it tried no more, and nobody has redriven it since. */
export function isStoppedByOperator({ ended, stop, redrive }: Pick<ParkedRow, "ended" | "stop" | "redrive">): boolean {
  return ended === "refused" && stop !== null && (redrive === null || redrive.offset < stop.offset);
}

function toTimelineAttempt(attempt: Attempt | ParkedAttempt): TimelineAttempt {
  return { ...attempt, class: attempt.class.toLowerCase() };
}
