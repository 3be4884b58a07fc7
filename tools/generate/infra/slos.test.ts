import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildSloRules, generateSlos } from "./slos.ts";
import { objectives } from "./slo-table.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("the rules of the objectives are those of the table", () => {
  expect(generateSlos(root, true)).toEqual([]);
});

test("a table that has changed gives other rules, and an objective keeps its digits", () => {
  const [first] = objectives;
  const text = buildSloRules([{ ...first!, name: "other", objective: 99.95 }]);
  expect(text).toContain("SluiceSloOtherPage");
  expect(text).toContain("vector(0.9995)");
  expect(text).not.toContain(first!.name);
});

test("a fast burn needs two windows that agree", () => {
  const [alert = ""] = buildSloRules(objectives.slice(0, 1))
    .split("\n")
    .filter((line) => line.includes("14.4"));
  expect(alert).toMatch(/ratio_rate5m.* > \(14\.4 \* .* and .*ratio_rate1h.* or .*ratio_rate30m.* > \(6 .* and .*ratio_rate6h/);
});
