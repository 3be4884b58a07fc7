// Plays a list of steps: performs each and checks the laws, then ends all faults and checks the laws at rest.

import { performStep, healEverything, restartDispatcher, startDispatcherProcess } from "./perform-step.ts";
import { isAtRest, findViolationsAtRest } from "./laws-at-rest.ts";
import { endpointLaws, findLateWork } from "./laws-of-endpoints.ts";
import { attemptLaws } from "./laws-of-attempts.ts";
import { checkAppended } from "./laws-of-facts.ts";
import type { ModelRun } from "./model-run.ts";
import { createRun, readAppended } from "./run.ts";
import type { ModelSettings, ModelStep } from "./steps.ts";

export interface PlayedRun {
  readonly run: ModelRun;
  /** Performs a step. Rejects with the violations. */
  step(step: ModelStep): Promise<void>;
  /** Ends all faults and waits until no work is left. Rejects with the violations. */
  finish(): Promise<void>;
}

/** Milliseconds until all work must have ended: the longest `Retry-After`, and what may follow it. */
const restWithinMs = 40 * 60_000;
/** Milliseconds for the appends and removals after the last answer. */
const afterwardsMs = 3_000;
const againMs = 20_000;
const checksBeforeRestart = 5;
const stepsMax = 200_000;

export async function startPlayedRun(settings: ModelSettings): Promise<PlayedRun> {
  const run = createRun(settings, [...attemptLaws, ...endpointLaws]);
  const examined = { facts: 0, receipts: 0 };

  function failIfViolated(more: readonly string[] = []): void {
    readAppended(run);
    const wrong = [...run.recorded.violations, ...checkAppended(run, examined), ...findLateWork(run), ...more];
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join("\n"));
  }

  await startDispatcherProcess(run);
  return {
    run,
    async step(step) {
      await performStep(run, step);
      failIfViolated();
    },
    async finish() {
      await healEverything(run);
      const { time } = run.environment;
      const untilMs = time.nowMs() + restWithinMs;
      await time.run({ until: () => run.nowMs() >= run.calmFromMs && isAtRest(afterReading(run)), untilMs, stepsMax });
      for (let checks = 1; ; checks += 1) {
        await time.advance(afterwardsMs);
        const wrong = await findViolationsAtRest(afterReading(run));
        failIfViolated(time.nowMs() > untilMs ? wrong : []);
        if (wrong.length === 0) return;
        // A message that an earlier owner ended and a later one tries again may wait for its next attempt.
        await time.advance(againMs);
        // The next take-over finds what a write left behind that arrived after its partition was lost.
        if (checks === checksBeforeRestart) await restartDispatcher(run);
      }
    },
  };
}

/** Plays a whole list of steps. Rejects with the violations. */
export async function playSteps(settings: ModelSettings, steps: readonly ModelStep[]): Promise<void> {
  const played = await startPlayedRun(settings);
  for (const step of steps) await played.step(step);
  await played.finish();
}

function afterReading(run: ModelRun): ModelRun {
  readAppended(run);
  return run;
}
