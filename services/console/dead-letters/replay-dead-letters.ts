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
// #5 Records that the operator names stay in the dead letters for good, so that one that nobody can read does not
//    quarantine its transaction for ever. `DeadLettersReplayed` says which, who and why. A name that fits no record is
//    refused.
// #6 A record that fills what a producer may send has no room for the name of its letter. A replay of it is refused
//    before anything is appended. One that came after the letters were read stays in the dead letters, and the others
//    follow all the same.

import { headers, outgoingRecord, partitionFor, type Serde, topics } from "@sluice/contracts";
import type { Transaction } from "@sluice/domain";
import { type AppendResult, isTooLarge, type Messaging, requireCovered } from "@sluice/messaging";
import type { Logger, Random } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import {
  createDecisionHandler,
  checkEarlierDecision,
  refuseNow,
  refuseWith,
  wouldBeAppended,
  type DecisionContext,
} from "../decisions/decision.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { appendInOrder, buildReplayRecord, appendOutcomeUnknown, type DeadLetterAppendPorts } from "./append-dead-letters.ts";
import {
  findLetters,
  findRecords,
  type FindLettersPorts,
  type FoundRecord,
  nameFound,
  restoreLetter,
  sortByOffset,
  type LetterRange,
} from "./find-letters.ts";
import { readRecordType, type DeadLetterReadPorts } from "./read-dead-letters.ts";
import { findDeadLetter, deadLetterUetr } from "./list-dead-letters.ts";
import { createJournalSearch } from "./search-journal.ts";
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

type TransactionPorts = ReplayDeadLetterPorts & FindLettersPorts;

interface Replayed {
  readonly uetr: string;
  readonly action: DecisionContext<"replayTransaction">["action"];
  /** The offsets of the records that the transaction counted. */
  readonly range: LetterRange;
  readonly found: readonly FoundRecord[];
}

// ---- a transaction

export function replayTransaction(given: ReplayDeadLetterPorts): ControlHandler {
  const ports: TransactionPorts = { ...given, journal: createJournalSearch(given) };
  return createDecisionHandler(ports, "replayTransaction", async ({ action, body, question }) => {
    const uetr = question.path["uetr"] ?? "";
    // Once the partition has reached its present end, all dead letters of the records before it are written.
    if ((await ports.knownAsOf.timeFor(uetr)) === null) return behind;
    const transaction = (await ports.store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
    if (transaction === null) return refuseWith(404, "Not known", "Nothing is known of this UETR.");
    const left = [...new Set(body.leave ?? [])].toSorted();
    const before = checkEarlierDecision(transaction, { name: "DeadLettersReplayed", value: { action, records: 0, left } }, action);
    if (before !== null && before !== "repeat") return before;
    const applied = transaction.decisions.find((note) => note.action.id === action.id && note.result === "applied");
    if (applied !== undefined && question.isCheckOnly === true) return wouldBeAppended;
    if (applied !== undefined) return await completeReplay(ports, transaction, action, applied);
    // Under this id the replay found nothing, and would find nothing again.
    if (before === "repeat") return refuseNow("not-quarantined");
    if (transaction.quarantined === null) return refuseNow("not-quarantined");
    const { offset: from, records } = transaction.quarantined;
    const range = { uetr, from, to: (transaction.applied > from ? transaction.applied : from) + 1n, leave: new Set(left) };
    const found = await findRecords(ports, { ...range, records, likely: listDeadLettered(transaction) });
    if ("kind" in found) return found;
    const unknown = findUnknown(left, found);
    if (unknown !== null) return refuseUnknown(unknown);
    const tooLarge = found.find((one) => !one.isLeft && isTooLarge(buildReplay(one)));
    if (tooLarge !== undefined) return refuseTooLarge(tooLarge);
    const replayed = { uetr, action, range, found };
    const isDryRun = body.isDryRun === true || question.isCheckOnly === true;
    return isDryRun ? buildAnswer(replayed, ports.partitionCount, "would-be-replayed") : await replay(ports, replayed);
  });
}

const behind: ControlAnswer = { kind: "unavailable", detail: "The partition has not been read to its end. Ask again." };

/** The offsets of the last records that followed others into the dead letters. */
function listDeadLettered({ observations }: Transaction): readonly bigint[] {
  return observations.last.flatMap(({ kind, offset }) => (kind === "dead-lettered" ? [offset] : []));
}

/** #5 */
function findUnknown(left: readonly string[], found: readonly FoundRecord[]): string | null {
  const names = new Set(found.filter(({ isLeft }) => isLeft).map(nameFound));
  return left.find((name) => !names.has(name)) ?? null;
}

function refuseUnknown(name: string): ControlAnswer {
  return refuseWith(409, "Not possible now", `no-such-letter: ${name} is not a record of this quarantine, or another name of one.`);
}

/** #6 */
function refuseTooLarge(found: FoundRecord): ControlAnswer {
  const name = nameFound(found);
  return refuseWith(409, "Not possible now", `too-large: with its name ${name} is larger than a record may be; leave it.`);
}

/** #1 */
async function replay(ports: TransactionPorts, replayed: Replayed): Promise<ControlAnswer> {
  const { uetr, action, range, found } = replayed;
  const going = found.filter(({ isLeft }) => !isLeft);
  const value = { action, records: going.length, left: [...range.leave] };
  const head = outgoingRecord(
    ports.serde,
    topics.journal,
    uetr,
    { name: "DeadLettersReplayed", value },
    { partitionCount: ports.partitionCount },
  );
  const limits = { [headers.quarantinedFrom]: range.from.toString(), [headers.quarantinedTo]: range.to.toString() };
  const marked = { ...head, headers: { ...head.headers, ...limits } };
  const appended = await appendInOrder(ports, [marked, ...going.map(buildReplay)]);
  const [first, ...rest] = appended ?? [];
  if (first === undefined) return appendOutcomeUnknown;
  const done = new Set(found.map(({ record }) => record.offset));
  const late = await replayRest(ports, { ...range, to: first.offset }, [], done);
  if ("kind" in late) return late;
  logReplay(ports, replayed, going.length + late.appended.length);
  const all = { ...replayed, found: [...found, ...late.found] };
  return buildAnswer(all, ports.partitionCount, "replayed", { head: first, at: [...rest, ...late.appended] });
}

function buildReplay(found: FoundRecord) {
  return buildReplayRecord(found.record, nameFound(found));
}

interface ReplayedRest {
  readonly found: readonly FoundRecord[];
  readonly appended: readonly AppendResult[];
}

/**
 * #2, #6: replays `counted`, and the letters of a range that ends with the quarantine, but for those that are in
 * `done`.
 */
async function replayRest(
  ports: TransactionPorts,
  range: LetterRange,
  counted: readonly FoundRecord[],
  done: ReadonlySet<bigint>,
): Promise<ReplayedRest | ControlAnswer> {
  if ((await ports.knownAsOf.timeFor(range.uetr)) === null) return appendOutcomeUnknown;
  const letters = await findLetters(ports, range);
  if ("kind" in letters) return letters;
  const all = new Map([...letters, ...counted].map((one) => [one.record.offset, one] as const));
  const rest = sortByOffset([...all.values()].filter(({ record }) => !done.has(record.offset)));
  const found = rest.map((one) => (isTooLarge(buildReplay(one)) ? { ...one, isLeft: true } : one));
  const going = found.filter(({ isLeft }) => !isLeft);
  const appended = going.length === 0 ? [] : await appendInOrder(ports, going.map(buildReplay));
  return appended === null ? appendOutcomeUnknown : { found, appended };
}

/** #3 */
async function completeReplay(
  ports: TransactionPorts,
  transaction: Transaction,
  action: Replayed["action"],
  note: Transaction["decisions"][number],
): Promise<ControlAnswer> {
  const { uetr } = transaction;
  const partition = partitionFor(uetr, ports.partitionCount);
  const head = await readHead(ports, uetr, partition, note.offset);
  const range = { uetr, from: head.from, to: head.to, leave: new Set(head.left) };
  const records = head.records + head.left.length;
  const before = await findRecords(ports, { ...range, records, likely: listDeadLettered(transaction) });
  if ("kind" in before) return before;
  const whole = { ...range, to: note.offset };
  const letters = await findLetters(ports, whole);
  if ("kind" in letters) return letters;
  const known = new Map([...letters, ...before].map((one) => [one.record.offset, one] as const));
  const done = new Set(
    [...known.values()].filter((one) => one.isLeft || head.named.has(nameFound(one))).map(({ record }) => record.offset),
  );
  for (const name of head.named) if (name.startsWith("journal:")) done.add(BigInt(name.slice("journal:".length)));
  const late = await replayRest(ports, whole, before, done);
  if ("kind" in late) return late;
  if (late.appended.length > 0) logReplay(ports, { uetr, action }, late.appended.length);
  const offsets = new Set(late.found.map(({ record }) => record.offset));
  const all = sortByOffset([...new Map([...known.values(), ...late.found].map((one) => [one.record.offset, one] as const)).values()]);
  const rows = all.map((one) => buildRow(one, offsets.has(one.record.offset) ? "replayed" : "was-replayed", null));
  return { kind: "accepted", body: buildBody({ uetr, action }, false, { partition, offset: note.offset, appendedAtMs: note.atMs }, rows) };
}

interface ReplayHead {
  from: bigint;
  to: bigint;
  records: number;
  left: readonly string[];
  readonly named: ReadonlySet<string>;
}

/** Reads what the decision at `offset` says of its quarantine, and which records are named behind it. */
async function readHead({ messaging, serde }: TransactionPorts, uetr: string, partition: number, offset: bigint) {
  const key = new TextEncoder().encode(uetr);
  const named = new Set<string>();
  const head: ReplayHead = { from: offset, to: offset, records: 0, left: [], named };
  const journal = { topic: topics.journal, partition };
  const [ends] = await messaging.ends([journal]);
  const most = offset + completedWithinRecords;
  const to = ends !== undefined && ends.logEnd < most ? ends.logEnd : most;
  for await (const record of requireCovered(messaging.read(journal, offset, to), journal, offset, to)) {
    if (record.offset === offset) {
      const decoded = record.value === null ? null : serde.decode(record.value);
      head.from = BigInt(record.headers[headers.quarantinedFrom] ?? offset);
      head.to = BigInt(record.headers[headers.quarantinedTo] ?? offset);
      if (decoded?.name === "DeadLettersReplayed") ({ records: head.records, left: head.left } = decoded.value);
    }
    const name = record.headers[headers.deadLetter];
    if (name !== undefined && record.key !== null && Buffer.compare(record.key, key) === 0) named.add(name);
  }
  return head;
}

// ---- one letter

export function replayDeadLetter(ports: ReplayDeadLetterPorts): ControlHandler {
  return createDecisionHandler(ports, "replayDeadLetter", async ({ action, body, question }) => {
    const stored = await findDeadLetter(ports, question.path["letter"] ?? "");
    if (stored === null) return refuseWith(404, "Not known", "There is no such dead letter.");
    if (stored.stage === "requested") {
      return refuseWith(
        409,
        "Not possible now",
        "only-requested: this letter asks a partition to skip a record; replay the letter that contains the record.",
      );
    }
    const uetr = stored.deadLetter.service === "scheduler" ? deadLetterUetr(stored, ports.partitionCount) : null;
    if (uetr !== null) return refuseWith(409, "Not possible now", `of-transaction: it goes back with all records of ${uetr}: replay that.`);
    const found = await restoreLetter(ports, stored);
    if ("kind" in found) return found;
    if (isTooLarge(buildReplay(found))) return refuseTooLarge(found);
    const replayed = { uetr: null, action, found: [found] };
    if (body.isDryRun === true || question.isCheckOnly === true) return buildAnswer(replayed, ports.partitionCount, "would-be-replayed");
    const appended = await appendInOrder(ports, [buildReplay(found)]);
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

type RowOutcome = "replayed" | "would-be-replayed" | "was-replayed";

type ReplaySubject = Pick<Replayed, "action" | "found"> & { readonly uetr: string | null };

function buildAnswer(
  replayed: ReplaySubject,
  partitionCount: number,
  outcome: "replayed" | "would-be-replayed",
  put: AppendedReplay | null = null,
): ControlAnswer {
  const { uetr, found } = replayed;
  const places = put?.at.values() ?? null;
  const rows = found.map((one) => buildRow(one, outcome, one.isLeft ? null : (places?.next().value ?? null)));
  const partition = uetr === null ? (found[0]?.record.partition ?? 0) : partitionFor(uetr, partitionCount);
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

function buildRow({ record, letter, isReadable, isLeft }: FoundRecord, going: RowOutcome, at: AppendResult | null) {
  const staying = going === "would-be-replayed" ? "would-be-left" : "left";
  const outcome = isLeft ? staying : going;
  const { topic, partition, offset } = record;
  const now = at === null ? null : { partition: at.partition, offset: at.offset };
  return { letter, topic, partition, offset, type: readRecordType(record), isReadable, outcome, at: now };
}

function logReplay({ logger }: ReplayDeadLetterPorts, { uetr, action }: Pick<ReplaySubject, "uetr" | "action">, records: number): void {
  logger.info("dead-letters.replayed", { action: action.id, operator: action.operator, uetr, records });
}
