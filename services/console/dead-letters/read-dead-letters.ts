// Reads dead letters from their topic. Every read is bounded in records and time, and reports where it ended.
//
// #1 A letter is appended after its record. So who looks for the letters of one record, or of later ones, names it, and
//    older letters are left out where a partition has more than one walk reads.

import { createHash } from "node:crypto";
import { headers, topics, type AnyDecodedRecord, type Records, type Serde } from "@sluice/contracts";
import { batchRange, type Messaging, readBatchRange, type ReceivedRecord, requireCovered, type TopicPartition } from "@sluice/messaging";
import { findOffsetSince, readAround } from "@sluice/timeline";
import { Fault, type Time } from "@sluice/kernel";
import { formatInstant } from "../http/bank-answer.ts";

export interface DeadLetterReadPorts {
  readonly time: Time;
  readonly messaging: Pick<Messaging, "ends" | "read" | "committedOffsets">;
  readonly serde: Pick<Serde, "decode" | "learn">;
}

export interface StoredDeadLetter {
  readonly partition: number;
  readonly offset: bigint;
  readonly deadLetteredAtMs: number;
  readonly deadLetter: Records["DeadLetter"];
  /** How far an operator's skip is; null: no operator was involved. */
  readonly stage: "requested" | "done" | null;
  /** Length and hash of the value, if the letter does not carry the whole record; null: it does. */
  readonly omitted: { readonly bytes: number; readonly sha256: string } | null;
}

export interface DeadLetterRange {
  /** First offset; undefined: the start of the partition. */
  readonly from?: bigint;
  /** Tells which records are skipped without being decoded. */
  readonly isSkipped?: (record: ReceivedRecord) => boolean;
  /** The first record whose letters are wanted (#1); undefined: all letters are. */
  readonly firstRecord?: RecordPlace;
}

interface RecordPlace extends TopicPartition {
  readonly offset: bigint;
}

const walkedRecordsMax = 50_000;
/** Letters that are read although they may be older, because each step of the bisection costs a read. */
const olderRecordsMax = 1_000n;
/** Milliseconds by which the clocks of two brokers may differ. */
const clocksDifferMaxMs = 60_000;
const walkMaxMs = 4_000;
const keyTextMax = 100;

/** Offset at which the reading of a partition stopped early; null: the partition was read to its end. */
export interface DeadLetterWalk {
  readonly endedAt: bigint | null;
}

/** Calls `take` for each dead letter until it returns false or a bound is reached. */
export async function walkDeadLetters(
  { time, messaging, serde }: DeadLetterReadPorts,
  partition: number,
  { from = 0n, isSkipped, firstRecord }: DeadLetterRange,
  take: (letter: StoredDeadLetter) => boolean,
): Promise<DeadLetterWalk> {
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined) return { endedAt: null };
  const oldest = from > ends.logStart ? from : ends.logStart;
  if (oldest >= ends.logEnd) return { endedAt: null };
  const isLong = ends.logEnd - oldest > BigInt(walkedRecordsMax);
  const range = { from: oldest, to: ends.logEnd };
  const start = isLong && firstRecord !== undefined ? await findFirstLetter(messaging, place, range, firstRecord) : oldest;
  const untilMs = time.monotonicMs() + walkMaxMs;
  let walked = 0;
  for await (const record of requireCovered(messaging.read(place, start, ends.logEnd), place, start, ends.logEnd)) {
    const letter = isSkipped?.(record) === true ? null : await decodeDeadLetter(record, serde);
    walked += 1;
    const isEnough = letter !== null && !take(letter);
    if (isEnough || walked >= walkedRecordsMax || time.monotonicMs() >= untilMs) return { endedAt: record.offset };
  }
  return { endedAt: null };
}

/** #1. The record may be in a batch that cannot be read; then the one before it says when. */
async function findFirstLetter(
  messaging: DeadLetterReadPorts["messaging"],
  letters: TopicPartition,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  { topic, partition, offset }: RecordPlace,
): Promise<bigint> {
  const place = { topic, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return from;
  const before = offset > ends.logStart ? offset - 1n : offset;
  for await (const record of readAround(messaging, place, { from: before, to: offset + 1n })) {
    const sinceMs = record.appendedAtMs - clocksDifferMaxMs;
    return await findOffsetSince(messaging, letters, { from, to, sinceMs, withinRecords: olderRecordsMax });
  }
  return from;
}

/** All dead letters of a range that `isWanted` selects. Rejects with a retryable Fault if a bound is reached first. */
export async function readDeadLetters(
  ports: DeadLetterReadPorts,
  partition: number,
  stretch: DeadLetterRange,
  isWanted: (letter: StoredDeadLetter) => boolean,
): Promise<readonly StoredDeadLetter[]> {
  const found: StoredDeadLetter[] = [];
  const { endedAt } = await walkDeadLetters(ports, partition, stretch, (letter) => {
    if (isWanted(letter)) found.push(letter);
    return true;
  });
  if (endedAt !== null)
    throw new Fault("console.too-many-letters", `partition ${partition} could not be read whole`, { isRetryable: true });
  return found;
}

/** Null: there is no such dead letter. */
export async function readDeadLetterAt({ messaging, serde }: DeadLetterReadPorts, id: string): Promise<StoredDeadLetter | null> {
  const [partition, offset] = parseDeadLetterId(id);
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return null;
  const to = offset + 1n;
  for await (const record of requireCovered(messaging.read(place, offset, to), place, offset, to))
    return await decodeDeadLetter(record, serde);
  return null;
}

export function deadLetterId({ partition, offset }: Pick<StoredDeadLetter, "partition" | "offset">): string {
  return `${partition}:${offset}`;
}

export function parseDeadLetterId(id: string): readonly [partition: number, offset: bigint] {
  const [partition = "", offset = ""] = id.split(":");
  return [Number(partition), BigInt(offset)];
}

export function readableKey({ key }: { readonly key: Uint8Array | null }): string | null {
  const text = key === null ? "" : new TextDecoder().decode(key);
  return text.length <= keyTextMax && /^[!-~]+$/.test(text) ? text : null;
}

export function readRecordType({ headers: given }: Pick<Records["DeadLetter"], "headers">): string | null {
  const type = given[headers.type];
  return type === undefined ? null : Buffer.from(type).toString("utf8").slice(0, keyTextMax);
}

/** Shows where the record was and why it is here, never its content. */
export function deadLetterView({ deadLetter, stage, omitted, deadLetteredAtMs, ...place }: StoredDeadLetter) {
  const { topic, partition, offset, appendedAtMs, service, value, reason, operator, person, confirmedBy, actionId } = deadLetter;
  return {
    letter: deadLetterId(place),
    deadLetteredAt: formatInstant(deadLetteredAtMs),
    service,
    topic,
    partition,
    offset,
    appendedAt: formatInstant(appendedAtMs),
    key: readableKey(deadLetter),
    type: readRecordType(deadLetter),
    bytes: omitted?.bytes ?? value?.byteLength ?? null,
    sha256: omitted?.sha256 ?? (value === null ? null : createHash("sha256").update(value).digest("hex")),
    why: reason,
    batch: formatBatch(deadLetter),
    skip:
      stage === null
        ? null
        : { operator: operator ?? "", person: person ?? operator ?? "", confirmedBy, action: actionId ?? "", isDone: stage === "done" },
  };
}

function formatBatch(letter: Records["DeadLetter"]): string | null {
  const batch = readBatchRange(letter);
  return batch === null ? null : batchRange(batch);
}

/**
 * Whether a record could be read now. `isBlocking`: not known, as its schema is not available; a partition would stop
 * at the record.
 */
export interface Readability {
  readonly isReadable: boolean;
  readonly as: string | null;
  readonly why: string | null;
  readonly isBlocking: boolean;
}

export async function checkReadability(
  letter: Pick<Records["DeadLetter"], "value" | "headers">,
  serde: DeadLetterReadPorts["serde"],
): Promise<Readability> {
  const { value } = letter;
  const batch = readBatchRange(letter);
  if (batch !== null)
    return { isReadable: false, as: null, why: `in batch ${batchRange(batch)}, which could not be read`, isBlocking: false };
  if (value === null) return { isReadable: false, as: null, why: "no value", isBlocking: false };
  try {
    return { isReadable: true, as: (await decodeWithSchema(value, serde)).name, why: null, isBlocking: false };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { isReadable: false, as: null, why: error.message, isBlocking: error.isRetryable };
  }
}

async function decodeDeadLetter(record: ReceivedRecord, serde: DeadLetterReadPorts["serde"]): Promise<StoredDeadLetter | null> {
  const { partition, offset, appendedAtMs: deadLetteredAtMs, value } = record;
  if (value === null) return null;
  const decoded = await decodeWithSchema(value, serde);
  if (decoded.name !== "DeadLetter") return null;
  const stage = record.headers[headers.skip];
  return {
    partition,
    offset,
    deadLetteredAtMs,
    deadLetter: decoded.value,
    stage: stage === "requested" || stage === "done" ? stage : null,
    omitted: parseOmitted(record.headers[headers.omittedBytes]),
  };
}

function parseOmitted(text: string | undefined): StoredDeadLetter["omitted"] {
  const [, bytes, sha256] = /^(\d{1,9}) bytes, SHA-256 ([0-9a-f]{64})$/.exec(text ?? "") ?? [];
  return bytes === undefined || sha256 === undefined ? null : { bytes: Number(bytes), sha256 };
}

/**
 * The letter with its whole record, which is read where it came from if the letter does not carry it. Null: it is no
 * longer there.
 */
export async function restoreRecord({ messaging }: DeadLetterReadPorts, letter: StoredDeadLetter): Promise<StoredDeadLetter | null> {
  if (letter.omitted === null) return letter;
  const { topic, partition, offset } = letter.deadLetter;
  const place = { topic, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return null;
  for await (const { key, value, headers: texts } of requireCovered(
    messaging.read(place, offset, offset + 1n),
    place,
    offset,
    offset + 1n,
  )) {
    return { ...letter, deadLetter: { ...letter.deadLetter, key, value, headers: encodeHeaders(texts) } };
  }
  return null;
}

/** The headers of a record, as a dead letter has them. */
export function encodeHeaders(texts: ReceivedRecord["headers"]): Records["DeadLetter"]["headers"] {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text, "utf8")] as const));
}

async function decodeWithSchema(value: Uint8Array, serde: DeadLetterReadPorts["serde"]): Promise<AnyDecodedRecord> {
  await serde.learn(value);
  return serde.decode(value);
}
