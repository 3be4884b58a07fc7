// The shape of a running service: what its process entry, the simulation and tests hold of it.

export interface Readiness {
  readonly isReady: boolean;
  /** Why not, one short text each; empty when ready. */
  readonly reasons: readonly string[];
}

export interface Running {
  readiness(): Readiness;
  /** Stops taking work, finishes what is under way within its grace time, closes in reverse order of opening. Idempotent. */
  stop(): Promise<void>;
}
