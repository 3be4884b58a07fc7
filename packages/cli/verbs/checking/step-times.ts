// How long each step of a test part took, for a line at its end. Steps may overlap.

export interface StepTimes {
  /** Times one step; resolves and rejects as the work does. */
  time<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** Formats all steps that have ended, and the time since the first began. */
  format(): string;
}

/** `clock` counts milliseconds. */
export function createStepTimes(clock: { readonly now: () => number }): StepTimes {
  const startedMs = clock.now();
  const steps: { readonly name: string; readonly tookMs: number }[] = [];
  return {
    async time(name, work) {
      const beganMs = clock.now();
      try {
        return await work();
      } finally {
        steps.push({ name, tookMs: clock.now() - beganMs });
      }
    },
    format: () =>
      `${formatSeconds(clock.now() - startedMs)}: ${steps.map(({ name, tookMs }) => `${name} ${formatSeconds(tookMs)}`).join(", ")}`,
  };
}

/** In whole seconds, such as `41 s`. */
function formatSeconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
