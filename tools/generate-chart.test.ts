import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { generateChart } from "./generate-chart.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("the chart's alarm rules are those of infra/alarms", () => {
  expect(generateChart(root, true)).toEqual([]);
});

test("alarm rules that have changed are named, and written", () => {
  const copy = mkdtempSync(join(tmpdir(), "sluice-chart-"));
  const files = ["sluice.rules.yaml", "sluice.slo.rules.yaml"];
  const [sources, targets] = ["alarms", "chart/files"].map((folder) => files.map((file) => join(copy, "infra", folder, file)));
  for (const path of [...sources!, ...targets!]) mkdirSync(dirname(path), { recursive: true });
  for (const source of sources!) writeFileSync(source, "groups: []\n");
  const complaint: unknown = expect.stringContaining("run ./sluice generate");
  expect(generateChart(copy, true)).toEqual([complaint, complaint]);
  expect(generateChart(copy, false)).toEqual([]);
  for (const target of targets!) expect(readFileSync(target, "utf8")).toContain("groups: []\n");
  rmSync(copy, { recursive: true });
});
