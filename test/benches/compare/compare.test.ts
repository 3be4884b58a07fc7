import { expect, test } from "vitest";
import { compareReports, formatComparison } from "./compare.ts";

const machine = { cores: 2, processor: "AMD EPYC" };

function starts(readyMs: readonly [number, number, number]) {
  const [least, median, most] = readyMs;
  return { machine, tookMs: 9, services: [{ service: "scheduler", readyMs: { median, least, most } }] };
}

function journeys(steps: readonly (readonly [number, number])[]) {
  return { machine, store: "memory", steps: steps.map(([ratePerSecond, all]) => ({ ratePerSecond, micros: { all } })) };
}

test("of several rounds a difference counts only where all rounds of one lie above those of the other", () => {
  expect(compareReports(starts([90, 100, 110]), starts([45, 50, 89])).figures).toEqual([
    { name: "services scheduler readyMs", before: 100, after: 50, ratio: 0.5, difference: "apart" },
  ]);
  expect(compareReports(starts([90, 100, 110]), starts([45, 50, 90])).figures).toMatchObject([{ difference: "within the spread" }]);
});

test("steps are compared by their rate, and those that only one report has are named", () => {
  const compared = compareReports(
    journeys([
      [25, 60],
      [50, 40],
    ]),
    journeys([
      [50, 30],
      [100, 20],
    ]),
  );
  expect(compared.figures.filter(({ name }) => name.endsWith("all"))).toEqual([
    { name: "steps 50/s micros all", before: 40, after: 30, ratio: 0.75, difference: "single" },
  ]);
  expect(compared.onlyBefore).toContain("steps 25/s micros all");
  expect(compared.onlyAfter).toContain("steps 100/s micros all");
});

test("reports of two machines or stores are compared, and the comparison says what differs", () => {
  const other = { ...journeys([[25, 60]]), machine: { ...machine, cores: 4 }, store: "file" };
  const compared = compareReports(journeys([[25, 60]]), other);
  expect(compared.otherwise).toEqual(["cores 2", "store memory", "cores 4", "store file"]);
  expect(formatComparison(compared)).toContain("These differ too: cores 2; store memory; cores 4; store file.");
});

test("a figure that was 0 has no ratio", () => {
  expect(compareReports({ lost: 0 }, { lost: 3 }).figures).toEqual([
    { name: "lost", before: 0, after: 3, ratio: null, difference: "single" },
  ]);
});
