import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "@sluice/environment/run-program";
import { expect, test } from "vitest";
import { plantedBugs } from "./bugs/all.ts";
import { applyEdit, drawBugs, harmlessMax, plant, type PlantedBug } from "./planted-bug.ts";
import { readStage } from "./run-checks.ts";
import { formatTeethReport, isAsExpected } from "./run.ts";

const read = (file: string): string => readFileSync(join(projectRoot, file), "utf8");
const bug = { id: "a", breaks: "b", edits: [], nearest: [] };

test.each(plantedBugs.map((one) => [one.id, one] as const))("%s still applies, and its nearest tests are there", (_, one) => {
  expect(plant(one, read)).not.toBeNull();
  expect(one.nearest.length).toBeGreaterThan(0);
  expect(one.nearest.filter((file) => !existsSync(join(projectRoot, file)))).toEqual([]);
});

test("there are at least sixty planted bugs with ids of their own, and at most five are called harmless", () => {
  expect(plantedBugs.length).toBeGreaterThanOrEqual(60);
  expect(new Set(plantedBugs.map(({ id }) => id)).size).toBe(plantedBugs.length);
  expect(plantedBugs.filter(({ harmlessBecause }) => harmlessBecause !== undefined).length).toBeLessThanOrEqual(harmlessMax);
});

test("an edit applies where its text stands once, and nowhere else", () => {
  const edit = { file: "f", find: "a > b", put: "a >= b$&" };
  expect(applyEdit("if (a > b)", edit)).toBe("if (a >= b$&)");
  expect(applyEdit("if (a < b)", edit)).toBeNull();
  expect(applyEdit("a > b, a > b", edit)).toBeNull();
  expect(applyEdit("a > b", { ...edit, put: "a > b" })).toBeNull();
});

test("edits of one file follow one another, and one that does not apply spoils the bug", () => {
  const first = { file: "f", find: "1", put: "2" };
  expect(plant({ edits: [first, { file: "f", find: "2", put: "3" }] }, () => "1")?.get("f")).toBe("3");
  expect(plant({ edits: [first, { file: "g", find: "2", put: "3" }] }, () => "1")).toBeNull();
});

test("a draw has as many bugs as asked for, each once, in order", () => {
  const bugs: readonly PlantedBug[] = ["a", "b", "c"].map((id) => ({ ...bug, id }));
  expect(drawBugs(bugs, 2, () => 0.99).map(({ id }) => id)).toEqual(["b", "c"]);
  expect(drawBugs(bugs, 9, () => 0).map(({ id }) => id)).toEqual(["a", "b", "c"]);
});

test("a stage names the first test that failed; files that were not loaded, and no tests at all, are no catch", () => {
  const passed = { name: "/t/a.test.ts", status: "passed", assertionResults: [{ status: "passed", fullName: "x" }] };
  const failed = { name: "/t/b.test.ts", status: "failed", assertionResults: [{ status: "failed", fullName: "y" }] };
  const unloaded = { name: "/t/c.test.ts", status: "failed", message: "syntax", assertionResults: [] };
  expect(readStage({ numPassedTests: 1, testResults: [passed] }, "/t")).toEqual({ failed: null });
  expect(readStage({ numPassedTests: 1, testResults: [unloaded, passed, failed] }, "/t")).toEqual({ failed: "b.test.ts > y" });
  expect(() => readStage({ numPassedTests: 1, testResults: [passed, unloaded] }, "/t")).toThrow("c.test.ts: syntax");
  expect(() => readStage({ numPassedTests: 0, testResults: [] }, "/t")).toThrow("no test was run");
});

test("a bug must be caught, a harmless one must not be, and a broken one is never right", () => {
  const caught = { kind: "caught", by: "f > t", stage: "pure", afterMs: 1_500 } as const;
  const survived = { kind: "survived" } as const;
  const broken = { kind: "broken", reason: "gone" } as const;
  const harmless = { ...bug, harmlessBecause: "folded again" };
  expect([caught, survived, broken].map((outcome) => isAsExpected({ bug, outcome }))).toEqual([true, false, false]);
  expect([caught, survived, broken].map((outcome) => isAsExpected({ bug: harmless, outcome }))).toEqual([false, true, false]);
  const results = [caught, survived, broken].map((outcome) => ({ bug, outcome }));
  const text = formatTeethReport({ results, tookMs: 60_000, isRight: false });
  expect(text).toContain("pure          1.5 s  a: b\n    f > t");
  expect(text).toContain("3 planted, 1 caught, 1 survived, 1 broken; 2 not as expected; 1.0 min");
});
