// Tests the delivery engine against its model: drawn sequences of messages, changes, markers, answers and faults on
// memory adapters. A sequence that breaks a law is shrunk and printed, and `SLUICE_STEPS` plays it again.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startPlayedRun, playSteps, type PlayedRun } from "./play.ts";
import { anySettings, anyStep, type ModelSettings, type ModelStep } from "./steps.ts";

const runsInCi = 500;
/** The number of runs with `./sluice test --long`. */
const runsLong = 10_000;
const runs = Number(process.env["SLUICE_MODEL_RUNS"] ?? (process.env["SLUICE_LONG"] === "1" ? runsLong : runsInCi));
const seed = Number(process.env["SLUICE_SEED"] ?? 20_261_122);
const stepsMax = 40;

class StepCommand implements fc.AsyncCommand<object, PlayedRun> {
  readonly step: ModelStep;

  constructor(step: ModelStep) {
    this.step = step;
  }

  check(): boolean {
    return true;
  }

  async run(_model: object, played: PlayedRun): Promise<void> {
    await played.step(this.step);
  }

  toString(): string {
    return JSON.stringify(this.step);
  }
}

const commands = fc.commands([anyStep.map((step) => new StepCommand(step))], { maxCommands: stepsMax, size: "max" });

describe("ordered delivery against its model", () => {
  it(`I1 to I5, I8, I16: ${runs} drawn runs keep every law`, { timeout: 3_600_000 }, async () => {
    const asked = process.env["SLUICE_STEPS"];
    if (asked !== undefined) {
      const { settings, steps } = JSON.parse(asked) as { settings: ModelSettings; steps: ModelStep[] };
      await playSteps(settings, steps);
      return;
    }
    await fc.assert(
      fc.asyncProperty(anySettings, commands, async (settings, drawn) => {
        let played: PlayedRun | null = null;
        await fc.asyncModelRun(async () => ({ model: {}, real: (played = await startPlayedRun(settings)) }), drawn);
        await (played as PlayedRun | null)?.finish();
      }),
      { numRuns: runs, seed, endOnFailure: false },
    );
    expect(runs).toBeGreaterThan(0);
  });
});
