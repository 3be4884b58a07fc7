// What was seen of the engine at its ports: attempts, who held which lane and knew which markers, and what was appended.

import type { BankAnswer } from "@sluice/delivery";
import type { Received } from "@sluice/delivery/delivery-world";
import type { Records } from "@sluice/contracts";
import type { Message } from "./given.ts";

export interface Attempt {
  readonly message: Message;
  readonly process: string;
  /** Null: by a process that did not hold the lane. */
  readonly tenure: Tenure | null;
  /** Of the message, from 1, over all processes. */
  readonly number: number;
  readonly atMs: number;
  readonly body: string;
  /** All but the time of the attempt. */
  readonly headers: string;
  /** As the bank saw it: its status and when the exchange was over, once it is. */
  readonly arrived: Pick<Received, "status" | "endedAtMs">;
  /** What the process got for it; null: nothing yet, or it died. */
  learnt: { readonly answer: BankAnswer; readonly atMs: number } | null;
}

/** A process holds a lane: from its assignment until it is revoked, or the next holder comes. */
export interface Tenure {
  readonly process: string;
  readonly lane: number;
  readonly fromMs: number;
  /** End of the partition then, or a little later. */
  readonly logEnd: bigint;
  /** When each record was handed to it. */
  readonly handed: Map<bigint, number>;
  /** Positions it started from: one, and one more whenever another owner came between. */
  readonly starts: { readonly position: bigint; readonly atMs: number }[];
  isOver: boolean;
}

export interface Fact {
  readonly value: Records["DeliveryEnded"];
  readonly atMs: number;
}

export interface SeenReceipt {
  readonly value: Records["Receipt"];
  readonly atMs: number;
}

export interface Seen {
  /** Records read of each partition. */
  readonly read: Map<string, number>;
  readonly attempts: Attempt[];
  readonly byId: Map<string, Attempt[]>;
  readonly tenures: Tenure[];
  readonly facts: Fact[];
  readonly receipts: SeenReceipt[];
  readonly violations: string[];
}

export function nothingSeen(): Seen {
  return { read: new Map(), attempts: [], byId: new Map(), tenures: [], facts: [], receipts: [], violations: [] };
}

export function attemptsOf(seen: Seen, id: string): readonly Attempt[] {
  return seen.byId.get(id) ?? [];
}

export function holderOf(seen: Seen, lane: number): Tenure | null {
  const newest = seen.tenures.findLast((tenure) => tenure.lane === lane);
  return newest === undefined || newest.isOver ? null : newest;
}

/** Whether the record at that offset was read in the tenure until that time, or lies below where it started. */
export function knows(tenure: Tenure, offset: bigint, atMs: number): boolean {
  const handedAtMs = tenure.handed.get(offset);
  return (handedAtMs !== undefined && handedAtMs <= atMs) || tenure.starts.some(({ position }) => offset < position);
}

/** What an answer means for a message. `either`: it depends on what the dispatcher could know. */
export type Meaning = "acknowledged" | "refused" | "transient" | "address" | "either";

/** From the specification (decisions.md section 3), not from the engine. Null: the exchange is under way. */
export function meaningOf(attempt: Attempt): Meaning | null {
  const { status, endedAtMs } = attempt.arrived;
  if (endedAtMs === null) return null;
  if (status === 202) return "acknowledged";
  if (status === 409) return seenBefore(attempt);
  if (status === null || status >= 500 || [408, 425, 429].includes(status)) return "transient";
  return status < 400 || [401, 403, 404, 405, 407, 410, 421].includes(status) ? "address" : "refused";
}

/** 409 acknowledges the second and later attempts, and those on a record that lay in the topic when the lane was taken. */
function seenBefore({ number, tenure, message }: Attempt): Meaning {
  if (number > 1) return "acknowledged";
  if (tenure === null || tenure.starts.length !== 1) return "either";
  return message.offset < tenure.logEnd ? "either" : "refused";
}

/** Whether the receiver may have the message after all: decisions.md section 3, unknown is not refused. */
export function leavesOpen({ arrived: { status } }: Attempt): boolean {
  return status === null || status < 300 || status >= 500 || status === 409;
}
