import { expect, test } from "vitest";
import { credentialsReport } from "./credentials-report.ts";
import { heard } from "./gateway.fixture.ts";

test("a receiver's members that are wrong are counted until they are read again", () => {
  const { gauges, lines, ...telemetry } = heard();
  const report = credentialsReport(telemetry);
  const counted = (): number | undefined => gauges.get("sluice_delivery_credentials_not_read first");
  report.notRead({ bank: "first", member: "caFile" }, "ENOENT");
  report.notRead({ bank: "first", member: "caFile" }, "EACCES");
  report.notRead({ bank: "first", member: "bearerTokenFile" }, "ENOENT");
  expect(counted()).toBe(2);
  report.read({ bank: "first", member: "caFile" });
  report.read({ bank: "first", member: "bearerTokenFile" });
  expect([counted(), lines.length]).toEqual([0, 5]);
});
