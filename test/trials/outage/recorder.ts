// Records what the bank of an outage trial receives: in arrays of numbers, when each message first came and when it was
// acknowledged, and all arrivals while the bank was down. Afterwards it verifies that all messages came, in order and
// unchanged.
//
// #1 Every message that was appended is acknowledged, and nothing else came.
// #2 Every attempt has the bytes of its message.
// #3 Once the bank is up, a message is first tried after the message before it in its UETR was acknowledged.
// #4 The drain goes from old to new. How far messages of a partition came behind later ones is measured and not
//    asserted, because several are in flight at a time.

import { type AttemptContent, digestContent } from "../delivery/recorder.ts";
import { precedingNumber, parseMessageNumber, waitingBody, waitingMessage } from "./plan.ts";

export interface OutageRecorder {
  /** Records an attempt. The caller calls the returned function when the bank acknowledges it. */
  recordArrival(message: AttemptContent, atMs: number): () => void;
  acknowledged(): number;
  /** Returns the times of arrivals while the bank was down, in order. */
  arrivalsWhileDownMs(): readonly number[];
  /** Returns the times of the first acknowledgement and of the first other message after it; null before that. */
  revival(): { readonly acceptedAtMs: number; readonly drainedAtMs: number | null } | null;
  verdict(appended: number): OutageVerdict;
}

export interface OutageVerdict {
  readonly problems: readonly string[];
  readonly attempts: number;
  readonly repeats: number;
  /**
   * How many later messages of the same partition came before a message: of the worst one, and at the 99th percentile.
   */
  readonly behind: { readonly most: number; readonly p99: number };
}

const problemsMax = 10;
const arrivalsMax = 100_000;

export function createOutageRecorder(messagesMax: number): OutageRecorder {
  /** Positions in one order of arrivals and acknowledgements while the bank is up; 0 means none. */
  const firstAt = new Uint32Array(messagesMax);
  const acknowledgedAt = new Uint32Array(messagesMax);
  const arrivalsWhileDownMs: number[] = [];
  const unexpected: string[] = [];
  const counts = { place: 0, acknowledged: 0, attempts: 0, repeats: 0, unexpected: 0 };
  let revival: { number: number; acceptedAtMs: number; drainedAtMs: number | null } | null = null;

  function note(text: string): void {
    counts.unexpected += 1;
    if (unexpected.length < problemsMax) unexpected.push(text);
  }

  return {
    recordArrival(message, atMs) {
      counts.attempts += 1;
      const number = parseMessageNumber(message.id);
      if (number === null || number >= messagesMax) {
        note(`the bank received ${message.id}, which nobody appended`);
        return () => {};
      }
      if (digestContent(message) !== digestContent(expectedContent(number)))
        note(`${message.id} came with other content than was appended`);
      if (revival === null && arrivalsWhileDownMs.length < arrivalsMax) arrivalsWhileDownMs.push(atMs);
      if (revival !== null && revival.drainedAtMs === null && number !== revival.number) revival.drainedAtMs = atMs;
      counts.place += 1;
      const isUp = revival !== null;
      if (isUp && firstAt[number] === 0) firstAt[number] = counts.place;
      return () => {
        counts.place += 1;
        // The probe that found the bank up counts as first tried at its acknowledgement.
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
    arrivalsWhileDownMs: () => arrivalsWhileDownMs,
    revival: () => revival,
    verdict(appended) {
      const missing = acknowledgedAt.subarray(0, appended).reduce((count, place) => count + (place === 0 ? 1 : 0), 0);
      const unordered = outOfOrder(appended, firstAt, acknowledgedAt);
      return {
        problems: [
          ...unexpected,
          ...(counts.unexpected > unexpected.length ? [`${counts.unexpected - unexpected.length} more of that kind`] : []),
          ...(missing > 0 ? [`${missing} of ${appended} messages were never acknowledged`] : []),
          ...unordered.slice(0, problemsMax),
          ...(unordered.length > problemsMax ? [`${unordered.length - problemsMax} more out of order`] : []),
        ],
        attempts: counts.attempts,
        repeats: counts.repeats,
        behind: measureBehind(appended, firstAt),
      };
    },
  };
}

/** Returns the content that every attempt of a message must have. */
export function expectedContent(number: number): AttemptContent {
  const { id } = waitingMessage(number);
  return { id, idempotencyKey: id, operation: "inboundDirectDebit", body: waitingBody(number), sequence: "", previousId: "" };
}

/** #3 */
function outOfOrder(appended: number, firstAt: Uint32Array, acknowledgedAt: Uint32Array): readonly string[] {
  const found: string[] = [];
  for (let number = 0; number < appended; number += 1) {
    const before = precedingNumber(number);
    const first = firstAt[number] ?? 0;
    if (before === null || first === 0) continue;
    const done = acknowledgedAt[before] ?? 0;
    if (done === 0 || done > first) found.push(`${waitingMessage(number).id} was tried before the message before it was acknowledged`);
  }
  return found;
}

/** #4 */
function measureBehind(appended: number, firstAt: Uint32Array): OutageVerdict["behind"] {
  const partitions = new Map<number, number[]>();
  for (let number = 0; number < appended; number += 1) {
    if (firstAt[number] === 0) continue;
    const { partition } = waitingMessage(number);
    const places = partitions.get(partition) ?? [];
    partitions.set(partition, places);
    places.push(firstAt[number] ?? 0);
  }
  const behind = [...partitions.values()]
    .flatMap((inOrderOfAppend) => measureBehindInPartition(inOrderOfAppend))
    .sort((one, other) => one - other);
  return { most: behind.at(-1) ?? 0, p99: behind[Math.floor(behind.length * 0.99)] ?? 0 };
}

/** Returns for each message of a partition how many places later it came than it was appended. */
function measureBehindInPartition(inOrderOfAppend: readonly number[]): readonly number[] {
  const arrivals = inOrderOfAppend.map((place, turn) => ({ place, turn })).sort((one, other) => one.place - other.place);
  return arrivals.map(({ turn }, came) => Math.max(0, came - turn));
}
