// Interprets kafkajs's errors.

import type { Fault } from "@sluice/kernel";
import { consumerFailed, outsideLog } from "../faults.ts";

/** Returns the error and its causes; kafkajs wraps the broker's error, sometimes more than once. */
function causeChain(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  let next = error;
  while (next instanceof Error && causes.length < 10) {
    causes.push(next);
    next = next.cause;
  }
  return causes;
}

export function isUnknownTopic(error: unknown): boolean {
  return causeChain(error).some(
    (cause) => ("type" in cause && cause.type === "UNKNOWN_TOPIC_OR_PARTITION") || /does not host this topic-partition/.test(cause.message),
  );
}

/** Why a consumer ended from which kafkajs does not restart. */
export function crashToFault(crash: Error): Fault {
  const passed = causeChain(crash).find(({ name }) => name === "KafkaJSOffsetOutOfRange");
  if (passed === undefined) return consumerFailed(`the consumer crashed: ${crash.message}`, crash);
  const place = "topic" in passed && "partition" in passed ? `${String(passed.topic)}/${String(passed.partition)}` : "a partition";
  return outsideLog(`${place} no longer has the records that come next: retention has taken them unread`);
}
