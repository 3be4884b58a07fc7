import { silentMetrics } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createNameReport } from "./name-report.ts";
import { recordTelemetry } from "../gateway.fixture.ts";

function openReport() {
  const { lines, logger } = recordTelemetry();
  const counted: Record<string, number> = {};
  const gauge = { failing: 0 };
  const time = createVirtualTime({ startAtMs: 0 });
  const report = createNameReport({
    time,
    logger,
    metrics: {
      ...silentMetrics,
      counter: () => ({ add: ({ reason = "" } = {}) => void (counted[reason] = (counted[reason] ?? 0) + 1) }),
      gauge: () => ({ set: (value) => void (gauge.failing = value) }),
    },
  });
  return { lines, counted, gauge, time, report };
}

test("a name that cannot be resolved has a line when it begins and one when it ends", () => {
  const { lines, counted, gauge, report } = openReport();
  report.resolved("bank.test");
  report.failed("bank.test", "name-server-silent", true);
  report.failed("bank.test", "ENOTFOUND", false);
  expect([gauge.failing, counted]).toEqual([1, { "name-server-silent": 1, ENOTFOUND: 1 }]);
  report.resolved("bank.test");
  expect(lines).toEqual([
    ["name.not-resolved", { name: "bank.test", reason: "name-server-silent", isStaleUsed: true }],
    ["name.resolved", { name: "bank.test" }],
  ]);
  expect(gauge.failing).toBe(0);
});

test("a name that comes and goes has a pair of lines a minute, and is counted each time", async () => {
  const { lines, counted, gauge, report, time } = openReport();
  for (let second = 0; second < 120; second += 1) {
    report.failed("bank.test", "ENODATA", false);
    report.resolved("bank.test");
    await time.advance(1_000);
  }
  report.failed("bank.test", "ENODATA", false);
  expect([lines.length, counted, gauge.failing]).toEqual([5, { ENODATA: 121 }, 1]);
});

test("I15: beyond a thousand failing names the others are only counted, until one is resolved", () => {
  const { lines, counted, gauge, report } = openReport();
  for (let name = 0; name < 1_200; name += 1) report.failed(`bank-${name}.test`, "ENOTFOUND", false);
  expect([lines.length, counted, gauge.failing]).toEqual([1_000, { ENOTFOUND: 1_200 }, 1_000]);
  report.resolved("bank-7.test");
  report.failed("bank-1100.test", "ENOTFOUND", false);
  expect([lines.length, gauge.failing]).toEqual([1_002, 1_000]);
});
