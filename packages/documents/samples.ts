// The samples of data/messages, and what a bank may say of the sample debit.

import { readFileSync } from "node:fs";
import { changedMessage } from "./exact-json.ts";

export function sampleText(file: string): string {
  return readFileSync(new URL(`../../data/messages/${file}`, import.meta.url), "utf8");
}

const made = sampleText("status-report-from-bank.json");
const reasons = (code: string) => JSON.stringify([{ reason: { schema: "CODE", value: code } }]);

export const bankReports = {
  made,
  notMade: changedMessage(made, [["/status", `{"code":"RJCT","outcome":"REJECTED","reasonInfo":${reasons("AM04")}}`]]),
  pending: changedMessage(made, [["/status", '{"code":"PDNG"}']]),
  outcomeAlone: changedMessage(made, [["/status", '{"outcome":"CANCELLED"}']]),
} as const;

const creditNames = [
  ["/transactionIdentifiers", '{"endToEndIdentification":"PAY-2026-11-0815","uetr":"2c9d4e61-0b7f-4e3a-9f58-71d2c6a4b803"}'],
  [
    "/originalMessageIdentifiers",
    '{"messageIdentification":"2c9d4e610b7f4e3a9f5871d2c6a4b803C","creationDateTime":"2026-11-20T04:45:10.400Z"}',
  ],
] as const;

export const creditReports = {
  booked: changedMessage(made, creditNames),
  notBooked: changedMessage(bankReports.notMade, [...creditNames, ["/status/reasonInfo", reasons("AC04")]]),
  pending: changedMessage(bankReports.pending, creditNames),
} as const;
