// The parts of a transaction's document: entries, notices, items with evidence and resolution, operators' decisions.

import {
  type DeliveryEvidence,
  type Item,
  type ItemNote,
  type MessageIdentity,
  type Notice,
  type Observations,
  type OutcomeReport,
  type Quarantine,
  type Resolution,
  type RulesSpan,
  type TransactionDecision,
  type Transition,
  type UnreadMessage,
  extendRules,
} from "@sluice/domain";
import type { SearchTerms } from "../port.ts";
import { as, type Codec, date, document, list, nullable, plain, type StoredIn } from "./codec.ts";
import { actionCodec } from "./stored-action.ts";

export type StoredItem = StoredIn<typeof itemCodec>;

const at = as("atMs", date);

export const outcomeReportCodec = document<OutcomeReport>()({ number: plain, acknowledgedAt: as("acknowledgedAtMs", nullable(date)) });

export const identityCodec = document<MessageIdentity>()({
  sender: plain,
  messageIdentification: plain,
  contentHash: plain,
  substanceHash: plain,
});

export const quarantineCodec = document<Quarantine>()({ since: as("sinceMs", date), offset: plain, records: plain });

export const unreadMessageCodec = document<UnreadMessage>()({ kind: plain, offset: plain });

export const decisionCodec = document<TransactionDecision>()({
  offset: plain,
  at,
  kind: plain,
  action: actionCodec,
  result: plain,
  why: plain,
});

export const transitionCodec = document<Transition>()({
  stageVersion: plain,
  state: plain,
  offset: plain,
  at,
  markerOffset: plain,
  businessDate: plain,
  reconciliationDay: as("reconciliationDay", plain),
  messageIdentification: plain,
  httpStatusCode: plain,
});

export const noticeCodec = document<Notice>()({
  offset: plain,
  at,
  kind: plain,
  operation: plain,
  messageIdentification: plain,
  about: plain,
  receiver: plain,
  deadline: as("deadlineMs", nullable(date)),
});

const resolution = document<Resolution>()({
  kind: plain,
  replacedBy: plain,
  action: actionCodec,
  offset: plain,
  at,
  isFinal: plain,
  expiresAt: as("expiresAtMs", nullable(date)),
  confirmed: nullable(document<NonNullable<Resolution["confirmed"]>>()({ action: actionCodec, at })),
});

const evidence = document<DeliveryEvidence>()({
  attempts: plain,
  anyAnswer: plain,
  mayHaveBeenTaken: plain,
  httpStatusCode: plain,
  isBreakerOpen: plain,
  isReceiverPaused: plain,
});

const itemNote = document<ItemNote>()({ action: actionCodec, assignee: plain, offset: plain, at });

export const itemCodec = document<Item>()({
  day: plain,
  row: plain,
  cause: plain,
  state: plain,
  madeAt: as("madeAtMs", date),
  settledAt: as("settledAtMs", nullable(date)),
  evidence: nullable(evidence),
  lateAnswers: list(document<Item["lateAnswers"][number]>()({ offset: plain, at, text: plain })),
  resolution: nullable(resolution),
  note: nullable(itemNote),
});

const observation = document<Observations["last"][number]>()({
  offset: plain,
  at,
  kind: plain,
  messageIdentification: plain,
  sender: plain,
});
export const observationsCodec = document<Observations>()({ count: plain, last: list(observation) });

const rulesSpan = document<RulesSpan>()({ oldest: plain, newest: plain });

/** A document from before the member was decided by version 1. */
export const rulesCodec: Codec<RulesSpan, StoredIn<typeof rulesSpan> | undefined> = {
  encode: rulesSpan.encode,
  decode: (stored) => (stored === undefined ? extendRules(null, 1) : rulesSpan.decode(stored)),
};

export const searchTermsCodec = document<SearchTerms>()({
  endToEndIdentification: plain,
  transactionIdentification: plain,
  instructionIdentification: plain,
  debtorAccountEnd: plain,
  creditorAccountEnd: plain,
  reasons: plain,
});
