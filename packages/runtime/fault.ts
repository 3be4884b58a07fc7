// The world broke: a Fault has a stable code and says whether the same call may succeed later.
// What is expected is a union in a return type; what we broke is an assertion.

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

/** For the branch that cannot be: the compiler checks it, and a wrong value says what it was. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}

export function assert(condition: unknown, message: string): asserts condition {
  if (condition !== true) throw new Error(`assertion failed: ${message}`);
}
