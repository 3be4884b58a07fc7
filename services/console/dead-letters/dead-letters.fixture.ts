// For tests of dead letters: records in the dead-letter topic as a scheduler or an operator puts them there.

import type { Configuration } from "@sluice/config";
import {
  createFixedSerde,
  headers,
  operatorContentSha256,
  outgoingRecord,
  partitionFor,
  readStatusReport,
  topics,
  type AnyDecodedRecord,
  type DecodedRecord,
  type Records,
} from "@sluice/contracts";
import { buildDeadLetter, type DeadLetterSource, type ReceivedRecord } from "@sluice/messaging";
import { buildStatusReport, encodeBody } from "@sluice/testkit";
import { buildConsoleDebit, openConsoleEnvironment, consoleStartAtMs, consoleUetr, type ConsoleEnvironment } from "../console.fixture.ts";

const deadLetterPartitionCount = 3;
export const deadLetterPartition = partitionFor(consoleUetr, deadLetterPartitionCount);
export const deadLetterSerde = createFixedSerde();
/** Bytes with a schema id that no registry has. */
export const unknownSchemaBytes = Uint8Array.of(0, 0, 0, 0x27, 0x0f, 1, 2);
/** Bytes that are unreadable with any schema. */
export const unreadableBytes = Uint8Array.of(7, 7, 7, 7, 7, 7);

export function buildReceivedRecord(offset: bigint, value: Uint8Array, over: Partial<ReceivedRecord> = {}): ReceivedRecord {
  const key = new TextEncoder().encode(consoleUetr);
  const place = { topic: topics.journal, partition: deadLetterPartition, offset, appendedAtMs: consoleStartAtMs };
  return { ...place, key, value, headers: { [headers.type]: "DayClosed" }, ...over };
}

export function dayClosedBytes(day = "ZA_EFT:2026-11-20"): Uint8Array {
  return deadLetterSerde.encode("DayClosed", { day });
}

export function statusReport(messageIdentification: string): DecodedRecord<"StatusReportReceived"> {
  const read = readStatusReport(encodeBody(buildStatusReport({ uetr: consoleUetr, messageIdentification })));
  if (!read.ok) throw new Error(read.error.detail);
  const { message: report, contentHash, substanceHash } = read.read;
  return {
    name: "StatusReportReceived",
    value: { sender: "first", contentHash, substanceHash, receivedAtMs: consoleStartAtMs, report, operation: "inboundDirectDebitResponse" },
  };
}

export async function openDeadLetterEnvironment(over: Partial<Configuration> = {}) {
  const environment = await openConsoleEnvironment(over);
  const producer = await environment.settled(environment.messaging.producer("services"));

  async function put(record: ReceivedRecord, over: Partial<DeadLetterSource> = {}): Promise<string> {
    const letter = buildDeadLetter({ record, reason: "first byte is 7, not 0", service: "scheduler", ...over }, deadLetterSerde);
    const [appended] = await environment.settled(producer.send([letter]));
    return `${appended?.partition}:${appended?.offset}`;
  }

  /** Appends that many letters of a record of a bank, an hour before whatever comes next. */
  async function putOlder(count: number): Promise<void> {
    const record = buildReceivedRecord(0n, unreadableBytes, { key: new TextEncoder().encode("bank:first") });
    const letter = buildDeadLetter({ record, reason: "first byte is 7, not 0", service: "scheduler" }, deadLetterSerde);
    const sendRecords = 5_000;
    for (let left = count; left > 0; left -= sendRecords)
      await environment.settled(producer.send(Array.from({ length: Math.min(left, sendRecords) }, () => letter)));
    await environment.time.advance(3_600_000);
  }

  /** Saves the transaction as quarantined from that offset on; the scheduler is far ahead. */
  async function quarantine(offset: bigint, records: number, applied = offset + 12n): Promise<void> {
    await environment.save(buildConsoleDebit(["RECEIVED"], { applied, quarantined: { sinceMs: consoleStartAtMs, offset, records } }));
    await environment.schedulerReaches(1_000_000n);
  }

  /** Saves the transaction as the scheduler leaves it once it has applied `record`, the decision at `offset`. */
  async function endQuarantine(offset: bigint, record: ReceivedRecord | undefined): Promise<void> {
    const decoded = deadLetterSerde.decode(record?.value ?? new Uint8Array());
    if (decoded.name !== "DeadLettersReplayed") throw new Error("it is no decision");
    const { action } = decoded.value;
    const contentSha256 = operatorContentSha256(decoded);
    const note = { kind: "DeadLettersReplayed", result: "applied", why: null, offset, atMs: consoleStartAtMs } as const;
    const found = (await environment.settled(environment.store.transactions.load([consoleUetr]))).get(consoleUetr)?.transaction;
    if (found === undefined) throw new Error("it is saved");
    const decisions = [{ ...note, action: { ...action, contentSha256 } }];
    await environment.save({ ...found, version: found.version + 1, applied: offset, quarantined: null, decisions }, found.version);
  }

  async function journal(decoded: AnyDecodedRecord): Promise<void> {
    await environment.settled(
      producer.send([outgoingRecord(deadLetterSerde, topics.journal, consoleUetr, decoded, { partitionCount: deadLetterPartitionCount })]),
    );
  }

  async function raw(value: Uint8Array, topic: string = topics.journal): Promise<void> {
    await environment.settled(
      producer.send([{ topic, partition: deadLetterPartition, key: buildReceivedRecord(0n, value).key, value, headers: {} }]),
    );
  }

  return { ...environment, put, putOlder, quarantine, endQuarantine, journal, raw, letters: () => readLetters(environment) };
}

function readLetters({ messaging }: Pick<ConsoleEnvironment, "messaging">): readonly Records["DeadLetter"][] {
  return messaging.records({ topic: topics.deadLetters, partition: deadLetterPartition }).flatMap(({ value }) => {
    const decoded = deadLetterSerde.decode(value ?? new Uint8Array());
    return decoded.name === "DeadLetter" ? [decoded.value] : [];
  });
}

export { consoleStartAtMs, consoleUetr };
