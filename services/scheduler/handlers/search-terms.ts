// The terms that operators search by, taken from the messages. Of an account only the last four characters leave the
// message, and of one that is sealed a keyed hash of them.

import type { AnyDecodedRecord, Records } from "@sluice/contracts";
import type { SearchTerms } from "@sluice/store";

const endCharacters = 4;
/** Reasons kept for each transaction: a verdict names every failing rule, and a bank's report may name many. */
const reasonsMax = 16;

/** Makes of the end of an account what is stored; null: nothing may be. */
type Hide = (text: string) => string | null;

/** Adds the terms of a record that the transaction has just taken; null adds nothing. */
export function addSearchTerms(before: SearchTerms, decoded: AnyDecodedRecord | null, hide: Hide): SearchTerms {
  if (decoded?.name === "DirectDebitReceived") return { ...before, ...readTerms(decoded.value.debit, hide) };
  if (decoded?.name === "CreditTransferReceived") return { ...before, ...readTerms(decoded.value.credit, hide) };
  if (decoded?.name === "AccountVerified") return addReasons(before, readVerdictCodes(decoded.value));
  return decoded?.name === "StatusReportReceived" ? addReasons(before, readReportCodes(decoded.value)) : before;
}

type Message = Pick<
  Records["DirectDebitReceived"]["debit"] | Records["CreditTransferReceived"]["credit"],
  "transactionIdentifiers" | "debtorAccount" | "creditorAccount"
>;

function readTerms({ transactionIdentifiers, debtorAccount, creditorAccount }: Message, hide: Hide): Omit<SearchTerms, "reasons"> {
  const { endToEndIdentification, transactionIdentification, instructionIdentification } = transactionIdentifiers;
  return {
    endToEndIdentification,
    transactionIdentification,
    instructionIdentification,
    debtorAccountEnd: accountEnd(debtorAccount, hide),
    creditorAccountEnd: accountEnd(creditorAccount, hide),
  };
}

function accountEnd(account: Message["debtorAccount"], hide: Hide): string | null {
  const number = account?.identification?.value ?? null;
  return number === null ? null : hide(number.slice(-endCharacters));
}

function readVerdictCodes({ reasons }: Records["AccountVerified"]): readonly string[] {
  return reasons.map(({ code }) => code);
}

function readReportCodes({ report }: Records["StatusReportReceived"]): readonly string[] {
  return (report.status.reasonInfo ?? []).flatMap(({ reason }) => (reason === null ? [] : [reason.value]));
}

function addReasons(before: SearchTerms, codes: readonly string[]): SearchTerms {
  return { ...before, reasons: [...new Set([...before.reasons, ...codes])].slice(0, reasonsMax) };
}
