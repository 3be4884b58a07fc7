// Records that an operator puts aside by hand, because nothing else gets a lane past them: its schema is not to be had.
//
// #1 An operator's request is a dead letter that says `asked`. The owner of the lane looks for it each time the record stops it, and passes the
//    record with a dead letter of its own, which says `done`.
// #2 What is `done` stays so: whoever reads the record again, after a crash, from an older store or in a rebuild, puts it aside too, also where
//    it could be read by then. What was only `asked` has no such effect: its lane may have gone on by itself.
// #3 The dead letters are read on from where they were read last, at first from their start. Only letters by hand are decoded, by their header.

import { headers, topics } from "@sluice/contracts";
import type { AnyDecoded, Serde } from "@sluice/contracts";
import { Fault } from "@sluice/runtime";
import type { Messaging, ReceivedRecord } from "./port.ts";

/** Who put it aside, by which action, and why. */
export interface ByHand {
  readonly operator: string;
  readonly actionId: string;
  readonly reason: string;
}

export interface Asides {
  /** Whether an operator asked that this record, which stops its lane, is put aside; null: nobody did. Rejects with the log's Faults. */
  askedFor(record: Pick<ReceivedRecord, "topic" | "partition" | "offset">): Promise<ByHand | null>;
  /** What was put aside by hand in a partition of the topic, by offset. Rejects with the log's Faults. */
  done(topic: string, partition: number): Promise<ReadonlyMap<bigint, ByHand>>;
}

export interface AsidesPorts {
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Pick<Serde, "decode" | "learn">;
  /** Whose lanes: as dead letters name it. */
  readonly service: string;
}

/** Kept of a partition: people's work, one by one. The oldest are forgotten first. */
const handsMax = 10_000;

interface Hand {
  readonly topic: string;
  readonly offset: bigint;
  readonly by: ByHand;
  readonly isDone: boolean;
}

interface Looked {
  nextOffset: bigint;
  readonly hands: Map<string, Hand>;
  /** The look under way, and all before it. */
  looking: Promise<void>;
}

export function createAsides(ports: AsidesPorts): Asides {
  const partitions = new Map<number, Looked>();

  async function looked(partition: number): Promise<Looked> {
    const known = partitions.get(partition) ?? { nextOffset: 0n, hands: new Map<string, Hand>(), looking: Promise.resolve() };
    partitions.set(partition, known);
    const look = known.looking.catch(() => undefined).then(() => lookOn(ports, partition, known));
    known.looking = look;
    await look;
    return known;
  }

  return {
    async askedFor({ topic, partition, offset }) {
      const { hands } = await looked(partition);
      return hands.get(placeOf(topic, offset, true))?.by ?? hands.get(placeOf(topic, offset, false))?.by ?? null;
    },
    async done(topic, partition) {
      const { hands } = await looked(partition);
      return new Map(
        [...hands.values()].filter((hand) => hand.isDone && hand.topic === topic).map(({ offset, by }) => [offset, by] as const),
      );
    },
  };
}

/** A lane stands because of the record alone: its schema, or what it says, is not known to this reader. */
export function isStoppedByRecord(error: unknown): error is Fault {
  return error instanceof Fault && error.isRetryable && /^contracts\.|\.unknown-(change|operation)$/.test(error.code);
}

async function lookOn({ messaging, serde, service }: AsidesPorts, partition: number, looked: Looked): Promise<void> {
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || ends.logEnd <= looked.nextOffset) return;
  const from = looked.nextOffset > ends.logStart ? looked.nextOffset : ends.logStart;
  if (from < ends.logEnd) {
    for await (const record of messaging.read(place, from, ends.logEnd)) {
      if (record.headers[headers.byHand] !== undefined) note(looked, await handOf(record, serde, service));
      looked.nextOffset = record.offset + 1n;
    }
  }
  looked.nextOffset = ends.logEnd;
}

function note({ hands }: Looked, hand: Hand | null): void {
  if (hand === null) return;
  hands.set(placeOf(hand.topic, hand.offset, hand.isDone), hand);
  const [oldest] = hands.keys();
  if (hands.size > handsMax && oldest !== undefined) hands.delete(oldest);
}

/** Null: of another service, or no dead letter. */
async function handOf({ value, headers: given }: ReceivedRecord, serde: AsidesPorts["serde"], service: string): Promise<Hand | null> {
  const decoded = value === null ? null : await decodedIn(value, serde);
  if (decoded?.name !== "DeadLetter" || decoded.value.service !== service) return null;
  const { topic, offset, operator, actionId, reason } = decoded.value;
  const by = { operator: operator ?? "", actionId: actionId ?? "", reason };
  return { topic, offset, by, isDone: given[headers.byHand] === "done" };
}

async function decodedIn(value: Uint8Array, serde: AsidesPorts["serde"]): Promise<AnyDecoded | null> {
  try {
    await serde.learn(value);
    return serde.decode(value);
  } catch (error) {
    if (error instanceof Fault && !error.isRetryable) return null;
    throw error;
  }
}

function placeOf(topic: string, offset: bigint, isDone: boolean): string {
  return `${topic}@${offset}${isDone ? "" : "?"}`;
}
