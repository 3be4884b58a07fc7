// Examples of the messages that Sluice receives, and of its answers to questions. `sent-examples.ts` has those of the
// messages that it sends.

import type { ServedOperationName } from "@sluice/contracts";
import { parseDocumentJson, type DocumentJson } from "../exact-json.ts";
import { bankReports, creditReports, readSampleText } from "./samples.ts";

export interface Example {
  readonly name: string;
  readonly summary: string;
  readonly value: DocumentJson;
}

/** Bodies of requests, the usual one first. */
export function buildReceivedExamples(operation: ServedOperationName): readonly Example[] {
  switch (operation) {
    case "outboundDirectDebit":
      return [
        shown(
          "debit",
          "A debit with most of what it may say. Its date must not be past when it is sent",
          readSampleText("outbound-direct-debit.json"),
        ),
      ];
    case "schemeInboundDirectDebit":
      return [shown("debit", "A debit of another bank's customer", readSampleText("scheme-inbound-direct-debit.json"))];
    case "schemeInboundCreditTransferAuthorization":
      return [shown("credit", "A salary", readSampleText("scheme-inbound-credit-transfer.json"))];
    case "inboundDirectDebitResponse":
      return [
        shown("made", "The debit was made", bankReports.made),
        shown("notMade", "It was not made: insufficient funds", bankReports.notMade),
        shown("pending", "Still working", bankReports.pending),
        shown("outcomeAlone", "An outcome without code or reason: MS03 is recorded", bankReports.outcomeAlone),
      ];
    case "inboundCreditTransferAuthorizationResponse":
      return [
        shown("booked", "The credit was booked", creditReports.booked),
        shown("notBooked", "It was not booked: the account is closed", creditReports.notBooked),
        shown("pending", "Still working", creditReports.pending),
      ];
    case "creditsFinal":
    case "schemeCreditsFinal":
      return [shown("day", "A business day", readSampleText("credits-final.json"))];
    case "transactionStatus":
    case "transactionEvents":
    case "bankEvents":
      return [];
    default:
      throw new Error(`no such operation: ${String(operation satisfies never)}`);
  }
}

function shown(name: string, summary: string, text: string): Example {
  return { name, summary, value: parseDocumentJson(text) };
}
