// What the console answers to operators' questions, member by member: the control API's document is made of it, and the console's tests hold
// every answer against it. Strict, so that a member that nobody described is found; readers ignore what they do not know.

import * as z from "zod";
import {
  accountEnd,
  amount,
  asOf,
  count,
  countedAt,
  currency,
  date,
  day,
  decision,
  flow,
  large,
  maybeText,
  maybeTime,
  next,
  seconds,
  text,
  time,
  uetr,
  who,
} from "./control-answer-parts.ts";
import { address, bank, message, receiver, state, why } from "./control-answers-receivers.ts";

const identifications = {
  messageIdentification: maybeText,
  endToEndIdentification: maybeText,
  transactionIdentification: maybeText,
  instructionIdentification: maybeText,
  debtorAccountEnd: accountEnd,
  creditorAccountEnd: accountEnd,
};

const transaction = z.strictObject({
  uetr,
  state: text,
  stageVersion: count,
  flow,
  scheme: text,
  sender: maybeText,
  bank: maybeText,
  businessDate: date.nullable(),
  closesWith: day.nullable(),
  deadline: maybeTime.meta({ description: "Own deadline of a credit." }),
  amount,
  currency,
  ...identifications,
  reasons: z.array(text),
  receivedAt: time,
  updatedAt: time,
  openItems: count,
  isParked: z.boolean(),
});

const evidence = z.strictObject({
  attempts: count,
  anyAnswer: z.boolean(),
  mayHaveBeenTaken: z.boolean(),
  httpStatusCode: z.int().nullable(),
  isBreakerOpen: z.boolean(),
  isBankPaused: z.boolean(),
});

const resolution = z.strictObject({
  kind: z.enum(["MADE", "NOT_MADE", "REPLACED"]),
  replacedBy: uetr.nullable(),
  isFinal: z.boolean().meta({ description: "false: a second person has to confirm it, by the id of its action." }),
  at: time,
  action: z.strictObject(who),
  confirmed: z.strictObject({ at: time, action: z.strictObject(who) }).nullable(),
});

const item = z.strictObject({
  day,
  row: z.int().min(0).max(10).nullable().meta({ description: "Row of the interface's section 7; 0: ours; null: not known yet." }),
  cause: maybeText,
  state: text.meta({ description: "State in which the close, the withdrawal or the refusal met it." }),
  isOpen: z.boolean(),
  madeAt: time,
  settledAt: maybeTime,
  evidence: evidence.nullable(),
  lateAnswers: z.array(z.strictObject({ at: time, text })),
  resolution: resolution.nullable(),
});

const reconciliationRow = z.strictObject({
  uetr,
  transactionState: text,
  flow,
  scheme: text,
  bank: maybeText,
  sender: maybeText,
  businessDate: date.nullable(),
  amount,
  currency,
  receivedAt: time,
  ...identifications,
  isParked: z.boolean(),
  ...item.shape,
});

const window = z.strictObject({
  number: z.int().min(1),
  state: z.enum(["planned", "open", "closed", "missed"]),
  opens: time,
  openedAt: maybeTime,
  closes: time,
  closedAt: maybeTime,
});

const gate = z.strictObject({
  bank: text,
  isOpen: z.boolean(),
  openedAt: maybeTime,
  reason: maybeText.meta({ description: "Why it is closed; null: it is open." }),
  lanesAwaited: z.array(count),
  credits: z.array(uetr).meta({ description: "Credits that keep it closed; at most 1,000." }),
  isMoreCredits: z.boolean(),
});

const businessDay = z.strictObject({
  day,
  scheme: text,
  businessDate: date,
  calendarVersion: text,
  isVoided: z.boolean(),
  cutOff: maybeTime,
  windows: z.array(window),
  reconciliation: z.strictObject({ closes: time, closedAt: maybeTime }).nullable(),
  nextBusinessDate: date.nullable(),
  creditsFinal: z.enum(["clock", "connector", "bank"]).meta({ description: "Who declares the credits final." }),
  declarations: z.array(z.strictObject({ bank: maybeText, declaredBy: text, at: time })),
  gates: z.array(gate),
  putBacks: z.array(z.strictObject({ window: count, closes: time, at: time, ...who })),
  decisions: z.array(decision.extend({ bank: maybeText, credits: z.array(text) })),
});

const held = z.strictObject({
  bank: text,
  day,
  currency,
  count,
  sum: amount,
  oldestReceivedAt: time,
  oldestAgeSeconds: seconds,
  waitsFor: z.enum(["day-not-planned", "day-over", "no-window-ahead", "bank-paused", "window", "gate", "turn"]),
  opens: maybeTime,
  secondsToOpening: seconds,
  closes: maybeTime,
  secondsToClose: seconds,
  reconciliation: maybeTime,
  secondsToReconciliation: seconds,
  why: text,
});

const lane = z.strictObject({
  service: text,
  lane: count,
  position: large,
  logEnd: large,
  lag: large,
  epoch: count.nullable().meta({ description: "Grows with each new owner; null: nobody ever owned it." }),
});

const openDay = z.strictObject({
  day,
  isVoided: z.boolean(),
  windowOpen: count.nullable(),
  missed: z.array(count),
  nextOpening: maybeTime,
  nextClose: maybeTime,
  reconciliation: time,
});

const sums = z.strictObject({ count, sum: amount });
const summaryRow = z.strictObject({
  bank: maybeText,
  currency,
  row: item.shape.row,
  cause: maybeText,
  count,
  sum: amount,
  open: count,
  openSum: amount,
});

const place = { topic: text, partition: count, offset: large };
const letterId = z
  .string()
  .regex(/^\d+:\d+$/)
  .meta({ description: "Its place in the dead letters, partition:offset." });
const letter = {
  letter: letterId,
  putAsideAt: time,
  service: text.meta({ description: "Who put it aside." }),
  ...place,
  appendedAt: time.meta({ description: "When the record itself was appended." }),
  key: maybeText.meta({ description: "Of the record, where it is printable." }),
  type: maybeText.meta({ description: "What its header says that it is." }),
  bytes: count.nullable(),
  sha256: maybeText.meta({ description: "Of its bytes." }),
  why: text,
  byHand: z
    .strictObject({ operator: text, action: text, isDone: z.boolean() })
    .nullable()
    .meta({ description: "isDone false: it was asked for; the lane has gone on when a letter says true." }),
};
const cursor = text.meta({ description: "Give it as `after` to go on behind this letter." });
const replayedRow = z.strictObject({
  letter: letterId,
  ...place,
  type: maybeText,
  isReadable: z.boolean().meta({ description: "false: it will be put aside again." }),
  outcome: z.enum(["replayed", "would-be-replayed", "was-replayed"]),
  at: z.strictObject({ partition: count, offset: large }).nullable().meta({ description: "Where it lies now." }),
});
const replay = z.strictObject({
  schema: z.literal("DeadLettersReplay"),
  action: text,
  isDryRun: z.boolean(),
  key: maybeText.meta({ description: "The transaction's UETR; null: of one letter." }),
  partition: count,
  offset: large.nullable().meta({ description: "Of the record that takes the mark away; null: there is none." }),
  appendedAt: maybeTime,
  rows: z.array(replayedRow),
});

/** By operation. */
export const controlAnswers = {
  controlStatus: z.strictObject({
    schema: z.literal("ControlStatus"),
    asOf,
    lanes: z.array(lane),
    banksPaused: z.array(z.strictObject({ bank: text, since: time, until: maybeTime, ...who })),
    days: z.array(openDay),
  }),
  searchTransactions: z.strictObject({ schema: z.literal("Transactions"), rows: z.array(transaction), next }),
  showTransaction: z.strictObject({
    schema: z.literal("Transaction"),
    timeline: z.looseObject({ uetr, state: maybeText }).meta({ description: "As `./sluice tx --json` gives it." }),
    items: z.array(item),
    decisions: z.array(decision),
    rollsMax: count.nullable(),
    parked: z.strictObject({ since: time, offset: large, records: count }).nullable(),
  }),
  listWindows: z.strictObject({ schema: z.literal("Windows"), rows: z.array(businessDay), next: z.null() }),
  listHeld: z.strictObject({ schema: z.literal("Held"), asOf, rows: z.array(held), next }),
  listUndelivered: z.union([
    z.strictObject({ schema: z.literal("Undelivered"), asOf, countedAt, rows: z.array(receiver), next }),
    z.strictObject({
      schema: z.literal("UndeliveredMessages"),
      asOf,
      bank: text,
      state,
      until: maybeTime,
      why,
      addresses: z.array(address),
      rows: z.array(message),
      next,
    }),
  ]),
  listReconciliation: z.strictObject({ schema: z.literal("ReconciliationItems"), rows: z.array(reconciliationRow), next }),
  summariseReconciliation: z.strictObject({ schema: z.literal("ReconciliationSummary"), day, rows: z.array(summaryRow) }),
  exportReconciliation: z.strictObject({ schema: z.literal("ReconciliationExport"), day, asOf: time, rows: z.array(reconciliationRow) }),
  listBanks: z.strictObject({ schema: z.literal("Banks"), asOf, countedAt, rows: z.array(bank), next: z.null() }),
  listDeadLetters: z.strictObject({ schema: z.literal("DeadLetters"), rows: z.array(z.strictObject({ ...letter, cursor })), next }),
  showDeadLetter: z.strictObject({
    schema: z.literal("DeadLetter"),
    ...letter,
    reading: z.strictObject({ isReadable: z.boolean(), as: maybeText, why: maybeText }).meta({ description: "As of now." }),
    lane: z
      .strictObject({ position: large, hasPassed: z.boolean() })
      .nullable()
      .meta({ description: "How far the service's lane has come; null: not known." }),
    transaction: z.strictObject({ uetr, parked: z.strictObject({ since: time, offset: large, records: count }).nullable() }).nullable(),
  }),
  putDeadLetter: z.strictObject({
    schema: z.literal("PutAsideAsked"),
    action: text,
    letter: letterId,
    service: text,
    ...place,
    appendedAt: time,
  }),
  replayDeadLetter: replay,
  replayTransaction: replay,
  showConservation: z.strictObject({
    schema: z.literal("Conservation"),
    asOf,
    day,
    isWhole: z.boolean(),
    rows: z.array(z.strictObject({ bank: text, currency, columns: z.record(text, sums) })),
    lanes: z.array(z.strictObject({ lane: count, offset: large, isWhole: z.boolean(), findings: z.array(text) })),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;

export type ControlAnswerName = keyof typeof controlAnswers;
