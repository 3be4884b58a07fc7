import { expect, test } from "vitest";
import { createCredentialsReport } from "./credentials-report.ts";
import { recordTelemetry } from "../gateway.fixture.ts";

test("a receiver's wrong credential files are counted until they are read again", () => {
  const { gauges, lines, ...telemetry } = recordTelemetry();
  const report = createCredentialsReport(telemetry);
  const counted = (): number | undefined => gauges.get("sluice_delivery_credentials_not_read first");
  report.notRead({ receiverId: "first", member: "caFile" }, "ENOENT");
  report.notRead({ receiverId: "first", member: "caFile" }, "EACCES");
  report.notRead({ receiverId: "first", member: "bearerTokenFile" }, "ENOENT");
  expect(counted()).toBe(2);
  report.read({ receiverId: "first", member: "caFile" });
  report.read({ receiverId: "first", member: "bearerTokenFile" });
  expect([counted(), lines.length]).toEqual([0, 5]);
});
