// The Faults of the messaging port. Their codes are stable, because callers and alarms depend on them.

import { Fault } from "@sluice/kernel";
import type { AppendResult, TopicPartition } from "./port.ts";

/** The records may or may not have been appended. */
export function unknownOutcome(message: string, cause?: unknown): Fault {
  return new Fault("messaging.unknown-outcome", message, { isRetryable: true, cause });
}

/** Some records of a send were appended, the others were not or may not have been. */
export class PartlyAppendedFault extends Fault {
  /** By record of the send: its place; null: not acknowledged. */
  readonly appended: readonly (AppendResult | null)[];

  constructor(appended: readonly (AppendResult | null)[], cause: Fault) {
    super("messaging.unknown-outcome", "only a part was appended", { isRetryable: cause.isRetryable, cause });
    this.appended = appended;
  }
}

/** Returns the Fault of a send, by what became of each record. */
export function partlyAppended(appended: readonly (AppendResult | null)[], cause: Fault): Fault {
  return appended.some((one) => one !== null) ? new PartlyAppendedFault(appended, cause) : cause;
}

/** The records were not appended. */
export function requestRefused(message: string, options: { isRetryable: boolean; cause?: unknown }): Fault {
  return new Fault("messaging.refused", message, options);
}

/** The broker does not answer, and the request could not have had an effect. */
export function brokerUnavailable(message: string, cause?: unknown): Fault {
  return new Fault("messaging.unavailable", message, { isRetryable: true, cause });
}

/** The topic or partition does not exist. Using a topic never creates it. */
export function unknownTopic(message: string, cause?: unknown): Fault {
  return new Fault("messaging.unknown-topic", message, { isRetryable: false, cause });
}

/** The partition no longer has this position, or not yet. Going on would skip records silently. */
export function outsideLog(message: string): Fault {
  return new Fault("messaging.outside-log", message, { isRetryable: false });
}

/** A reading ended before the end of its range, for a reason that passes. */
export function readIncomplete({ topic, partition }: TopicPartition, next: bigint, to: bigint): Fault {
  return new Fault("messaging.read-incomplete", `${topic}/${partition} was read up to ${next}, and not to ${to}`, { isRetryable: true });
}

/** The commit did not reach the group's coordinator. */
export function commitFailed(message: string, cause?: unknown): Fault {
  return new Fault("messaging.commit-failed", message, { isRetryable: true, cause });
}

/** A call came after `close` or `stop`. */
export function clientClosed(message: string): Fault {
  return new Fault("messaging.closed", message, { isRetryable: false });
}

/** The consumer cannot go on; the process must end. */
export function consumerFailed(message: string, cause?: unknown): Fault {
  return new Fault("messaging.consumer-failed", message, { isRetryable: false, cause });
}
