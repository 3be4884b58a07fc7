// Runs a short trial of deliveries: real servers, twenty banks of which six fail, and kills of both services by a fixed
// seed.

import { expect, test } from "vitest";
import { runTrialCommand } from "./run-trial.ts";

const seed = "4";
const messages = 1_500;

interface Report {
  readonly problems: readonly string[];
  readonly messages: number;
  readonly kills: Readonly<Record<"dispatcher" | "event-publisher", number>>;
  readonly violations: Readonly<Record<string, number>>;
  readonly banks: readonly { readonly bank: string; readonly profile: string; readonly messages: number; readonly first: number }[];
  readonly healthy: { readonly p99Ratio: number | null };
}

const emptyReport: Report = {
  problems: [],
  messages: 0,
  kills: { dispatcher: 0, "event-publisher": 0 },
  violations: {},
  banks: [],
  healthy: { p99Ratio: null },
};

test("I1, I3 and I4: every message is acknowledged, unchanged and in order, while services are killed and banks fail", async () => {
  const { code, stdout, stderr } = await runTrialCommand(["delivery", "--seed", seed, "--messages", String(messages), "--json"]);
  const report: Report = code === null || stdout === "" ? emptyReport : JSON.parse(stdout);
  const result = { code, problems: report.problems, stderr: code === 0 ? "" : stderr.slice(-4_000) };
  expect(result).toEqual({ code: 0, problems: [], stderr: "" });
  expect(report.messages).toBe(messages);
  expect(report.kills.dispatcher).toBeGreaterThanOrEqual(2);
  expect(report.kills["event-publisher"]).toBeGreaterThanOrEqual(2);
  expect(report.violations).toEqual({ acknowledged: 0, "own bank": 0, identical: 0, order: 0, "nothing lost": 0 });
  expect(report.banks).toHaveLength(20);
  for (const { bank, messages: sent, first } of report.banks) expect({ bank, first }).toEqual({ bank, first: sent });
  expect(report.healthy.p99Ratio).toBeGreaterThan(0);
});
