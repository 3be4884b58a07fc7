// What kafkajs's errors mean to us.

/** An error's chain: kafkajs wraps the broker's answer, sometimes more than once. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  let next = error;
  while (next instanceof Error && causes.length < 10) {
    causes.push(next);
    next = next.cause;
  }
  return causes;
}

export function isUnknownTopic(error: unknown): boolean {
  return causesOf(error).some(
    (cause) => ("type" in cause && cause.type === "UNKNOWN_TOPIC_OR_PARTITION") || /does not host this topic-partition/.test(cause.message),
  );
}
