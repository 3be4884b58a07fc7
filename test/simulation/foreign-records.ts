// Plays records that nothing of Sluice wrote: bytes that nobody can read, small ones and ones as large as a broker
// takes, under the keys of transactions, of the day, of nobody and under none. An operator repairs what they do: each
// transaction that they quarantine is replayed without them, by the console's own code.
//
// #1 Foreign bytes say of themselves that they are no debit and no credit, so of an unknown UETR they make no item.
// #2 The operator sends a replay again under the same id until it is answered, as one does who sees no answer. A replay
//    that was refused is asked for under another id, because more of the transaction may be in the dead letters then.
// #3 A record of a schema that no registry has stops its partition. The operator asks until its owner has skipped it.
// #4 The repair ends when the garbage is in the dead letters and its transaction is not quarantined any more.

import type { SentEntry } from "@sluice/checker";
import type { Console } from "@sluice/console";
import { headers, partitionFor, topics } from "@sluice/contracts";
import { type Random, sleep } from "@sluice/kernel";
import type { AppendResult, MemoryBroker, ReceivedRecord } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { drawUetr, sampleToken, type VirtualTime } from "@sluice/testkit";
import type { Replicas } from "./cluster.ts";
import { simulatedSerde } from "./read-history.ts";

/** A record of foreign bytes, with its time in milliseconds from the start of the run. */
export interface PlannedForeignRecord {
  readonly atMs: number;
  readonly topic: string;
  /** Null for a record without a key. */
  readonly key: string | null;
  readonly bytes: number;
  /** True if its key is a UETR of the journal, so that it quarantines a transaction. */
  readonly isQuarantining: boolean;
  /** The service whose partition it stops; null if its bytes are no record at all. */
  readonly stops: "scheduler" | "dispatcher" | "event-publisher" | null;
}

export const repairOperator = "repair";
const recordsMax = 6;
const dayKeyText = "ZA_EFT:2026-11-20";
const topicOf = { scheduler: topics.journal, dispatcher: topics.dispatch, "event-publisher": topics.events } as const;
/** A producer may send a million bytes in one record. */
export const largeBytes = 999_800;
const smallBytesMax = 64;

/** Draws the foreign records of a day; `uetrs` are those of its debits and credits. */
export function drawForeignRecords(
  random: Random,
  { fromMs, untilMs, uetrs }: { readonly fromMs: number; readonly untilMs: number; readonly uetrs: readonly string[] },
): readonly PlannedForeignRecord[] {
  const between = (): number => fromMs + random.fraction() * (untilMs - fromMs);
  const stopping = drawStopping(random, between());
  const unreadable = Array.from({ length: 1 + Math.floor(random.fraction() * recordsMax) }, () => {
    const draw = random.fraction();
    const known = uetrs[Math.floor(random.fraction() * uetrs.length)] ?? drawUetr(random);
    const topic = draw < 0.7 ? topics.journal : draw < 0.85 ? topics.dispatch : topics.events;
    const kind = random.fraction();
    const isTransaction = kind < 0.8;
    const other = kind < 0.9 ? dayKeyText : null;
    return {
      atMs: between(),
      topic,
      key: isTransaction ? (kind < 0.65 ? known : drawUetr(random)) : other,
      bytes: random.fraction() < 0.15 ? largeBytes : 1 + Math.floor(random.fraction() * smallBytesMax),
      isQuarantining: isTransaction && topic === topics.journal,
      stops: null,
    };
  });
  return [...unreadable, ...stopping];
}

/** On half of these days one partition is stopped. */
function drawStopping(random: Random, atMs: number): readonly PlannedForeignRecord[] {
  const services = ["scheduler", "dispatcher", "event-publisher"] as const;
  const stops = services[Math.floor(random.fraction() * 2 * services.length)];
  if (stops === undefined) return [];
  return [{ atMs, topic: topicOf[stops], key: dayKeyText, bytes: smallBytesMax, isQuarantining: false, stops }];
}

export interface ForeignRecordsOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly broker: MemoryBroker;
  /** The store as operators see it. */
  readonly store: Store;
  readonly partitionCount: number;
  readonly startAtMs: number;
  readonly records: readonly PlannedForeignRecord[];
  readonly console: Replicas<Console> | null;
}

export interface ForeignRecords {
  /** The replays that the operator asked for. */
  entries(): readonly SentEntry[];
  pendingCount(): number;
}

/** Milliseconds from the send of a batch that lands late; a foreign one may be among them. */
export const landsLateMaxMs = 15_000;
const foreignType = "Foreign";
const lookAgainMs = 3_000;
const lookFirstMaxMs = 10_000;
const answerMaxMs = 10_000;
const againAfterMs = 1_000;

export function startForeignRecords(options: ForeignRecordsOptions): ForeignRecords {
  const { time, random, broker, records, startAtMs, partitionCount } = options;
  const entries: SentEntry[] = [];
  const repairing = new Set<string>();
  let pending = records.length;
  let replays = 0;
  const producer = broker.client("foreign").producer("foreign");

  async function play({ key, topic, bytes, isQuarantining, stops }: PlannedForeignRecord): Promise<void> {
    const partition = key === null ? Math.floor(random.fraction() * partitionCount) : partitionFor(key, partitionCount);
    const value = stops === null ? garbage(bytes) : unknownSchema(bytes);
    const named = stops === null ? {} : { [headers.type]: foreignType };
    const record = { topic, partition, key: key === null ? null : new TextEncoder().encode(key), value, headers: named };
    const [appended] = await repeat(async () => await (await producer).send([record]));
    if (stops !== null && appended !== undefined) await skip(stops, appended);
    if (!isQuarantining || key === null || repairing.has(key)) return;
    repairing.add(key);
    await sleep(time, random.fraction() * lookFirstMaxMs);
    while (!(await isRepaired(key))) await sleep(time, lookAgainMs);
    repairing.delete(key);
  }

  async function repeat<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch {
        await sleep(time, againAfterMs);
      }
    }
  }

  /** #4 Asks for a replay where the transaction is quarantined. */
  async function isRepaired(uetr: string): Promise<boolean> {
    const documents = await repeat(() => options.store.transactions.load([uetr]));
    const partition = partitionFor(uetr, partitionCount);
    const foreign = foreignOffsets(broker.records({ topic: topics.journal, partition }), uetr);
    const letters = lettersOf(broker.records({ topic: topics.deadLetters, partition }), uetr);
    const isDeadLettered = foreign.every((offset) => letters.some((letter) => letter.of === offset));
    const transaction = documents.get(uetr)?.transaction ?? null;
    if (transaction === null || !isDeadLettered) return false;
    if (transaction.quarantined === null) return true;
    const { offset: from } = transaction.quarantined;
    await replay(uetr, firstNames(letters.filter(({ of }) => of >= from && foreign.includes(of))));
    return false;
  }

  /** #3 A copy whose answer was lost stops the partition too: it stands before the record, or lands behind it later. */
  async function skip(service: string, { topic, partition }: AppendResult): Promise<void> {
    const place = { topic, partition };
    const untilMs = time.monotonicMs() + landsLateMaxMs;
    for (;;) {
      const letters = broker.records({ topic: topics.deadLetters, partition });
      const foreign = broker.records(place).filter((record) => record.headers[headers.type] === foreignType);
      const stopping = foreign.find(({ offset }) => !isSkipped(letters, { service, ...place, offset }));
      if (stopping === undefined && time.monotonicMs() > untilMs) return;
      await sleep(time, lookAgainMs);
      if (stopping === undefined) continue;
      replays += 1;
      await ask("/skip", `skip-${replays}`, { service, ...place, offset: String(stopping.offset), reason: "no registry has its schema" });
    }
  }

  /** #2 */
  async function replay(uetr: string, leave: readonly string[]): Promise<void> {
    replays += 1;
    const id = `replay-${replays}`;
    for (;;) {
      const status = await ask(`/transactions/${uetr}/replay`, id, { reason: "foreign bytes", leave });
      const base = { kind: "sent", atMs: time.nowMs(), bank: repairOperator, operation: "operatorAction" } as const;
      entries.push({ ...base, uetr, messageIdentification: id, bodyHash: "", status });
      if (status !== null && status < 500) return;
      await sleep(time, againAfterMs);
    }
  }

  /** Returns the status of the answer; null for none in time. */
  async function ask(path: string, id: string, body: object): Promise<number | null> {
    const running = options.console?.up()[0];
    if (running === undefined) return null;
    const text = JSON.stringify(body);
    const sent = { authorization: `Bearer ${sampleToken(repairOperator)}`, "content-type": "application/json" };
    const asked = new Request(`http://console/control/v1${path}`, {
      method: "POST",
      headers: { ...sent, "content-length": String(text.length), "idempotency-key": id },
      body: text,
    });
    const tooLate = new Promise<null>((resolve) => void time.after(answerMaxMs, () => resolve(null)));
    const answered = running.process.through("console", running.running).fetchControl(asked);
    return (await Promise.race([answered, tooLate]))?.status ?? null;
  }

  for (const planned of records)
    time.after(Math.max(0, startAtMs + planned.atMs - time.nowMs()), () => void play(planned).finally(() => (pending -= 1)));
  return { entries: () => entries, pendingCount: () => pending };
}

/** Bytes that are no record of ours: these begin with 0. */
function garbage(bytes: number): Uint8Array {
  return new Uint8Array(bytes).fill(7);
}

/** The form of a record, with the number of a schema that no registry has. */
function unknownSchema(bytes: number): Uint8Array {
  return Uint8Array.of(0, 0, 15, 66, 63, ...garbage(bytes));
}

function isSkipped(
  records: readonly ReceivedRecord[],
  place: { readonly service: string } & Pick<AppendResult, "topic" | "partition" | "offset">,
): boolean {
  return records.some((record) => {
    if (record.value === null || record.headers[headers.skip] !== "done") return false;
    const { name, value } = simulatedSerde.decode(record.value);
    return name === "DeadLetter" && value.service === place.service && value.topic === place.topic && value.offset === place.offset;
  });
}

function foreignOffsets(records: readonly ReceivedRecord[], uetr: string): readonly bigint[] {
  return records
    .filter(({ key, value }) => key !== null && new TextDecoder().decode(key) === uetr && value?.[0] === 7)
    .map(({ offset }) => offset);
}

interface Letter {
  readonly name: string;
  /** The offset of the record in the journal. */
  readonly of: bigint;
}

/** The letters that the schedulers wrote under a UETR, in order. */
function lettersOf(records: readonly ReceivedRecord[], uetr: string): readonly Letter[] {
  return records.flatMap((record): Letter[] => {
    if (record.key === null || record.value === null || new TextDecoder().decode(record.key) !== uetr) return [];
    const { name, value } = simulatedSerde.decode(record.value);
    if (name !== "DeadLetter" || value.service !== "scheduler" || value.topic !== topics.journal) return [];
    return [{ name: `${record.partition}:${record.offset}`, of: value.offset }];
  });
}

/** One name for each record, because a replay after a crash writes its letter again. */
function firstNames(letters: readonly Letter[]): readonly string[] {
  const names = new Map<bigint, string>();
  for (const { of, name } of letters) if (!names.has(of)) names.set(of, name);
  return [...names.values()];
}
