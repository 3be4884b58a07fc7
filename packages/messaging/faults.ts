// Faults of the messaging port. Their codes are stable: callers and alarms know them.

import { Fault } from "@sluice/runtime";

/** The records may or may not be in the log. */
export function unknownOutcome(message: string, cause?: unknown): Fault {
  return new Fault("messaging.unknown-outcome", message, { isRetryable: true, cause });
}

/** The records are not in the log. */
export function refused(message: string, options: { isRetryable: boolean; cause?: unknown }): Fault {
  return new Fault("messaging.refused", message, options);
}

/** The log does not answer; nothing was asked of it that could have an effect. */
export function unavailable(message: string, cause?: unknown): Fault {
  return new Fault("messaging.unavailable", message, { isRetryable: true, cause });
}

/** A topic or partition that does not exist: topics are never made by use. */
export function unknownTopic(message: string, cause?: unknown): Fault {
  return new Fault("messaging.unknown-topic", message, { isRetryable: false, cause });
}

/** A position that the log no longer has, or does not have yet: going on would skip records in silence. */
export function outsideLog(message: string): Fault {
  return new Fault("messaging.outside-log", message, { isRetryable: false });
}

/** A commit that did not reach the group's coordinator. */
export function commitFailed(message: string, cause?: unknown): Fault {
  return new Fault("messaging.commit-failed", message, { isRetryable: true, cause });
}

/** Used after `close` or `stop`. */
export function closed(message: string): Fault {
  return new Fault("messaging.closed", message, { isRetryable: false });
}

/** The consumer cannot go on; the process must end. */
export function consumerFailed(message: string, cause?: unknown): Fault {
  return new Fault("messaging.consumer-failed", message, { isRetryable: false, cause });
}
