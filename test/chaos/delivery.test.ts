// Runs short trials of deliveries: real servers, twenty banks of which six fail, or a hundred of which one fails some
// messages for ever, and kills of both services by a fixed seed.

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
  readonly classes: readonly { readonly profile: string; readonly messages: number; readonly longestMs: number }[];
  readonly healthy: { readonly p99Ratio: number | null };
}

const emptyReport: Report = {
  problems: [],
  messages: 0,
  kills: { dispatcher: 0, "event-publisher": 0 },
  violations: {},
  banks: [],
  classes: [],
  healthy: { p99Ratio: null },
};

const noViolations = { acknowledged: 0, "own bank": 0, identical: 0, order: 0, "nothing lost": 0, "within a minute": 0 };

async function runDeliveryTrialCommand(words: readonly string[]) {
  const { code, stdout, stderr } = await runTrialCommand(["delivery", "--seed", seed, ...words, "--json"]);
  const report: Report = code === null || stdout === "" ? emptyReport : JSON.parse(stdout);
  return { result: { code, problems: report.problems, stderr: code === 0 ? "" : stderr.slice(-4_000) }, report };
}

test("I1, I3 and I4: every message is acknowledged, unchanged and in order, while services are killed and banks fail", async () => {
  const { result, report } = await runDeliveryTrialCommand(["--messages", String(messages)]);
  expect(result).toEqual({ code: 0, problems: [], stderr: "" });
  expect(report.messages).toBe(messages);
  expect(report.kills.dispatcher).toBeGreaterThanOrEqual(2);
  expect(report.kills["event-publisher"]).toBeGreaterThanOrEqual(2);
  expect(report.violations).toEqual(noViolations);
  expect(report.banks).toHaveLength(20);
  for (const { bank, messages: sent, first } of report.banks) expect({ bank, first }).toEqual({ bank, first: sent });
  expect(report.healthy.p99Ratio).toBeGreaterThan(0);
});

test("I14: no healthy one of 100 receivers waits for a minute while others are dead and one fails 30 messages for ever", async () => {
  const { result, report } = await runDeliveryTrialCommand(["--messages", "3000", "--receivers", "100", "--poison", "30"]);
  expect(result).toEqual({ code: 0, problems: [], stderr: "" });
  expect(report.banks).toHaveLength(100);
  expect(report.violations).toEqual(noViolations);
  for (const profile of ["healthy", "choosy"]) {
    const row = report.classes.find((one) => one.profile === profile);
    expect(row?.messages).toBeGreaterThan(0);
    expect(row?.longestMs).toBeLessThan(60_000);
  }
});
