import { seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { drawScenario } from "../scenario.ts";
import { simulatedDayTimes } from "../simulate.ts";

const seedMax = 2_000;

test("I16: no day leaves clocks so far apart for good that ingress accepts nothing any more [seed 439]", () => {
  const apart = Array.from({ length: seedMax }, (_, index) => index + 1).flatMap((seed) => {
    const { skewMaxMs, brokerClocks } = drawScenario(seed, seededRandom(seed), simulatedDayTimes);
    return brokerClocks.map(({ stepMs }) => stepMs + skewMaxMs);
  });
  expect(apart.length).toBeGreaterThan(seedMax / 10);
  expect(Math.max(...apart)).toBeLessThan(2_000);
});
