// A sample of the planted bugs that are caught soon, another one each day: each must be caught. `./sluice teeth` plants
// all of them.

import { projectRoot } from "@sluice/environment/run-program";
import { machineTime } from "@sluice/kernel";
import { expect, test } from "vitest";
import { plantedBugs } from "../bugs/all.ts";
import { drawBugs, drawFrom } from "../planted-bug.ts";
import { formatTeethReport, isAsExpected, runTeeth } from "../run.ts";

const sampleSize = 8;
const dayMs = 86_400_000;

test("each bug of today's sample is caught", async () => {
  const day = Math.floor(machineTime.nowMs() / dayMs);
  const bugs = drawBugs(
    plantedBugs.filter(({ harmlessBecause, isCaughtLate }) => harmlessBecause === undefined && isCaughtLate !== true),
    sampleSize,
    drawFrom(day),
  );
  const report = await runTeeth({ bugs, root: projectRoot, jobs: 2 }, () => {}, new AbortController().signal);
  if (!report.isRight) process.stdout.write(`${formatTeethReport(report)}\n`);
  expect(report.results.filter((one) => !isAsExpected(one)).map(({ bug }) => bug.id)).toEqual([]);
});
