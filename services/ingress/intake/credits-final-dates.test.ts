import { encodeBody, buildCreditsFinal, sampleConfiguration, sampleConnector, sampleScheme } from "@sluice/testkit";
import { expect, test } from "vitest";
import { schemeCreditsFinal } from "./post-scheme-credits-final.ts";

const configuration = sampleConfiguration({ connectors: [sampleConnector()], schemes: [sampleScheme({ creditsFinal: "connector" })] });
/** Local midnight of the 21st in +02:00; by UTC it is still the 20th. */
const midnightMs = Date.UTC(2026, 10, 20, 22);

test.each([
  ["the last millisecond of a day", midnightMs - 1, "2026-11-20", "ZA_EFT:2026-11-20"],
  ["the first of the next one", midnightMs, "2026-11-20", "422 Past date"],
  ["the first of the next one", midnightMs, "2026-11-21", "ZA_EFT:2026-11-21"],
  ["the last millisecond of a day", midnightMs - 1, "2026-11-27", "ZA_EFT:2026-11-27"],
  ["the last millisecond of a day", midnightMs - 1, "2026-11-28", "422 Unknown date"],
  ["the first of the next one", midnightMs, "2026-11-28", "ZA_EFT:2026-11-28"],
  ["the first of the next one", midnightMs, "2026-11-29", "422 Unknown date"],
])("dates are those of the scheme's zone: in %s (%i) credits of %s: %s", (_, receivedAtMs, businessDate, expected) => {
  const body = encodeBody(buildCreditsFinal({ businessDate }));
  const result = schemeCreditsFinal.parseAndAuthorize({ caller: "clearing", body, receivedAtMs, configuration });
  expect(result.ok ? result.key : `${result.refusal.status} ${result.refusal.error.message}`).toBe(expected);
});
