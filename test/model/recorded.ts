// The record of what the engine did at its ports: attempts, leases with the records that each owner had read, and
// appends.

import type { ReceiverAnswer } from "@sluice/delivery";
import type { ReceivedRequest } from "@sluice/delivery/delivery-environment";
import type { Records } from "@sluice/contracts";
import type { InputMessage } from "./inputs.ts";

export interface RecordedAttempt {
  readonly message: InputMessage;
  readonly process: string;
  /** The lease under which it was made; null if the process did not hold the partition. */
  readonly lease: ModelLease | null;
  /** The number of the attempt at the message, from 1, over all processes. */
  readonly number: number;
  readonly atMs: number;
  readonly body: string;
  /** All headers except the time of the attempt. */
  readonly headers: string;
  /** The request as the bank received it: its status, and when the exchange ended. */
  readonly received: Pick<ReceivedRequest, "status" | "endedAtMs">;
  /** The answer that the process got; null if none came yet or the process died. */
  result: { readonly answer: ReceiverAnswer; readonly atMs: number } | null;
}

/** A process's ownership of a partition, from its assignment until it is revoked or the next owner comes. */
export interface ModelLease {
  readonly process: string;
  readonly partition: number;
  readonly fromMs: number;
  /** The partition's end at the assignment, or shortly after it. */
  readonly logEnd: bigint;
  /** When each record was handed to the process, by offset. */
  readonly handedAtMs: Map<bigint, number>;
  /** The positions from which it started: one, and one more whenever another owner came between. */
  readonly starts: { readonly position: bigint; readonly atMs: number }[];
  hasEnded: boolean;
}

export interface RecordedFact {
  readonly value: Records["DeliveryEnded"];
  readonly atMs: number;
}

export interface RecordedReceipt {
  readonly value: Records["Receipt"];
  readonly atMs: number;
}

export interface RecordedRun {
  /** The number of records read from each partition. */
  readonly recordsRead: Map<string, number>;
  readonly attempts: RecordedAttempt[];
  readonly byId: Map<string, RecordedAttempt[]>;
  readonly leases: ModelLease[];
  readonly facts: RecordedFact[];
  readonly receipts: RecordedReceipt[];
  readonly violations: string[];
}

export function nothingRecorded(): RecordedRun {
  return { recordsRead: new Map(), attempts: [], byId: new Map(), leases: [], facts: [], receipts: [], violations: [] };
}

export function findAttempts(recorded: RecordedRun, id: string): readonly RecordedAttempt[] {
  return recorded.byId.get(id) ?? [];
}

export function currentLease(recorded: RecordedRun, partition: number): ModelLease | null {
  const newest = recorded.leases.findLast((lease) => lease.partition === partition);
  return newest === undefined || newest.hasEnded ? null : newest;
}

/** True if the record at that offset was read under the lease by that time, or is below its start. */
export function hasRead(lease: ModelLease, offset: bigint, atMs: number): boolean {
  const handedAtMs = lease.handedAtMs.get(offset);
  return (handedAtMs !== undefined && handedAtMs <= atMs) || lease.starts.some(({ position }) => offset < position);
}

/** What an answer means for a message. `either` depends on what the dispatcher could know. */
export type AnswerMeaning = "acknowledged" | "refused" | "transient" | "address" | "either";

/**
 * Interprets an answer by the specification (docs/spec/decisions.md D3), not by the engine. Null while the exchange
 * is under way.
 */
export function interpretAnswer(attempt: RecordedAttempt): AnswerMeaning | null {
  const { status, endedAtMs } = attempt.received;
  if (endedAtMs === null) return null;
  if (status === 202) return "acknowledged";
  if (status === 409) return interpretDuplicateCode(attempt);
  if (status === null || status >= 500 || [408, 425, 429].includes(status)) return "transient";
  return status < 400 || [401, 403, 404, 405, 407, 410, 421].includes(status) ? "address" : "refused";
}

/**
 * A 409 acknowledges second and later attempts, and attempts on a record that was in the topic when the lease began.
 */
function interpretDuplicateCode({ number, lease, message }: RecordedAttempt): AnswerMeaning {
  if (number > 1) return "acknowledged";
  if (lease === null || lease.starts.length !== 1) return "either";
  return message.offset < lease.logEnd ? "either" : "refused";
}

/** True if the receiver may have the message after all (docs/spec/decisions.md D3.59, `D3 evidence`). */
export function mayHaveArrived({ received: { status } }: RecordedAttempt): boolean {
  return status === null || status < 300 || status >= 500 || status === 409;
}
