// What the bank that is down hears: of each message when it came first and when it was acknowledged, in arrays of numbers, and when it was asked at
// all while it was down. Says afterwards whether all came, in order and unchanged.
//
// 1. Every message that was appended is acknowledged, and nothing else came.
// 2. Every attempt has the bytes of its message.
// 3. A message is first tried, once the bank is up, after the one before it in its UETR was acknowledged.
// 4. The drain goes from old to new: how far messages of a lane came behind later ones is measured, not judged, for several are under way.

import { digestOf } from "./delivery-heard.ts";
import type { SameOnEveryAttempt } from "./delivery-heard.ts";
import { numberBefore, numberOf, waitingBody, waitingMessage } from "./outage-plan.ts";

export interface OutageHeard {
  /** Answers what is to be called when it is acknowledged. */
  arrived(message: SameOnEveryAttempt, atMs: number): () => void;
  acknowledged(): number;
  /** Arrivals while it was down, in order. */
  askedAtMs(): readonly number[];
  /** The first acknowledgement, and the first arrival of another message after it; null: not yet. */
  revival(): { readonly acceptedAtMs: number; readonly drainedAtMs: number | null } | null;
  verdict(appended: number): OutageVerdict;
}

export interface OutageVerdict {
  readonly problems: readonly string[];
  readonly attempts: number;
  readonly repeats: number;
  /** Messages of the lane that had come before, though they were appended later: of the worst message, and of the 99th percentile. */
  readonly behind: { readonly most: number; readonly p99: number };
}

const problemsMax = 10;
const askedMax = 100_000;

export function createOutageHeard(messagesMax: number): OutageHeard {
  /** Places in the order of all arrivals and acknowledgements while it is up; 0: none. */
  const firstAt = new Uint32Array(messagesMax);
  const acknowledgedAt = new Uint32Array(messagesMax);
  const askedAtMs: number[] = [];
  const strange: string[] = [];
  const counts = { place: 0, acknowledged: 0, attempts: 0, repeats: 0, strange: 0 };
  let revival: { number: number; acceptedAtMs: number; drainedAtMs: number | null } | null = null;

  function note(text: string): void {
    counts.strange += 1;
    if (strange.length < problemsMax) strange.push(text);
  }

  return {
    arrived(message, atMs) {
      counts.attempts += 1;
      const number = numberOf(message.id);
      if (number === null || number >= messagesMax) {
        note(`the bank heard ${message.id}, which nobody appended`);
        return () => {};
      }
      if (digestOf(message) !== digestOf(asAppended(number))) note(`${message.id} came other than it was appended`);
      if (revival === null && askedAtMs.length < askedMax) askedAtMs.push(atMs);
      if (revival !== null && revival.drainedAtMs === null && number !== revival.number) revival.drainedAtMs = atMs;
      counts.place += 1;
      const isUp = revival !== null;
      if (isUp && firstAt[number] === 0) firstAt[number] = counts.place;
      return () => {
        counts.place += 1;
        // What brought the bank back is first tried at its acknowledgement, as far as order goes.
        if (firstAt[number] === 0) firstAt[number] = counts.place;
        revival ??= { number, acceptedAtMs: atMs, drainedAtMs: null };
        if (acknowledgedAt[number] !== 0) {
          counts.repeats += 1;
          return;
        }
        acknowledgedAt[number] = counts.place;
        counts.acknowledged += 1;
      };
    },
    acknowledged: () => counts.acknowledged,
    askedAtMs: () => askedAtMs,
    revival: () => revival,
    verdict(appended) {
      const missing = acknowledgedAt.subarray(0, appended).reduce((count, place) => count + (place === 0 ? 1 : 0), 0);
      const unordered = outOfOrder(appended, firstAt, acknowledgedAt);
      return {
        problems: [
          ...strange,
          ...(counts.strange > strange.length ? [`${counts.strange - strange.length} more of that kind`] : []),
          ...(missing > 0 ? [`${missing} of ${appended} messages were never acknowledged`] : []),
          ...unordered.slice(0, problemsMax),
          ...(unordered.length > problemsMax ? [`${unordered.length - problemsMax} more out of order`] : []),
        ],
        attempts: counts.attempts,
        repeats: counts.repeats,
        behind: behindOf(appended, firstAt),
      };
    },
  };
}

/** What every attempt on it must bring. */
export function asAppended(number: number): SameOnEveryAttempt {
  const { id } = waitingMessage(number);
  return { id, idempotencyKey: id, operation: "inboundDirectDebit", body: waitingBody(number), sequence: "", previousId: "" };
}

/** 3 */
function outOfOrder(appended: number, firstAt: Uint32Array, acknowledgedAt: Uint32Array): readonly string[] {
  const found: string[] = [];
  for (let number = 0; number < appended; number += 1) {
    const before = numberBefore(number);
    const first = firstAt[number] ?? 0;
    if (before === null || first === 0) continue;
    const done = acknowledgedAt[before] ?? 0;
    if (done === 0 || done > first) found.push(`${waitingMessage(number).id} was tried before the one before it was acknowledged`);
  }
  return found;
}

/** 4 */
function behindOf(appended: number, firstAt: Uint32Array): OutageVerdict["behind"] {
  const lanes = new Map<number, number[]>();
  for (let number = 0; number < appended; number += 1) {
    if (firstAt[number] === 0) continue;
    const { lane } = waitingMessage(number);
    const of = lanes.get(lane) ?? [];
    lanes.set(lane, of);
    of.push(firstAt[number] ?? 0);
  }
  const behind = [...lanes.values()].flatMap((inOrderOfAppend) => behindInLane(inOrderOfAppend)).sort((one, other) => one - other);
  return { most: behind.at(-1) ?? 0, p99: behind[Math.floor(behind.length * 0.99)] ?? 0 };
}

/** Of each message of a lane: how many places later it came than its turn was. */
function behindInLane(inOrderOfAppend: readonly number[]): readonly number[] {
  const arrivals = inOrderOfAppend.map((place, turn) => ({ place, turn })).sort((one, other) => one.place - other.place);
  return arrivals.map(({ turn }, came) => Math.max(0, came - turn));
}
