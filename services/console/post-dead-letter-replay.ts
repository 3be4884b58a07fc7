// replayTransaction, replayDeadLetter: what was put aside is appended again as it was: bytes, key, partition and headers.
//
// #1 A transaction's records go back together, in the order in which they first lay, behind one `DeadLettersReplayed` that takes its mark away, and
//    only while the mark stands: a second replay finds none.
// #2 What came between the look and the append was still put aside: it is looked for once the lane has passed the append, and follows.
// #3 Sent again under the same id a replay that broke off is completed: records in the journal name the letters that they were.
// #4 A record whose schema is not known would stop its lane again: nothing of it is appended. One that is unreadable in itself is put aside again.

import { headers, outgoingRecord, topics, type Serde } from "@sluice/contracts";
import { partitionOf } from "@sluice/contracts";
import type { Transaction } from "@sluice/domain";
import type { Appended, Messaging } from "@sluice/messaging";
import type { Random } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import { deciding, notedBefore, notPossible, refused, type Deciding } from "./acting.ts";
import { instantText } from "./answer.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { appendAll, recordOf, uncertain, type LetterAppendPorts } from "./dead-letter-append.ts";
import { idOf, lettersOf, readingNow, typeOf, type Letter, type LetterPorts } from "./dead-letter-reading.ts";
import { letterOf, uetrOf } from "./get-control-dead-letters.ts";
import type { KnownAsOf } from "./known-as-of.ts";

export interface ReplayPorts extends LetterPorts, LetterAppendPorts {
  readonly random: Random;
  readonly log: Log;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly store: Pick<Store, "transactions">;
  readonly knownAsOf: KnownAsOf;
  readonly lanes: number;
}

/** Records of the journal that are looked through for what a replay appended before it broke off. */
const completedWithinRecords = 20_000n;

interface Found {
  readonly letter: Letter;
  readonly isReadable: boolean;
}

interface Replayed {
  readonly uetr: string;
  readonly action: Deciding<"replayTransaction">["action"];
  readonly from: bigint;
  readonly found: readonly Found[];
}

// ---- a transaction

export function replayTransaction(ports: ReplayPorts): ControlHandler {
  return deciding(ports, "replayTransaction", async ({ action, body, question }) => {
    const uetr = question.path["uetr"] ?? "";
    // All letters of what lies in the journal by now are written once the lane has come to its end.
    if ((await ports.knownAsOf.of(uetr)) === null) return behind;
    const transaction = (await ports.store.transactions.load([uetr])).get(uetr)?.transaction ?? null;
    if (transaction === null) return refused(404, "Not known", "Nothing is known of this UETR.");
    const before = notedBefore(transaction.decisions, "DeadLettersReplayed", action);
    if (before !== null && before !== "repeat") return before;
    const applied = transaction.decisions.find((note) => note.action.id === action.id && note.result === "applied");
    if (applied !== undefined) return await completed(ports, uetr, action, applied);
    // Under this id it found nothing, and would again.
    if (before === "repeat") return notPossible("nothing-parked");
    if (transaction.parked === null) return notPossible("nothing-parked");
    const from = transaction.parked.offset;
    const found = await foundOf(ports, uetr, from, null);
    if ("kind" in found) return found;
    const replayed = { uetr, action, from, found };
    return body.isDryRun === true ? answerOf(replayed, ports.lanes, "would-be-replayed") : await replay(ports, replayed);
  });
}

const behind: ControlAnswer = { kind: "unavailable", detail: "The lane has not come to its end. Ask again." };

/** Letters of the transaction by where they first lay, from there up to another offset; or why they cannot be replayed. */
async function foundOf(ports: ReplayPorts, uetr: string, from: bigint, to: bigint | null): Promise<readonly Found[] | ControlAnswer> {
  const partition = partitionOf(uetr, ports.lanes);
  const letters = await lettersOf(ports, partition, {}, (letter) => isOf(ports, letter, uetr, from, to));
  const byOffset = new Map(letters.toReversed().map((letter) => [letter.said.offset, letter]));
  const found: Found[] = [];
  for (const letter of [...byOffset.values()].toSorted((a, b) => (a.said.offset < b.said.offset ? -1 : 1))) {
    const reading = await readingNow(letter.said, ports.serde);
    if (reading.isStopping) return stopping(letter, reading.why);
    found.push({ letter, isReadable: reading.isReadable });
  }
  return found;
}

function isOf({ lanes }: ReplayPorts, letter: Letter, uetr: string, from: bigint, to: bigint | null): boolean {
  const { service, offset } = letter.said;
  const isWithin = offset >= from && (to === null || offset < to);
  return isWithin && service === "scheduler" && letter.stage !== "asked" && uetrOf(letter, lanes) === uetr;
}

/** #4 */
function stopping(letter: Letter, why: string | null): ControlAnswer {
  return refused(409, "Not possible now", `not-readable-yet: letter ${idOf(letter)} would stop its lane again: ${why ?? "no schema"}.`);
}

/** #1 */
async function replay(ports: ReplayPorts, replayed: Replayed): Promise<ControlAnswer> {
  const { uetr, action, from, found } = replayed;
  const value = { action, records: found.length };
  const head = outgoingRecord(ports.serde, topics.journal, uetr, { name: "DeadLettersReplayed", value }, { lanes: ports.lanes });
  const marked = { ...head, headers: { ...head.headers, [headers.parkedFrom]: from.toString() } };
  const appended = await appendAll(ports, [marked, ...found.map(({ letter }) => recordOf(letter))]);
  const [first, ...rest] = appended ?? [];
  if (first === undefined) return uncertain;
  const late = await rested(ports, replayed, first.offset, new Set(found.map(({ letter }) => letter.said.offset)));
  if ("kind" in late) return late;
  told(ports, replayed, found.length + late.found.length);
  const all = { ...replayed, found: [...found, ...late.found] };
  return answerOf(all, ports.lanes, "replayed", { head: first, at: [...rest, ...late.appended] });
}

interface Rest {
  readonly found: readonly Found[];
  readonly appended: readonly Appended[];
}

/** #2 What was put aside before the mark was taken away at `endedAt` and is not among what follows it. */
async function rested(
  ports: ReplayPorts,
  { uetr, from }: Pick<Replayed, "uetr" | "from">,
  endedAt: bigint,
  done: ReadonlySet<bigint>,
): Promise<Rest | ControlAnswer> {
  if ((await ports.knownAsOf.of(uetr)) === null) return uncertain;
  const all = await foundOf(ports, uetr, from, endedAt);
  if ("kind" in all) return all;
  const found = all.filter(({ letter }) => !done.has(letter.said.offset));
  const appended =
    found.length === 0
      ? []
      : await appendAll(
          ports,
          found.map(({ letter }) => recordOf(letter)),
        );
  return appended === null ? uncertain : { found, appended };
}

/** #3 */
async function completed(
  ports: ReplayPorts,
  uetr: string,
  action: Replayed["action"],
  note: Transaction["decisions"][number],
): Promise<ControlAnswer> {
  const partition = partitionOf(uetr, ports.lanes);
  const key = new TextEncoder().encode(uetr);
  const named = new Set<string>();
  let from = note.offset;
  for await (const record of ports.messaging.read(
    { topic: topics.journal, partition },
    note.offset,
    note.offset + completedWithinRecords,
  )) {
    if (record.offset === note.offset) from = BigInt(record.headers[headers.parkedFrom] ?? note.offset);
    const letter = record.headers[headers.deadLetter];
    if (letter !== undefined && record.key !== null && Buffer.compare(record.key, key) === 0) named.add(letter);
  }
  const letters = await lettersOf(ports, partition, {}, (letter) => isOf(ports, letter, uetr, from, note.offset));
  const done = new Set(letters.filter((letter) => named.has(idOf(letter))).map(({ said }) => said.offset));
  const before = await foundOf(ports, uetr, from, note.offset);
  const late = await rested(ports, { uetr, from }, note.offset, done);
  if ("kind" in before) return before;
  if ("kind" in late) return late;
  if (late.found.length > 0) told(ports, { uetr, action }, late.found.length);
  const rows = before.map((one) => rowOf(one, done.has(one.letter.said.offset) ? "was-replayed" : "replayed", null));
  const head = { partition, offset: note.offset, appendedAtMs: note.atMs };
  return { kind: "accepted", body: bodyOf({ uetr, action }, false, head, rows) };
}

// ---- one letter

export function replayDeadLetter(ports: ReplayPorts): ControlHandler {
  return deciding(ports, "replayDeadLetter", async ({ action, body, question }) => {
    const letter = await letterOf(ports, question.path["letter"] ?? "");
    if (letter === null) return refused(404, "Not known", "There is no such dead letter.");
    if (letter.stage === "asked") {
      return refused(
        409,
        "Not possible now",
        "only-asked: this letter asks a lane to pass a record; the record lies in the letter that says so.",
      );
    }
    const uetr = letter.said.service === "scheduler" ? uetrOf(letter, ports.lanes) : null;
    if (uetr !== null) return refused(409, "Not possible now", `of-transaction: it goes back with all records of ${uetr}: replay that.`);
    const reading = await readingNow(letter.said, ports.serde);
    if (reading.isStopping) return stopping(letter, reading.why);
    const replayed = { uetr: null, action, found: [{ letter, isReadable: reading.isReadable }] };
    if (body.isDryRun === true) return answerOf(replayed, ports.lanes, "would-be-replayed");
    const appended = await appendAll(ports, [recordOf(letter)]);
    if (appended === null) return uncertain;
    told(ports, replayed, 1);
    return answerOf(replayed, ports.lanes, "replayed", { head: null, at: appended });
  });
}

// ---- answers

interface Put {
  readonly head: Appended | null;
  readonly at: readonly Appended[];
}

type Answered = Pick<Replayed, "action" | "found"> & { readonly uetr: string | null };

function answerOf(replayed: Answered, lanes: number, outcome: "replayed" | "would-be-replayed", put: Put | null = null): ControlAnswer {
  const { uetr, found } = replayed;
  const rows = found.map((one, index) => rowOf(one, outcome, put?.at[index] ?? null));
  const partition = uetr === null ? (found[0]?.letter.said.partition ?? 0) : partitionOf(uetr, lanes);
  const head = put?.head ?? { partition, offset: null, appendedAtMs: put?.at[0]?.appendedAtMs ?? null };
  const body = bodyOf(replayed, put === null, head, rows);
  return put === null ? { kind: "found", body } : { kind: "accepted", body };
}

interface Head {
  readonly partition: number;
  readonly offset: bigint | null;
  readonly appendedAtMs: number | null;
}

function bodyOf({ uetr, action }: Pick<Answered, "uetr" | "action">, isDryRun: boolean, head: Head, rows: readonly object[]) {
  const { partition, offset, appendedAtMs } = head;
  const appendedAt = appendedAtMs === null ? null : instantText(appendedAtMs);
  return { schema: "DeadLettersReplay", action: action.id, isDryRun, key: uetr, partition, offset, appendedAt, rows };
}

function rowOf({ letter, isReadable }: Found, outcome: string, at: Appended | null) {
  const { topic, partition, offset } = letter.said;
  const now = at === null ? null : { partition: at.partition, offset: at.offset };
  return { letter: idOf(letter), topic, partition, offset, type: typeOf(letter.said), isReadable, outcome, at: now };
}

function told({ log }: ReplayPorts, { uetr, action }: Pick<Answered, "uetr" | "action">, records: number): void {
  log.info("dead-letters.replayed", { action: action.id, operator: action.operator, uetr, records });
}
