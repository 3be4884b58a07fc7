// Interprets kafkajs's errors.

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
