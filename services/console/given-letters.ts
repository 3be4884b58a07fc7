// For tests of dead letters: records in the dead letters as a scheduler, or an operator's hand, put them there.

import { fixedSerde, headers, outgoingRecord, partitionOf, topics, type AnyDecoded, type Records } from "@sluice/contracts";
import { deadLetterOf, type PutAside, type ReceivedRecord } from "@sluice/messaging";
import { debitIn, givenConsole, startAtMs, uetr, type World } from "./given.ts";

export const lanes = 3;
export const lane = partitionOf(uetr, lanes);
export const serde = fixedSerde();
/** A schema id that nobody knows. */
export const unknownSchema = Uint8Array.of(0, 0, 0, 0x27, 0x0f, 1, 2);
/** Unreadable in itself. */
export const garbage = Uint8Array.of(7, 7, 7, 7, 7, 7);

export function recordAt(offset: bigint, value: Uint8Array, over: Partial<ReceivedRecord> = {}): ReceivedRecord {
  const key = new TextEncoder().encode(uetr);
  const place = { topic: topics.journal, partition: lane, offset, appendedAtMs: startAtMs };
  return { ...place, key, value, headers: { [headers.type]: "DayClosed" }, ...over };
}

export function closedBytes(day = "ZA_EFT:2026-11-20"): Uint8Array {
  return serde.encode("DayClosed", { day });
}

export async function givenLetters() {
  const world = await givenConsole();
  const producer = await world.settled(world.messaging.producer("services"));

  async function put(record: ReceivedRecord, over: Partial<PutAside> = {}): Promise<string> {
    const letter = deadLetterOf({ record, reason: "first byte is 7, not 0", service: "scheduler", ...over }, serde);
    const [appended] = await world.settled(producer.send([letter]));
    return `${appended?.partition}:${appended?.offset}`;
  }

  /** The bank's transaction with the mark, from that offset on; the scheduler is up to date for long. */
  async function parked(offset: bigint, records: number): Promise<void> {
    await world.save(debitIn(["RECEIVED"], { applied: offset, parked: { sinceMs: startAtMs, offset, records } }));
    await world.schedulerReaches(1_000_000n);
  }

  async function journal(decoded: AnyDecoded): Promise<void> {
    await world.settled(producer.send([outgoingRecord(serde, topics.journal, uetr, decoded, { lanes })]));
  }

  async function raw(value: Uint8Array, topic: string = topics.journal): Promise<void> {
    await world.settled(producer.send([{ topic, partition: lane, key: recordAt(0n, value).key, value, headers: {} }]));
  }

  return { ...world, put, parked, journal, raw, letters: () => lettersIn(world) };
}

export function lettersIn({ messaging }: Pick<World, "messaging">): readonly Records["DeadLetter"][] {
  return messaging.records({ topic: topics.deadLetters, partition: lane }).flatMap(({ value }) => {
    const decoded = serde.decode(value ?? new Uint8Array());
    return decoded.name === "DeadLetter" ? [decoded.value] : [];
  });
}

export { startAtMs, uetr };
