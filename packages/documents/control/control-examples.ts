// An example of each decision of the control API. services/console/http/documented-control.test.ts sends each of them.

import type { ControlDecisionName } from "@sluice/contracts/decision-bodies";

export const exampleUetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";

export const calendarFileExample = `calendars:
  za-2027:
    extends: za
    version: za-2027/1
    holidays:
      - { name: Day of mourning, dates: ["2026-12-28"] }
schemes:
  - { id: ZA_EFT, calendar: za-2027 }
`;

export const controlExamples: Readonly<Record<ControlDecisionName, object>> = {
  withdrawDebit: { reason: "The bank sent the wrong file, ticket 4711" },
  redriveDelivery: { reason: "The bank has loaded the missing branch", messageIdentification: "6f4b2f0e6f0a4d529a571f0f5d0c2b11A" },
  stopDelivery: { reason: "The bank fails it for ever, ticket 4712", messageIdentification: "6f4b2f0e6f0a4d529a571f0f5d0c2b11D" },
  redriveBank: { reason: "The bank has loaded the missing branch", of: ["6f4b2f0e6f0a4d529a571f0f5d0c2b11A"] },
  withdrawDebits: { reason: "The bank sent the wrong file, ticket 4711", of: [exampleUetr] },
  resolveItems: { reason: "Seen on the bank's statement", of: [{ uetr: exampleUetr, day: "ZA_EFT:2026-11-20" }], resolution: "NOT_MADE" },
  confirmResolutions: {
    reason: "Seen on the statement as well",
    of: [{ uetr: exampleUetr, offset: "4711", contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }],
  },
  rejectResolutions: {
    reason: "The statement shows all of them, ticket 4717",
    of: [{ uetr: exampleUetr, offset: "4711", contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08" }],
  },
  pauseBanks: { reason: "The network of the data centre is being replaced", of: ["sample"] },
  resumeBanks: { reason: "The network is back", of: ["sample"] },
  resolveItem: { reason: "Seen on the bank's statement", day: "ZA_EFT:2026-11-20", resolution: "NOT_MADE" },
  confirmResolution: {
    reason: "Seen on the statement as well",
    offset: "4711",
    contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  rejectResolution: {
    reason: "The statement shows the payment, ticket 4717",
    offset: "4711",
    contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  noteItem: { reason: "The bank answers on Monday, ticket 4716", day: "ZA_EFT:2026-11-20", assignee: "operator" },
  extendClose: { reason: "The bank asks for half an hour", window: 1, closesAt: "2026-11-20T16:30:00+02:00" },
  declareCreditsFinal: { reason: "The clearing house confirmed by telephone" },
  openGate: {
    reason: "The bank accepts that these credits are late",
    bank: "sample",
    credits: ["0d6c5a1b-61a5-4c2e-9d3c-7d5fb0b2c3d4"],
  },
  pauseBank: { reason: "The bank's core system is being restored", until: "2026-11-22T03:00:00+02:00" },
  checkBank: { reason: "Before the bank goes live, change 4714" },
  checkOwnBank: { reason: "Our new certificate is in place" },
  resumeBank: { reason: "The bank says that it is back" },
  eraseMonth: { reason: "The bank has left, and its time for questions is over, ticket 4715" },
  skipStuckRecord: {
    reason: "Its schema was never registered, ticket 4711",
    service: "scheduler",
    topic: "sluice.journal.v1",
    partition: 0,
    offset: "0",
  },
  replayDeadLetter: { reason: "The schema is registered now" },
  replayTransaction: { reason: "The schema is registered now" },
  replayDeadLetters: { reason: "The schema is registered now", of: ["0:0"], records: 1 },
  confirmProposal: {
    reason: "The clearing house confirmed it to me too",
    offset: "0",
    contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  rejectProposal: {
    reason: "The credits of one bank are not complete",
    offset: "0",
    contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  retractProposal: {
    reason: "It was the wrong day",
    offset: "0",
    contentSha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
};
