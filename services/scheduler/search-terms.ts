// What people search by, taken from the messages as they come. Of accounts only the last four characters leave the message.

import type { AnyDecoded, Records } from "@sluice/contracts";
import type { SearchTerms } from "@sluice/store";

const endCharacters = 4;
/** A verdict names every failing rule; a bank's report may name many. */
const reasonsMax = 16;

/** `decoded`: a record that the transaction has just taken; null: none. */
export function withTerms(before: SearchTerms, decoded: AnyDecoded | null): SearchTerms {
  if (decoded?.name === "DirectDebitReceived") return { ...before, ...termsOf(decoded.value.debit) };
  if (decoded?.name === "CreditTransferReceived") return { ...before, ...termsOf(decoded.value.credit) };
  if (decoded?.name === "AccountVerified") return withReasons(before, codesOfVerdict(decoded.value));
  return decoded?.name === "StatusReportReceived" ? withReasons(before, codesIn(decoded.value)) : before;
}

type Message = Pick<
  Records["DirectDebitReceived"]["debit"] | Records["CreditTransferReceived"]["credit"],
  "transactionIdentifiers" | "debtorAccount" | "creditorAccount"
>;

function termsOf({ transactionIdentifiers, debtorAccount, creditorAccount }: Message): Omit<SearchTerms, "reasons"> {
  const { endToEndIdentification, transactionIdentification, instructionIdentification } = transactionIdentifiers;
  return {
    endToEndIdentification,
    transactionIdentification,
    instructionIdentification,
    debtorAccountEnd: endOf(debtorAccount),
    creditorAccountEnd: endOf(creditorAccount),
  };
}

function endOf(account: Message["debtorAccount"]): string | null {
  const number = account?.identification?.value ?? null;
  return number === null ? null : number.slice(-endCharacters);
}

function codesOfVerdict({ reasons }: Records["AccountVerified"]): readonly string[] {
  return reasons.map(({ code }) => code);
}

function codesIn({ report }: Records["StatusReportReceived"]): readonly string[] {
  return (report.status.reasonInfo ?? []).flatMap(({ reason }) => (reason === null ? [] : [reason.value]));
}

function withReasons(before: SearchTerms, codes: readonly string[]): SearchTerms {
  return { ...before, reasons: [...new Set([...before.reasons, ...codes])].slice(0, reasonsMax) };
}
