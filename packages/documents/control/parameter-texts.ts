// The texts of the parameters of the control API's document.

import { searchTerms } from "@sluice/contracts";
import { exampleUetr } from "./control-examples.ts";

export const queryTexts: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  ...Object.fromEntries(searchTerms.map(({ name, text, example }) => [name, { description: text, example }])),
  after: { description: "`next` of the page before.", example: "NmY0YjJmMGU" },
  closed: { description: "Dates that would be holidays too, with commas between them.", example: "2026-11-27" },
  windows: { description: "Processing windows in local time, with commas between them.", example: "08:00-12:00" },
  day: { description: "A business day, scheme:date.", example: "ZA_EFT:2026-11-20" },
  format: { description: "csv or json; of reconciliation items also iso20022; of a bank's events csv or pages.", example: "csv" },
  from: { description: "First date; of decisions and events an instant.", example: "2026-11-20" },
  httpStatusCode: { description: "The code of its last answer.", example: "422" },
  kind: { description: "The record of the decision.", example: "WithdrawalRequested" },
  key: {
    description: "A UETR, scheme:date, or bank: and the bank's id: of a decision what it was answered with, of dead letters what they had.",
    example: "bank:sample",
  },
  limit: { description: "Rows of a page, 1 to 1000.", example: "100" },
  operation: { description: "What the message is: the name of the operation that it is posted to.", example: "inboundDirectDebit" },
  operator: { description: "Configured id of who decided.", example: "thandi" },
  minAge: { description: "Only items that were made at least so long ago: a number with s, m, h or d.", example: "4h" },
  proposed: {
    description: "true: items whose resolution waits for a second person. mine: those of them that another person proposed.",
    example: "true",
  },
  open: { description: "true: items that nobody has resolved and nothing has settled.", example: "true" },
  row: { description: "Row of section 7 of docs/spec/interface.md, 0 to 9.", example: "7" },
  service: { description: "Which service dead-lettered it: scheduler, validator, dispatcher or event-publisher.", example: "scheduler" },
  side: { description: "sent (the default) or received.", example: "sent" },
  since: { description: "Dead-lettered at this instant or later.", example: "2026-11-20T06:00:00Z" },
  sort: { description: "uetr (the default) or newest: the last received first.", example: "newest" },
  target: { description: "DELIVERY (the default) or POSTING.", example: "DELIVERY" },
  to: { description: "Last date, included; of decisions and events an instant, not included.", example: "2026-11-27" },
  of: { description: "dispatch: a delivery; events: a posting. dispatch where it is not given.", example: "dispatch" },
  offset: { description: "Offset of the message in its topic.", example: "12" },
  topic: { description: "Where the record lay.", example: "sluice.journal.v1" },
  why: { description: "Words of the reason why it was dead-lettered.", example: "first byte" },
};

/** Each path parameter: its description, and an example value. */
export const pathTexts: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  action: { description: "Id of a decision.", example: "9d3c0d6c5a1b2c3d7d5fb0b261a54c2e" },
  bank: { description: "Configured id of a bank or connector.", example: "sample" },
  date: { description: "Business date.", example: "2026-11-20" },
  month: { description: "Month in UTC, YYYY-MM.", example: "2026-09" },
  letter: { description: "Place of a dead letter, partition:offset.", example: "0:0" },
  scheme: { description: "Scheme code.", example: "ZA_EFT" },
  topic: { description: "Name of a topic.", example: "sluice.state-events.v1" },
  uetr: { description: "UETR, in any case.", example: exampleUetr },
};
