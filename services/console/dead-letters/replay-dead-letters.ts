// replayTransaction, replayDeadLetter: appends dead-lettered records again with the same bytes, key, partition and
// headers.
//
// #1 The records of a transaction go back together, in their original order, behind one `DeadLettersReplayed` that ends
//    the quarantine, and only while the transaction is quarantined: a second replay finds nothing.
// #2 A record that was dead-lettered between the read and the append is looked for after the partition has applied the
//    append, and follows.
// #3 A replay that broke off is completed when it is sent again under the same id: the records in the journal name the
//    dead letters that they came from.
// #4 A record whose schema is not known would stop its partition again, so nothing of the transaction is appended. A
//    record that is unreadable in itself is dead-lettered again.

import { headers, outgoingRecord, partitionFor, type Serde, topics } from "@sluice/contracts";
import type { Transaction } from "@sluice/domain";
import { type AppendResult, type Messaging, requireCovered } from "@sluice/messaging";
import type { Logger, Random } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import { createDecisionHandler, checkEarlierDecision, refuseNow, refuseWith, type DecisionContext } from "../decisions/decision.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { appendInOrder, buildReplayRecord, appendOutcomeUnknown, type DeadLetterAppendPorts } from "./append-dead-letters.ts";
import {
  deadLetterId,
  readDeadLetters,
  checkReadability,
  restoreRecord,
  readRecordType,
  type StoredDeadLetter,
  type DeadLetterReadPorts,
} from "./read-dead-letters.ts";
import { findDeadLetter, deadLetterUetr } from "./list-dead-letters.ts";
import type { KnownAsOf } from "../own-transactions/known-as-of.ts";

export interface ReplayDeadLetterPorts extends DeadLetterReadPorts, DeadLetterAppendPorts {
  readonly random: Random;
  readonly logger: Logger;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly store: Pick<Store, "transactions">;
  readonly knownAsOf: KnownAsOf;
  readonly partitionCount: number;
}

/** Records of the journal that are searched for what a replay appended before it broke off. */
const completedWithinRecords = 20_000n;

interface Found {
  readonly letter: StoredDeadLetter;
  readonly isReadable: boolean;
}

interface Replayed {
  readonly uetr: string;
  readonly action: DecisionContext<"replayTransaction">["action"];
  readonly from: bigint;
  readonly found: readonly Found[];
}

// ---- a transaction

export function replayTransaction(ports: ReplayDeadLetterPorts): ControlHandler {
  return createDecisionHandler(ports, "replayTransaction", async ({ action, body, question }) => {
    const uetr = question.path["uetr"] ?? "";
    // Once the partition has reached its present end, all dead letters of the records before it are written.
    if ((await ports.knownAsOf.timeFor(uetr)) === null) return behind;
    const transaction = (await ports.store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
    if (transaction === null) return refuseWith(404, "Not known", "Nothing is known of this UETR.");
    const before = checkEarlierDecision(transaction, { name: "DeadLettersReplayed", value: { action, records: 0 } }, action);
    if (before !== null && before !== "repeat") return before;
    const applied = transaction.decisions.find((note) => note.action.id === action.id && note.result === "applied");
    if (applied !== undefined) return await completeReplay(ports, uetr, action, applied);
    // Under this id the replay found nothing, and would find nothing again.
    if (before === "repeat") return refuseNow("not-quarantined");
    if (transaction.quarantined === null) return refuseNow("not-quarantined");
    const from = transaction.quarantined.offset;
    const found = await findLetters(ports, uetr, from, null);
    if ("kind" in found) return found;
    const replayed = { uetr, action, from, found };
    return body.isDryRun === true ? buildAnswer(replayed, ports.partitionCount, "would-be-replayed") : await replay(ports, replayed);
  });
}

const behind: ControlAnswer = { kind: "unavailable", detail: "The partition has not been read to its end. Ask again." };

/**
 * The transaction's dead letters whose original offset is in the range, in that order; or why they cannot be replayed.
 */
async function findLetters(
  ports: ReplayDeadLetterPorts,
  uetr: string,
  from: bigint,
  to: bigint | null,
): Promise<readonly Found[] | ControlAnswer> {
  const partition = partitionFor(uetr, ports.partitionCount);
  const letters = await readDeadLetters(ports, partition, {}, (letter) => isWithin(ports, letter, uetr, from, to));
  const byOffset = new Map(letters.toReversed().map((letter) => [letter.deadLetter.offset, letter]));
  const found: Found[] = [];
  for (const stored of [...byOffset.values()].toSorted((a, b) => (a.deadLetter.offset < b.deadLetter.offset ? -1 : 1))) {
    const letter = await restoreRecord(ports, stored);
    if (letter === null) return refuseNotKept(stored);
    const reading = await checkReadability(letter.deadLetter, ports.serde);
    if (reading.isBlocking) return refuseBlocking(letter, reading.why);
    found.push({ letter, isReadable: reading.isReadable });
  }
  return found;
}

function isWithin(
  { partitionCount }: ReplayDeadLetterPorts,
  letter: StoredDeadLetter,
  uetr: string,
  from: bigint,
  to: bigint | null,
): boolean {
  const { service, offset } = letter.deadLetter;
  const isInRange = offset >= from && (to === null || offset < to);
  return isInRange && service === "scheduler" && letter.stage !== "requested" && deadLetterUetr(letter, partitionCount) === uetr;
}

function refuseNotKept(letter: StoredDeadLetter): ControlAnswer {
  const { topic, partition, offset } = letter.deadLetter;
  return refuseWith(
    409,
    "Not possible now",
    `bytes-not-kept: letter ${deadLetterId(letter)} does not carry its record, and ${topic}/${partition} no longer has offset ${offset}.`,
  );
}

/** #4 */
function refuseBlocking(letter: StoredDeadLetter, why: string | null): ControlAnswer {
  return refuseWith(
    409,
    "Not possible now",
    `not-readable-yet: letter ${deadLetterId(letter)} would stop its partition again: ${why ?? "no schema"}.`,
  );
}

/** #1 */
async function replay(ports: ReplayDeadLetterPorts, replayed: Replayed): Promise<ControlAnswer> {
  const { uetr, action, from, found } = replayed;
  const value = { action, records: found.length };
  const head = outgoingRecord(
    ports.serde,
    topics.journal,
    uetr,
    { name: "DeadLettersReplayed", value },
    { partitionCount: ports.partitionCount },
  );
  const marked = { ...head, headers: { ...head.headers, [headers.quarantinedFrom]: from.toString() } };
  const appended = await appendInOrder(ports, [marked, ...found.map(({ letter }) => buildReplayRecord(letter))]);
  const [first, ...rest] = appended ?? [];
  if (first === undefined) return appendOutcomeUnknown;
  const late = await replayRest(ports, replayed, first.offset, new Set(found.map(({ letter }) => letter.deadLetter.offset)));
  if ("kind" in late) return late;
  logReplay(ports, replayed, found.length + late.found.length);
  const all = { ...replayed, found: [...found, ...late.found] };
  return buildAnswer(all, ports.partitionCount, "replayed", { head: first, at: [...rest, ...late.appended] });
}

interface ReplayedRest {
  readonly found: readonly Found[];
  readonly appended: readonly AppendResult[];
}

/** #2 Replays the letters from before the quarantine ended at `endedAt` that are not in `done`. */
async function replayRest(
  ports: ReplayDeadLetterPorts,
  { uetr, from }: Pick<Replayed, "uetr" | "from">,
  endedAt: bigint,
  done: ReadonlySet<bigint>,
): Promise<ReplayedRest | ControlAnswer> {
  if ((await ports.knownAsOf.timeFor(uetr)) === null) return appendOutcomeUnknown;
  const all = await findLetters(ports, uetr, from, endedAt);
  if ("kind" in all) return all;
  const found = all.filter(({ letter }) => !done.has(letter.deadLetter.offset));
  const appended =
    found.length === 0
      ? []
      : await appendInOrder(
          ports,
          found.map(({ letter }) => buildReplayRecord(letter)),
        );
  return appended === null ? appendOutcomeUnknown : { found, appended };
}

/** #3 */
async function completeReplay(
  ports: ReplayDeadLetterPorts,
  uetr: string,
  action: Replayed["action"],
  note: Transaction["decisions"][number],
): Promise<ControlAnswer> {
  const partition = partitionFor(uetr, ports.partitionCount);
  const key = new TextEncoder().encode(uetr);
  const named = new Set<string>();
  let from = note.offset;
  const journal = { topic: topics.journal, partition };
  const [ends] = await ports.messaging.ends([journal]);
  const most = note.offset + completedWithinRecords;
  const to = ends !== undefined && ends.logEnd < most ? ends.logEnd : most;
  for await (const record of requireCovered(ports.messaging.read(journal, note.offset, to), journal, note.offset, to)) {
    if (record.offset === note.offset) from = BigInt(record.headers[headers.quarantinedFrom] ?? note.offset);
    const letter = record.headers[headers.deadLetter];
    if (letter !== undefined && record.key !== null && Buffer.compare(record.key, key) === 0) named.add(letter);
  }
  const letters = await readDeadLetters(ports, partition, {}, (letter) => isWithin(ports, letter, uetr, from, note.offset));
  const done = new Set(letters.filter((letter) => named.has(deadLetterId(letter))).map(({ deadLetter }) => deadLetter.offset));
  const before = await findLetters(ports, uetr, from, note.offset);
  const late = await replayRest(ports, { uetr, from }, note.offset, done);
  if ("kind" in before) return before;
  if ("kind" in late) return late;
  if (late.found.length > 0) logReplay(ports, { uetr, action }, late.found.length);
  const rows = before.map((one) => buildRow(one, done.has(one.letter.deadLetter.offset) ? "was-replayed" : "replayed", null));
  const head = { partition, offset: note.offset, appendedAtMs: note.atMs };
  return { kind: "accepted", body: buildBody({ uetr, action }, false, head, rows) };
}

// ---- one letter

export function replayDeadLetter(ports: ReplayDeadLetterPorts): ControlHandler {
  return createDecisionHandler(ports, "replayDeadLetter", async ({ action, body, question }) => {
    const stored = await findDeadLetter(ports, question.path["letter"] ?? "");
    if (stored === null) return refuseWith(404, "Not known", "There is no such dead letter.");
    const letter = await restoreRecord(ports, stored);
    if (letter === null) return refuseNotKept(stored);
    if (letter.stage === "requested") {
      return refuseWith(
        409,
        "Not possible now",
        "only-requested: this letter asks a partition to skip a record; replay the letter that contains the record.",
      );
    }
    const uetr = letter.deadLetter.service === "scheduler" ? deadLetterUetr(letter, ports.partitionCount) : null;
    if (uetr !== null) return refuseWith(409, "Not possible now", `of-transaction: it goes back with all records of ${uetr}: replay that.`);
    const reading = await checkReadability(letter.deadLetter, ports.serde);
    if (reading.isBlocking) return refuseBlocking(letter, reading.why);
    const replayed = { uetr: null, action, found: [{ letter, isReadable: reading.isReadable }] };
    if (body.isDryRun === true) return buildAnswer(replayed, ports.partitionCount, "would-be-replayed");
    const appended = await appendInOrder(ports, [buildReplayRecord(letter)]);
    if (appended === null) return appendOutcomeUnknown;
    logReplay(ports, replayed, 1);
    return buildAnswer(replayed, ports.partitionCount, "replayed", { head: null, at: appended });
  });
}

// ---- answers

interface AppendedReplay {
  readonly head: AppendResult | null;
  readonly at: readonly AppendResult[];
}

type ReplaySubject = Pick<Replayed, "action" | "found"> & { readonly uetr: string | null };

function buildAnswer(
  replayed: ReplaySubject,
  partitionCount: number,
  outcome: "replayed" | "would-be-replayed",
  put: AppendedReplay | null = null,
): ControlAnswer {
  const { uetr, found } = replayed;
  const rows = found.map((one, index) => buildRow(one, outcome, put?.at[index] ?? null));
  const partition = uetr === null ? (found[0]?.letter.deadLetter.partition ?? 0) : partitionFor(uetr, partitionCount);
  const head = put?.head ?? { partition, offset: null, appendedAtMs: put?.at[0]?.appendedAtMs ?? null };
  const body = buildBody(replayed, put === null, head, rows);
  return put === null ? { kind: "found", body } : { kind: "accepted", body };
}

interface Head {
  readonly partition: number;
  readonly offset: bigint | null;
  readonly appendedAtMs: number | null;
}

function buildBody({ uetr, action }: Pick<ReplaySubject, "uetr" | "action">, isDryRun: boolean, head: Head, rows: readonly object[]) {
  const { partition, offset, appendedAtMs } = head;
  const appendedAt = appendedAtMs === null ? null : formatInstant(appendedAtMs);
  return { schema: "DeadLettersReplay", action: action.id, isDryRun, key: uetr, partition, offset, appendedAt, rows };
}

function buildRow({ letter, isReadable }: Found, outcome: string, at: AppendResult | null) {
  const { topic, partition, offset } = letter.deadLetter;
  const now = at === null ? null : { partition: at.partition, offset: at.offset };
  return { letter: deadLetterId(letter), topic, partition, offset, type: readRecordType(letter.deadLetter), isReadable, outcome, at: now };
}

function logReplay({ logger }: ReplayDeadLetterPorts, { uetr, action }: Pick<ReplaySubject, "uetr" | "action">, records: number): void {
  logger.info("dead-letters.replayed", { action: action.id, operator: action.operator, uetr, records });
}
