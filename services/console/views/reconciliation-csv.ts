// Writes reconciliation items as CSV, one line each, for spreadsheets and other programs.
//
// #1 A line has no name and of an account only the last four characters. In text that people wrote, numbers are masked
//    (`maskNumbers`).

import { maskNumbers } from "@sluice/kernel";
import { csvLine } from "./csv-text.ts";
import type { ReconciliationRow } from "./reconciliation-rows.ts";

type Column = (row: ReconciliationRow) => string | number | boolean | null;

const columns: Readonly<Record<string, Column>> = {
  day: ({ day }) => day,
  uetr: ({ uetr }) => uetr,
  flow: ({ flow }) => flow,
  bank: ({ bank }) => bank,
  sender: ({ sender }) => sender,
  businessDate: ({ businessDate }) => businessDate,
  amount: ({ amount }) => amount,
  currency: ({ currency }) => currency,
  row: ({ row }) => row,
  cause: ({ cause }) => cause,
  stateMet: ({ state }) => state,
  state: ({ transactionState }) => transactionState,
  isOpen: ({ isOpen }) => isOpen,
  receivedAt: ({ receivedAt }) => receivedAt,
  madeAt: ({ madeAt }) => madeAt,
  messageIdentification: ({ messageIdentification }) => messageIdentification,
  endToEndIdentification: ({ endToEndIdentification }) => endToEndIdentification,
  transactionIdentification: ({ transactionIdentification }) => transactionIdentification,
  instructionIdentification: ({ instructionIdentification }) => instructionIdentification,
  debtorAccountEnd: ({ debtorAccountEnd }) => debtorAccountEnd,
  creditorAccountEnd: ({ creditorAccountEnd }) => creditorAccountEnd,
  attempts: ({ evidence }) => evidence?.attempts ?? null,
  anyAnswer: ({ evidence }) => evidence?.anyAnswer ?? null,
  mayHaveBeenTaken: ({ evidence }) => evidence?.mayHaveBeenTaken ?? null,
  httpStatusCode: ({ evidence }) => evidence?.httpStatusCode ?? null,
  lateAnswers: ({ lateAnswers }) => lateAnswers.map(({ at, text }) => `${at} ${text}`).join("; "),
  resolution: ({ resolution }) => resolution?.kind ?? null,
  isResolutionFinal: ({ resolution }) => resolution?.isFinal ?? null,
  replacedBy: ({ resolution }) => resolution?.replacedBy ?? null,
  resolvedAt: ({ resolution }) => resolution?.at ?? null,
  resolvedBy: ({ resolution }) => resolution?.action.operator ?? null,
  resolutionReason: ({ resolution }) => (resolution === null ? null : maskNumbers(resolution.action.reason)),
  confirmedAt: ({ resolution }) => resolution?.confirmed?.at ?? null,
  confirmedBy: ({ resolution }) => resolution?.confirmed?.action.operator ?? null,
};

export const reconciliationCsvHeader = csvLine(Object.keys(columns));

export function reconciliationCsvLine(row: ReconciliationRow): string {
  return csvLine(Object.values(columns).map((column) => column(row)));
}
