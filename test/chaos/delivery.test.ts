// A short trial of deliveries as anyone may run it: real servers, twenty banks, six of them sick, kills of both services by a fixed seed.

import { expect, test } from "vitest";
import { runTrial } from "./run-trial.ts";

const seed = "4";
const messages = 1_500;

interface Report {
  readonly problems: readonly string[];
  readonly messages: number;
  readonly kills: Readonly<Record<"dispatcher" | "event-publisher", number>>;
  readonly violations: Readonly<Record<string, number>>;
  readonly banks: readonly { readonly bank: string; readonly temper: string; readonly messages: number; readonly first: number }[];
  readonly healthy: { readonly p99Ratio: number | null };
}

const none: Report = {
  problems: [],
  messages: 0,
  kills: { dispatcher: 0, "event-publisher": 0 },
  violations: {},
  banks: [],
  healthy: { p99Ratio: null },
};

test("I1, I3 and I4: every message is acknowledged, unchanged and in order, whatever becomes of services and banks", async () => {
  const { code, stdout, stderr } = await runTrial(["delivery", "--seed", seed, "--messages", String(messages), "--json"]);
  const report: Report = code === null || stdout === "" ? none : JSON.parse(stdout);
  const said = { code, problems: report.problems, stderr: code === 0 ? "" : stderr.slice(-4_000) };
  expect(said).toEqual({ code: 0, problems: [], stderr: "" });
  expect(report.messages).toBe(messages);
  expect(report.kills.dispatcher).toBeGreaterThanOrEqual(2);
  expect(report.kills["event-publisher"]).toBeGreaterThanOrEqual(2);
  expect(report.violations).toEqual({ acknowledged: 0, "own bank": 0, identical: 0, order: 0, "nothing lost": 0 });
  expect(report.banks).toHaveLength(20);
  for (const { bank, messages: sent, first } of report.banks) expect({ bank, first }).toEqual({ bank, first: sent });
  expect(report.healthy.p99Ratio).toBeGreaterThan(0);
});
