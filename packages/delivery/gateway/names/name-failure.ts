// Why a name has no address: four codes, so that an attempt, a log line and a metric can tell it without the message.

/**
 * `ENOTFOUND`: there is no such name. `ENODATA`: it has no address. `name-server-silent`: no server answered in time.
 * `name-server-failed`: a server said that it cannot answer, or could not be reached.
 */
export type NameFailureReason = "ENOTFOUND" | "ENODATA" | "name-server-silent" | "name-server-failed";

export class NameFailure extends Error {
  readonly code: NameFailureReason;
  constructor(code: NameFailureReason) {
    super(code);
    this.code = code;
  }
}

/** Reads a code of c-ares. Its ECONNREFUSED is a name server's, and must not be taken for the receiver's. */
export function toNameFailure(error: unknown): NameFailureReason {
  if (error instanceof NameFailure) return error.code;
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "ENOTFOUND" || code === "ENODATA") return code;
  return code === "ETIMEOUT" || code === "ECANCELLED" ? "name-server-silent" : "name-server-failed";
}
