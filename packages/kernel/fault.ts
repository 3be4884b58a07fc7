// A Fault reports that something outside broke. It has a stable code, and tells whether the same call may succeed
// later. Expected outcomes are unions in return types; our own mistakes are failed assertions.

export class Fault extends Error {
  readonly code: string;
  readonly isRetryable: boolean;

  constructor(code: string, message: string, options: { isRetryable: boolean; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "Fault";
    this.code = code;
    this.isRetryable = options.isRetryable;
  }
}

const causesMax = 5;

/**
 * Joins the messages of an error and of its causes, at most five, for a log line or a reason of the readiness. A cause
 * that was said already is not said again: a driver wraps the error of a connection in others with the same text.
 */
export function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const messages = [error.message];
  let { cause } = error;
  for (let depth = 0; cause instanceof Error && depth < causesMax; depth += 1, { cause } = cause) {
    const { message } = cause;
    if (!messages.some((said) => said.includes(message))) messages.push(message);
  }
  return messages.join(": ");
}

/** Marks a branch that cannot be reached. The compiler checks it, and the error names the unexpected value. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}

export function assert(condition: unknown, message: string): asserts condition {
  if (condition !== true) throw new Error(`assertion failed: ${message}`);
}
