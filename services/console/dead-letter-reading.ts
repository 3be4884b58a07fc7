// Dead letters as they lie in their topic. Reading is bounded in records and time, and says where it ended.

import { createHash } from "node:crypto";
import { headers, topics, type AnyDecoded, type Records, type Serde } from "@sluice/contracts";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import { Fault, type Time } from "@sluice/runtime";
import { instantText } from "./answer.ts";

export interface LetterPorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "ends" | "read" | "committedOf">;
  readonly serde: Pick<Serde, "decode" | "learn">;
}

export interface Letter {
  readonly partition: number;
  readonly offset: bigint;
  readonly putAsideAtMs: number;
  readonly said: Records["DeadLetter"];
  /** By hand: asked for, or done; null: nobody's hand. */
  readonly stage: "asked" | "done" | null;
}

export interface Stretch {
  /** Undefined: from the start. */
  readonly from?: bigint;
  /** Passed over undecoded. */
  readonly skips?: (record: ReceivedRecord) => boolean;
}

const walkedRecordsMax = 50_000;
const walkMaxMs = 4_000;
const keyTextMax = 100;

/** Where the reading of a partition ended; null: at its end. */
export interface Walked {
  readonly endedAt: bigint | null;
}

/** `take` answers false where that was enough. */
export async function walkLetters(
  { time, messaging, serde }: LetterPorts,
  partition: number,
  { from = 0n, skips }: Stretch,
  take: (letter: Letter) => boolean,
): Promise<Walked> {
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined) return { endedAt: null };
  const start = from > ends.logStart ? from : ends.logStart;
  if (start >= ends.logEnd) return { endedAt: null };
  const untilMs = time.monotonicMs() + walkMaxMs;
  let walked = 0;
  for await (const record of messaging.read(place, start, ends.logEnd)) {
    const letter = skips?.(record) === true ? null : await letterIn(record, serde);
    walked += 1;
    const isEnough = letter !== null && !take(letter);
    if (isEnough || walked >= walkedRecordsMax || time.monotonicMs() >= untilMs) return { endedAt: record.offset };
  }
  return { endedAt: null };
}

/** All of a partition from an offset on that `isWanted`. Rejects with a retryable Fault where a bound is met before its end. */
export async function lettersOf(
  ports: LetterPorts,
  partition: number,
  stretch: Stretch,
  isWanted: (letter: Letter) => boolean,
): Promise<readonly Letter[]> {
  const found: Letter[] = [];
  const { endedAt } = await walkLetters(ports, partition, stretch, (letter) => {
    if (isWanted(letter)) found.push(letter);
    return true;
  });
  if (endedAt !== null)
    throw new Fault("console.too-many-letters", `partition ${partition} could not be read whole`, { isRetryable: true });
  return found;
}

/** Null: there is none. */
export async function letterAt({ messaging, serde }: LetterPorts, id: string): Promise<Letter | null> {
  const [partition, offset] = placeIn(id);
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return null;
  for await (const record of messaging.read(place, offset, offset + 1n)) return await letterIn(record, serde);
  return null;
}

export function idOf({ partition, offset }: Pick<Letter, "partition" | "offset">): string {
  return `${partition}:${offset}`;
}

export function placeIn(id: string): readonly [partition: number, offset: bigint] {
  const [partition = "", offset = ""] = id.split(":");
  return [Number(partition), BigInt(offset)];
}

export function keyTextOf({ key }: { readonly key: Uint8Array | null }): string | null {
  const text = key === null ? "" : new TextDecoder().decode(key);
  return text.length <= keyTextMax && /^[!-~]+$/.test(text) ? text : null;
}

export function typeOf({ headers: given }: Records["DeadLetter"]): string | null {
  const type = given[headers.type];
  return type === undefined ? null : Buffer.from(type).toString("utf8").slice(0, keyTextMax);
}

/** Never its content. */
export function letterView({ said, stage, putAsideAtMs, ...place }: Letter) {
  const { topic, partition, offset, appendedAtMs, service, value, reason, operator, actionId } = said;
  return {
    letter: idOf(place),
    putAsideAt: instantText(putAsideAtMs),
    service,
    topic,
    partition,
    offset,
    appendedAt: instantText(appendedAtMs),
    key: keyTextOf(said),
    type: typeOf(said),
    bytes: value?.byteLength ?? null,
    sha256: value === null ? null : createHash("sha256").update(value).digest("hex"),
    why: reason,
    byHand: stage === null ? null : { operator: operator ?? "", action: actionId ?? "", isDone: stage === "done" },
  };
}

/** `isStopping`: it cannot be told, as its schema is not to be had; a lane would stop at it. */
export interface ReadingNow {
  readonly isReadable: boolean;
  readonly as: string | null;
  readonly why: string | null;
  readonly isStopping: boolean;
}

export async function readingNow({ value }: Records["DeadLetter"], serde: LetterPorts["serde"]): Promise<ReadingNow> {
  if (value === null) return { isReadable: false, as: null, why: "no value", isStopping: false };
  try {
    return { isReadable: true, as: (await learnt(value, serde)).name, why: null, isStopping: false };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { isReadable: false, as: null, why: error.message, isStopping: error.isRetryable };
  }
}

async function letterIn(record: ReceivedRecord, serde: LetterPorts["serde"]): Promise<Letter | null> {
  const { partition, offset, appendedAtMs: putAsideAtMs, value } = record;
  if (value === null) return null;
  const decoded = await learnt(value, serde);
  if (decoded.name !== "DeadLetter") return null;
  const stage = record.headers[headers.byHand];
  return { partition, offset, putAsideAtMs, said: decoded.value, stage: stage === "asked" || stage === "done" ? stage : null };
}

async function learnt(value: Uint8Array, serde: LetterPorts["serde"]): Promise<AnyDecoded> {
  await serde.learn(value);
  return serde.decode(value);
}
