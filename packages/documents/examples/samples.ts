// The samples of data/messages, and reports that a bank may send about the sample debit.

import { readFileSync } from "node:fs";
import { changeMessage } from "../exact-json.ts";

export function readSampleText(file: string): string {
  return readFileSync(new URL(`../../../data/messages/${file}`, import.meta.url), "utf8");
}

/** The members that name the message which the document shows as sent by Sluice. */
const sentAt = (messageIdentification: string): string =>
  `{"messageIdentification":"${messageIdentification}","creationDateTime":"2026-11-20T06:00:01.000Z"}`;
const made = changeMessage(readSampleText("status-report-from-bank.json"), [
  ["/originalMessageIdentifiers", sentAt("6f4b2f0e6f0a4d529a571f0f5d0c2b11D")],
]);
const named = (number: number) => ["/messageIdentifiers/messageIdentification", `"FIRST-PSR-00000${number}"`] as const;
const reasons = (code: string) => JSON.stringify([{ reason: { schema: "CODE", value: code } }]);

export const bankReports = {
  made,
  notMade: changeMessage(made, [named(2), ["/status", `{"code":"RJCT","outcome":"REJECTED","reasonInfo":${reasons("AM04")}}`]]),
  pending: changeMessage(made, [named(3), ["/status", '{"code":"PDNG"}']]),
  outcomeAlone: changeMessage(made, [named(4), ["/status", '{"outcome":"CANCELLED"}']]),
} as const;

const creditNames = [
  ["/transactionIdentifiers", '{"endToEndIdentification":"PAY-2026-11-0815","uetr":"2c9d4e61-0b7f-4e3a-9f58-71d2c6a4b803"}'],
  ["/originalMessageIdentifiers", sentAt("2c9d4e610b7f4e3a9f5871d2c6a4b803C")],
] as const;

export const creditReports = {
  booked: changeMessage(made, [...creditNames, named(5)]),
  notBooked: changeMessage(bankReports.notMade, [...creditNames, named(6), ["/status/reasonInfo", reasons("AC04")]]),
  pending: changeMessage(bankReports.pending, [...creditNames, named(7)]),
} as const;
