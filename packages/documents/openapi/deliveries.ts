// What a bank and a connector must serve: each message that Sluice posts, its path and its description. The deliveries'
// addresses are made of the same paths: a test compares them with what a simulated bank and connector received.

import type { MessageName } from "../schemas/json-schemas.ts";
import type { tags } from "./operation-texts.ts";

export interface DocumentedDelivery {
  readonly name: string;
  readonly tag: keyof typeof tags;
  /** The path, which is added to the receiver's base address. */
  readonly path: string;
  /** The schemas that the body may have. */
  readonly bodies: readonly MessageName[];
  readonly summary: string;
  readonly description: string;
}

const until = 'Sent until it is acknowledged, with the same bytes; for how long and how often: "How Sluice calls you".';

const numbered =
  "Reports on one transaction have identifications that end in `O` and a digit, which counts them: the one with the highest digit holds.";

export const deliveries = [
  {
    name: "outboundDirectDebitResponse",
    tag: "bankServes",
    path: "/outbound/direct-debit-response",
    bodies: ["PaymentStatusReport"],
    summary: "Take the report on a debit that was sent",
    description: `To the bank that sent outboundDirectDebit: \`ACCP\`, the debit is checked and queued, or \`RJCT\` with every rule that failed; the rule and the version of its data are in
\`additionalInformation\`. \`originalMessageIdentifiers\` are those of the debit. A refused duplicate is reported in the same way (\`AM05\`; \`originalMessageIdentifiers\` name the refused one), and by configuration the outcome (\`onUsOutcomeReport\`: \`ACSC\` or \`RJCT\`). ${until}`,
  },
  {
    name: "inboundDirectDebit",
    tag: "bankServes",
    path: "/inbound/direct-debit",
    bodies: ["DirectDebit"],
    summary: "Take a debit to be made",
    description: `To the payer's bank, within the debits window: the debit as it was accepted, with Sluice's \`messageIdentifiers\` and with \`settlementDate\` = business date; all else unchanged.
Store it, answer 202, debit the account, and report with inboundDirectDebitResponse before the reconciliation window closes. ${until}`,
  },
  {
    name: "inboundCreditTransferAuthorization",
    tag: "bankServes",
    path: "/inbound/credit-transfer-authorisation",
    bodies: ["CreditTransfer"],
    summary: "Take a credit to be booked",
    description: `To the payee's bank: the credit as it was accepted, with Sluice's \`messageIdentifiers\`; all else unchanged. A 4xx is final only if it is neither of the address nor passing; to say that it is not booked, answer 202 and report. Store it, answer 202, book it, and report with
inboundCreditTransferAuthorizationResponse before the credit's deadline. ${until}`,
  },
  {
    name: "events",
    tag: "bankServes",
    path: "/events",
    bodies: ["TransactionStateEvent", "EsmStateEvent"],
    summary: "Take an event",
    description: `Only if the bank wants events. One posting for each state that a transaction enters, in order for each UETR. Any 2xx acknowledges. A posting that is refused for good, or that no one took
for 72 hours, is kept as undelivered, and the next is sent. Tell the two shapes apart by \`class\`. Events never change the processing. The members that are required here and missing in the interface's sample are left out with \`eventShape: sample\`.`,
  },
  {
    name: "schemeInboundDirectDebitResponse",
    tag: "connectorServes",
    path: "/inbound/direct-debit-response",
    bodies: ["PaymentStatusReport"],
    summary: "Take the outcome of a debit that was handed over",
    description: `To the connector that handed the debit over: the payer's bank's report (made or not made, with its reasons), or \`RJCT\` where a check failed or another message has this UETR (\`AM05\`). Nothing is reported when a debit enters RECONCILIATION; once people have found out how it ended, that is reported (\`ACSC\`, or \`RJCT\` with \`NARR\`). ${numbered} ${until} Also past the close of the day.`,
  },
  {
    name: "schemeInboundCreditTransferAuthorizationResponse",
    tag: "connectorServes",
    path: "/inbound/credit-transfer-authorisation-response",
    bodies: ["PaymentStatusReport"],
    summary: "Take the outcome of a credit that was handed over",
    description: `To the connector that handed the credit over: the payee's bank's report, \`RJCT\` where the credit was refused (by a check, by the bank's answer, or as \`AM05\`), or \`PDNG\` where the outcome was unknown at the deadline: the bank may have booked it. After \`PDNG\` one more report follows if people find out how the credit ended: \`ACSC\`, or \`RJCT\` with \`NARR\`. ${numbered} ${until}`,
  },
] as const satisfies readonly DocumentedDelivery[];

export type DeliveryName = (typeof deliveries)[number]["name"];

export const answersToDeliveries = [
  { status: "202", description: "Taken and stored, for the first time or again. The body is not read." },
  { status: "409", description: "Seen before. Acknowledges an attempt that may not have been the first." },
  { status: "408", description: "Passing: it is sent again, with back-off." },
  { status: "429", description: "Too much: it is sent again, not before `Retry-After` is over.", isRetryable: true },
  {
    status: "4XX",
    description:
      "401, 403, 404, 405, 407, 410, 421: taken as a fault of the address, tried again every 1 to 5 min. 425: as 408. Any other: refused for good, shown to Sluice's operators.",
  },
  {
    status: "5XX",
    description: "Passing, and unknown whether it was taken: it is sent again, with back-off, and not before `Retry-After` is over.",
    isRetryable: true,
  },
] as const;
