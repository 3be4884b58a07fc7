import { silentLogger } from "@sluice/kernel";
import { expect, test } from "vitest";
import { createCredentialsReport } from "./credentials-report.ts";
import { recordTelemetry } from "../gateway.fixture.ts";

test("a receiver's wrong credential files are counted until they are read again", () => {
  const { gauge, lines, ...telemetry } = recordTelemetry();
  const report = createCredentialsReport(telemetry);
  const counted = (): number | undefined => gauge("sluice_delivery_credentials_not_read");
  report.notRead({ receiverId: "first", member: "caFile" }, "ENOENT");
  report.notRead({ receiverId: "first", member: "caFile" }, "EACCES");
  report.notRead({ receiverId: "first", member: "bearerTokenFile" }, "ENOENT");
  expect(counted()).toBe(2);
  report.read({ receiverId: "first", member: "caFile" });
  report.read({ receiverId: "first", member: "bearerTokenFile" });
  expect([counted(), lines.length]).toEqual([undefined, 5]);
});

test("I15: of a thousand receivers the worst fifty are shown, those whose certificates end first, and how many are left out", () => {
  const { gauge, ...telemetry } = recordTelemetry();
  const report = createCredentialsReport({ ...telemetry, logger: silentLogger });
  for (let index = 0; index < 1_000; index += 1) {
    report.certificateEnds(`bank-${index}`, (2_000 - index) * 1_000);
    report.notRead({ receiverId: `bank-${index}`, member: "caFile" }, "ENOENT");
  }
  report.notRead({ receiverId: "bank-500", member: "bearerTokenFile" }, "ENOENT");
  const shown = (name: string) =>
    Array.from({ length: 1_000 }, (_, index) => index).filter((index) => gauge(name, `bank-${index}`) !== undefined);
  expect(shown("sluice_delivery_certificate_ends_timestamp_seconds")).toEqual(Array.from({ length: 50 }, (_, index) => 950 + index));
  expect([shown("sluice_delivery_credentials_not_read").length, gauge("sluice_delivery_credentials_not_read", "bank-500")]).toEqual([
    50, 2,
  ]);
  expect(gauge("sluice_delivery_credentials_left_out_receivers", "")).toBe(950);
});
