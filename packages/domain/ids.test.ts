import { expect, test } from "vitest";
import { sentIdentification, type SentKind } from "./ids.ts";

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

test.each<[what: string, kind: SentKind, suffix: string]>([
  ["an inbound debit [D4 D]", "inbound-debit", "D"],
  ["a report ACCP [D4 A]", "report-accepted", "A"],
  ["a report RJCT [D4 R]", "report-rejected", "R"],
  ["a credit [D4 C]", "inbound-credit", "C"],
  ["a first outcome report to a connector [D4 O]", "outcome-report", "O1"],
])("%s is identified by the UETR and a letter", (_what, kind, suffix) => {
  expect(sentIdentification(uetr, kind)).toBe(`6f4b2f0e6f0a4d529a571f0f5d0c2b11${suffix}`);
});

test("the digit of an outcome report counts the reports to the connector [D4 O]", () => {
  expect([1, 2, 9].map((number) => sentIdentification(uetr, "outcome-report", number).slice(-2))).toEqual(["O1", "O2", "O9"]);
});
