// The interface of a running service, as its process entry, the simulation and tests use it.

export interface Readiness {
  readonly isReady: boolean;
  /** The reasons why it is not ready, one short text each; empty when ready. */
  readonly reasons: readonly string[];
}

export interface Running {
  readiness(): Readiness;
  /**
   * Stops taking work, finishes work in flight within its grace time, and closes in reverse order of opening.
   * Idempotent.
   */
  stop(): Promise<void>;
}
