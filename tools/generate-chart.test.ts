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
  const [source, target] = ["infra/alarms/sluice.rules.yaml", "infra/chart/files/sluice.rules.yaml"].map((path) => join(copy, path));
  for (const path of [source!, target!]) mkdirSync(dirname(path), { recursive: true });
  writeFileSync(source!, "groups: []\n");
  expect(generateChart(copy, true)).toEqual([expect.stringContaining("run ./sluice generate")]);
  expect(generateChart(copy, false)).toEqual([]);
  expect(readFileSync(target!, "utf8")).toContain("groups: []\n");
  rmSync(copy, { recursive: true });
});
