// Finds the records that a replay appends again: the dead letters of a transaction, or the records of the journal where
// letters are missing.
//
// #1 The transaction knows how many of its records were dead-lettered. So many are found, or nothing is replayed.
// #2 A letter that came twice counts once: the first one is taken, unless another one is named to be left.
// #3 A record that is left needs neither a schema nor its bytes, because nobody appends it again.

import { partitionFor, type Records, topics } from "@sluice/contracts";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import { refuseWith } from "../decisions/decision.ts";
import type { ControlAnswer } from "../http/control-handler.ts";
import { deadLetterUetr } from "./list-dead-letters.ts";
import {
  checkReadability,
  deadLetterId,
  encodeHeaders,
  readDeadLetters,
  restoreRecord,
  walkDeadLetters,
  type DeadLetterReadPorts,
  type StoredDeadLetter,
} from "./read-dead-letters.ts";
import type { JournalSearch } from "./search-journal.ts";

export interface FindLettersPorts extends DeadLetterReadPorts {
  readonly messaging: Messaging;
  readonly journal: JournalSearch;
  readonly partitionCount: number;
}

/** A record that goes back, or that is left in the dead letters. */
export interface FoundRecord {
  readonly record: Pick<Records["DeadLetter"], "topic" | "partition" | "offset" | "key" | "value" | "headers">;
  /** The letter's place, as `partition:offset`; null: the record is from the journal. */
  readonly letter: string | null;
  readonly isReadable: boolean;
  /** True: it stays in the dead letters. */
  readonly isLeft: boolean;
}

export interface LetterRange {
  readonly uetr: string;
  /** First offset, and the one behind the last. */
  readonly from: bigint;
  readonly to: bigint;
  /** Names of the records that are left (#3). */
  readonly leave: ReadonlySet<string>;
}

export interface CountedRange extends LetterRange {
  /** Records of the range that were dead-lettered (#1). */
  readonly records: number;
  /** Offsets at which they may be. */
  readonly likely: readonly bigint[];
}

export type Findings = readonly FoundRecord[] | ControlAnswer;

/** Names a record: in the header of the record that is appended, and where an operator leaves it. */
export function nameFound({ letter, record }: FoundRecord): string {
  return letter ?? `journal:${record.offset}`;
}

/** The order in which records were in the journal, and in which they go back. */
export function sortByOffset(found: readonly FoundRecord[]): readonly FoundRecord[] {
  return found.toSorted((a, b) => (a.record.offset < b.record.offset ? -1 : 1));
}

/** Finds all dead-lettered records of the range (#1), in their order; or says why they cannot be replayed. */
export async function findRecords(ports: FindLettersPorts, range: CountedRange): Promise<Findings> {
  const { uetr, from, to, records, likely } = range;
  const partition = partitionFor(uetr, ports.partitionCount);
  const letters: StoredDeadLetter[] = [];
  const firstRecord = { topic: topics.journal, partition, offset: from };
  const { endedAt } = await walkDeadLetters(ports, partition, { firstRecord }, (letter) => {
    if (isWithin(ports, letter, range)) letters.push(letter);
    return true;
  });
  const found = await restoreAll(ports, letters, range);
  if ("kind" in found || found.length >= records) return found;
  const known = new Set(found.map(({ record }) => record.offset));
  const wanted = records - found.length;
  const searched = await ports.journal.find({ uetr, partition, from, to, wanted, known, likely });
  const all = [...found];
  for (const record of searched.records) {
    const one = await fromJournal(ports, record, range);
    if ("kind" in one) return one;
    all.push(one);
  }
  if (all.length >= records) return sortByOffset(all);
  const counts = { records, found: all.length };
  if (searched.endedAt !== null) return searchOn(counts, `${topics.journal}/${partition} offset ${searched.endedAt}`);
  return endedAt === null ? refuseMissing(counts) : refuseUnread(counts, `${topics.deadLetters}/${partition} offset ${endedAt}`);
}

/** Finds the dead letters of a range of which nobody knows how many records it has. */
export async function findLetters(ports: FindLettersPorts, range: LetterRange): Promise<Findings> {
  const partition = partitionFor(range.uetr, ports.partitionCount);
  const firstRecord = { topic: topics.journal, partition, offset: range.from };
  const letters = await readDeadLetters(ports, partition, { firstRecord }, (letter) => isWithin(ports, letter, range));
  return await restoreAll(ports, letters, range);
}

/** Reads what goes back of one letter; or says why it cannot be replayed. */
export async function restoreLetter(ports: DeadLetterReadPorts, stored: StoredDeadLetter): Promise<FoundRecord | ControlAnswer> {
  const letter = await restoreRecord(ports, stored);
  if (letter === null) return refuseNotKept(stored);
  const reading = await checkReadability(letter.deadLetter, ports.serde);
  if (reading.isBlocking) return refuseBlocking(`letter ${deadLetterId(letter)}`, reading.why);
  return { record: letter.deadLetter, letter: deadLetterId(letter), isReadable: reading.isReadable, isLeft: false };
}

/** #2 #3 */
async function restoreAll(ports: FindLettersPorts, letters: readonly StoredDeadLetter[], { leave }: LetterRange): Promise<Findings> {
  const byOffset = new Map(letters.toReversed().map((letter) => [letter.deadLetter.offset, letter]));
  for (const letter of letters) if (leave.has(deadLetterId(letter))) byOffset.set(letter.deadLetter.offset, letter);
  const found: FoundRecord[] = [];
  for (const stored of [...byOffset.values()].toSorted((a, b) => (a.deadLetter.offset < b.deadLetter.offset ? -1 : 1))) {
    const one = leave.has(deadLetterId(stored)) ? await leaveLetter(ports, stored) : await restoreLetter(ports, stored);
    if ("kind" in one) return one;
    found.push(one);
  }
  return found;
}

async function leaveLetter({ serde }: FindLettersPorts, stored: StoredDeadLetter): Promise<FoundRecord> {
  const { isReadable } = await checkReadability(stored.deadLetter, serde);
  return { record: stored.deadLetter, letter: deadLetterId(stored), isReadable, isLeft: true };
}

async function fromJournal(ports: FindLettersPorts, record: ReceivedRecord, { leave }: LetterRange): Promise<FoundRecord | ControlAnswer> {
  const whole = { ...record, headers: encodeHeaders(record.headers) };
  const reading = await checkReadability(whole, ports.serde);
  const found = { record: whole, letter: null, isReadable: reading.isReadable, isLeft: false };
  if (leave.has(nameFound(found))) return { ...found, isLeft: true };
  if (reading.isBlocking) return refuseBlocking(`offset ${record.offset} of ${record.topic}/${record.partition}`, reading.why);
  return found;
}

function isWithin({ partitionCount }: FindLettersPorts, letter: StoredDeadLetter, { uetr, from, to }: LetterRange): boolean {
  const { service, offset } = letter.deadLetter;
  const isInRange = offset >= from && offset < to;
  return isInRange && service === "scheduler" && letter.stage !== "requested" && deadLetterUetr(letter, partitionCount) === uetr;
}

// ---- refusals

interface Counts {
  readonly records: number;
  readonly found: number;
}

function refuseMissing({ records, found }: Counts): ControlAnswer {
  return refuseWith(
    409,
    "Not possible now",
    `records-missing: ${records} records were dead-lettered, and ${found} of them are in the dead letters or in the journal.`,
  );
}

function searchOn({ records, found }: Counts, place: string): ControlAnswer {
  return {
    kind: "unavailable",
    detail: `${found} of ${records} records are found, and all up to ${place} is searched. Send it again to search on.`,
  };
}

/** A walk of the letters begins at the same letter each time, so to send it again does not bring it further. */
function refuseUnread({ records, found }: Counts, place: string): ControlAnswer {
  return {
    kind: "unavailable",
    detail: `${found} of ${records} records are found. The dead letters since the first of them are too many to be read beyond ${place}.`,
  };
}

function refuseNotKept(letter: StoredDeadLetter): ControlAnswer {
  const { topic, partition, offset } = letter.deadLetter;
  return refuseWith(
    409,
    "Not possible now",
    `bytes-not-kept: letter ${deadLetterId(letter)} does not carry its record, and ${topic}/${partition} no longer has offset ${offset}.`,
  );
}

function refuseBlocking(what: string, why: string | null): ControlAnswer {
  return refuseWith(409, "Not possible now", `not-readable-yet: ${what} would stop its partition again: ${why ?? "no schema"}.`);
}
