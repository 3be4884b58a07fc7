// The texts of the OpenAPI document about each operation that Sluice serves.

import type { ServedOperationName } from "@sluice/contracts";

export const tags = {
  bankCalls: "Bank calls Sluice",
  connectorCalls: "Connector calls Sluice",
  bankServes: "Sluice calls a bank",
  connectorServes: "Sluice calls a connector",
} as const;

export const tagTexts: Readonly<Record<keyof typeof tags, string>> = {
  bankCalls: "What a bank sends, and what it may ask.",
  connectorCalls: "What a scheme connector sends: debits and credits that come from other banks, and the end of a day's credits.",
  bankServes: "What a bank must serve. Each path is added to the base address that is configured for the bank.",
  connectorServes: "What a scheme connector must serve. Each path is added to the base address that is configured for it.",
};

export interface OperationText {
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
}

const declared =
  "A repeat is answered 202. Dates from today to seven days ahead can be declared; one that is past, not working or further ahead: 422. So is a scheme without debits, or one whose credits somebody else, or the clock, declares. After the day's reconciliation close a declaration has no effect.";
const stored = "202 means that the message is stored durably, before it is looked at any further.";

export const operationTexts: Readonly<Record<ServedOperationName, OperationText>> = {
  outboundDirectDebit: {
    tag: "bankCalls",
    summary: "Send a debit",
    description: `The creditor's bank sends a debit whose payer has an account at the same bank (on-us). ${stored} What becomes of it is reported by
outboundDirectDebitResponse: \`ACCP\` (checked and queued, not collected) or \`RJCT\` with reasons; then by events. The caller must stand for \`creditorAgent\`, and \`debtorAgent\` must be of the same bank.`,
  },
  inboundDirectDebitResponse: {
    tag: "bankCalls",
    summary: "Report on a debit",
    description: `The payer's bank reports on a debit that it was sent. \`ACSC\`, \`ACCP\`, \`ACSP\` or \`ACCC\`: the debit was made. \`RJCT\` or \`CANC\`: it was not; give the reason in
\`reasonInfo\`, or \`MS03\` is recorded. \`PDNG\`: still working; it is recorded and not final. Code, outcome, or both may be given. \`originalMessageIdentifiers\` are those of the debit as Sluice
sent it. ${stored} A report that cannot be applied (late, repeated, contradicting, foreign) is answered 202 too; see "The same message again".`,
  },
  inboundCreditTransferAuthorizationResponse: {
    tag: "bankCalls",
    summary: "Report on a credit",
    description: `The payee's bank reports on a credit that it was sent. An approving code: the credit was booked. \`RJCT\` or \`CANC\`: it was not. Either way the credit is final and the outcome is reported to the connector.
\`PDNG\`: still working; it is recorded and not final. \`originalMessageIdentifiers\` are those of the credit as Sluice sent it. ${stored} A report that cannot be applied is answered 202 too; see "The same message again".`,
  },
  creditsFinal: {
    tag: "bankCalls",
    summary: "Declare one's credits final",
    description: `A bank declares that all credits to it that belong before a business day's debits window have been sent. Only where the scheme is configured so (\`creditsFinal: bank\`);
it counts for the caller alone. Debits are released to it once the declaration stands and every credit received before it is resolved. It cannot be withdrawn. ${declared}`,
  },
  schemeInboundDirectDebit: {
    tag: "connectorCalls",
    summary: "Hand over a debit from another bank",
    description: `A scheme connector hands over a debit of another bank's customer (off-us). ${stored} Only \`debtorAgent\` must be known. The outcome, made or not made, is reported to the connector's
inbound/direct-debit-response until that is acknowledged; there is no report \`ACCP\`, and of a debit that is unresolved at the close (RECONCILIATION) nothing is reported until people have found out how it ended: ask for its status. A debit handed over is never refused for its date: one that is past, not working or too late becomes the next window's.`,
  },
  schemeInboundCreditTransferAuthorization: {
    tag: "connectorCalls",
    summary: "Hand over a credit",
    description: `A scheme connector hands over a credit. ${stored} Only \`creditorAgent\` must be known. The credit is forwarded at once, never held; the outcome is reported to
inbound/credit-transfer-authorisation-response: the bank's own report, \`RJCT\` where the credit was refused or could not have been taken, \`PDNG\` where the outcome is unknown at the deadline; after \`PDNG\` a second report once people have found out.`,
  },
  schemeCreditsFinal: {
    tag: "connectorCalls",
    summary: "Declare a day's credits final",
    description: `A scheme connector declares that the credit run before a business day's debits window is complete, for all banks. Only where the scheme is configured so
(\`creditsFinal: connector\`). Credits that come later are processed at once; they do not close the gate again. It cannot be withdrawn. ${declared}`,
  },
  transactionStatus: {
    tag: "bankCalls",
    summary: "Ask for the state of one's own transaction",
    description: `Served by the console service, whose address may differ; the operator says it. A connector may ask as well. One's own is what one sent, and what one was or will be sent. A transaction of somebody else is answered as one that is not known: 404 with \`notKnownAsOf\`, the time up to which everything
about this UETR has been looked at. Conclude from it that Sluice does not have your message only if that time is later than your last attempt plus 60 seconds. Where Sluice does not know that time, or has received something under this UETR that it could not read: 503.`,
  },
  transactionEvents: {
    tag: "bankCalls",
    summary: "Ask for missed events",
    description: `Served by the console service, whose address may differ. The events of one's own transaction from a \`stageVersion\` on, in order, as they were or will be posted to the caller; \`ESM_STATE\` events among them, each after the event of its state. One that is older than the events topic is rendered again, in the form that is configured now. A connector gets none: its list is empty. A \`from\` beyond the newest state: an empty list. Not known: as transactionStatus.`,
  },
  bankEvents: {
    tag: "bankCalls",
    summary: "Ask for all events of a time again",
    description: `Served by the console service, whose address may differ. Every event that was or will be posted to the caller and was made in that time, as posted, for one who has lost a day of them. Ask again with \`after\`, the \`next\` of the page before, until it is null; a page may be empty and have a \`next\`. Those of one UETR are in order; a few may be there twice, under one \`webhook-id\`. A connector gets none.`,
  },
};
