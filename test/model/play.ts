// Plays a list of steps: does each, judges what was seen, then heals everything and judges what is left.

import { act, heal, restart, start } from "./act.ts";
import { isAtRest, wrongAtRest } from "./laws-at-rest.ts";
import { addressLaws, lateness } from "./laws-of-addresses.ts";
import { attemptLaws } from "./laws-of-attempts.ts";
import { factsInOrder } from "./laws-of-facts.ts";
import { createRun, look, type Run } from "./run.ts";
import type { Settings, Step } from "./steps.ts";

export interface Played {
  readonly run: Run;
  /** Does a step. Rejects with what is wrong. */
  step(step: Step): Promise<void>;
  /** Heals everything, waits until nothing is left to do. Rejects with what is wrong. */
  finish(): Promise<void>;
}

/** The longest `Retry-After`, and what may come after it. */
const restWithinMs = 40 * 60_000;
/** For what is appended or removed after the last answer. */
const afterwardsMs = 3_000;
const againMs = 20_000;
const looksBeforeRestart = 5;
const stepsMax = 200_000;

export async function play(settings: Settings): Promise<Played> {
  const run = createRun(settings, [...attemptLaws, ...addressLaws]);
  const judged = { facts: 0, receipts: 0 };

  function judge(more: readonly string[] = []): void {
    look(run);
    const wrong = [...run.seen.violations, ...factsInOrder(run, judged), ...lateness(run), ...more];
    if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join("\n"));
  }

  await start(run);
  return {
    run,
    async step(step) {
      await act(run, step);
      judge();
    },
    async finish() {
      await heal(run);
      const { time } = run.world;
      const untilMs = time.nowMs() + restWithinMs;
      await time.run({ until: () => run.nowMs() >= run.calmFromMs && isAtRest(lookedAt(run)), untilMs, stepsMax });
      for (let looks = 1; ; looks += 1) {
        await time.advance(afterwardsMs);
        const wrong = await wrongAtRest(lookedAt(run));
        judge(time.nowMs() > untilMs ? wrong : []);
        if (wrong.length === 0) return;
        // What an earlier owner ended, and a later one tries again, may wait for its next attempt.
        await time.advance(againMs);
        // What a write left behind that came when its lane was lost is found by the next take-over.
        if (looks === looksBeforeRestart) await restart(run);
      }
    },
  };
}

/** A whole list of steps. Rejects with what is wrong. */
export async function playAll(settings: Settings, steps: readonly Step[]): Promise<void> {
  const played = await play(settings);
  for (const step of steps) await played.step(step);
  await played.finish();
}

function lookedAt(run: Run): Run {
  look(run);
  return run;
}
