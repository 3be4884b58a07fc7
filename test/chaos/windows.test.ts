// Runs a short trial of windows: real servers, three schedulers, and kills, stops and wrong clocks by a fixed seed.

import { expect, test } from "vitest";
import { runTrialCommand } from "./run-trial.ts";

const seed = "2";
const windows = 10;

interface Report {
  readonly isRight: boolean;
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly rounds: readonly {
    readonly counts: Readonly<Record<string, number>>;
    readonly faults: Readonly<Record<"kill" | "stop" | "clock", number>>;
    readonly skews: readonly { readonly seenMs: number }[];
  }[];
}

test("I8, I9 and I1: windows open once and close once, and nothing leaves early or is lost, while schedulers are killed and stopped", async () => {
  const { code, stdout, stderr } = await runTrialCommand(["windows", "--seed", seed, "--windows", String(windows), "--json"]);
  const report: Report = code === null || stdout === "" ? { isRight: false, problems: [], notes: [], rounds: [] } : JSON.parse(stdout);
  // Notes are printed for every outcome, because a run without wrong clocks proves less.
  for (const note of report.notes) process.stdout.write(`NOTE: ${note}\n`);
  expect({ code, problems: report.problems, stderr: code === 0 ? "" : stderr.slice(-4_000) }).toEqual({
    code: 0,
    problems: [],
    stderr: "",
  });
  const [round] = report.rounds;
  expect(round?.counts).toMatchObject({ windowsPlanned: windows, windowsClosed: windows });
  expect(round?.faults.kill).toBeGreaterThan(0);
  expect(round?.faults.stop).toBeGreaterThan(0);
  const isWithoutClocks = report.notes.some((note) => note.includes("WITHOUT SKEWED CLOCKS"));
  expect(round?.skews.some(({ seenMs }) => Math.abs(seenMs) > 1_000_000)).toBe(!isWithoutClocks);
});
