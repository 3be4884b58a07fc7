// Answers of the control API, member by member. The API document is generated from these schemas, and the console's
// tests check every answer against them. They are strict, so that an undocumented member fails a test; clients must
// ignore members that they do not know.

import * as z from "zod";
import {
  amountTextSchema,
  asOfSchema,
  countSchema,
  countedAtSchema,
  currencyTextSchema,
  dateTextSchema,
  daySchema,
  decisionSchema,
  flowSchema,
  bigNumberSchema,
  causeSchema,
  nullableTextSchema,
  nullableTimeSchema,
  nextPageSchema,
  textSchema,
  timeSchema,
  uetrSchema,
  decidedMembers,
  totalsCountedAtSchema,
  traceSchema,
} from "./answer-parts.ts";
import { countedAnswers } from "./action-answers.ts";
import { bankAnswers, heldSchema } from "./bank-answers.ts";
import { proposalEndedSchema, proposalSchema } from "./proposal-answers.ts";
import { evidenceAnswers, identifications, itemSchema, reconciliationRowSchema } from "./item-answers.ts";
import { replaysSchema } from "./replay-answers.ts";
import { serviceAnswers } from "./service-answers.ts";
import { severalAnswers } from "./several-answers.ts";
import {
  endpointSchema,
  bankStatusSchema,
  failingMessageSchema,
  undeliveredMessageSchema,
  receiverSchema,
  receiverStateSchema,
  blockReasonsSchema,
} from "./receiver-answers.ts";
import { allowedActionSchema, calendarAnswers, meSchema, overviewSchema, seriesSchema, waitingSchema } from "./overview-answers.ts";

const transaction = z.strictObject({
  uetr: uetrSchema,
  state: textSchema,
  stageVersion: countSchema,
  flow: flowSchema,
  scheme: nullableTextSchema.meta({ description: "Null where only reports were received under the UETR, as are amount and currency." }),
  sender: nullableTextSchema,
  bank: nullableTextSchema,
  businessDate: dateTextSchema.nullable(),
  reconciliationDay: daySchema.nullable(),
  deadline: nullableTimeSchema.meta({ description: "Own deadline of a credit." }),
  amount: amountTextSchema.nullable(),
  currency: currencyTextSchema.nullable(),
  ...identifications,
  reasons: z.array(textSchema),
  receivedAt: timeSchema,
  updatedAt: timeSchema,
  openItems: countSchema,
  isParked: z.boolean(),
});

const window = z.strictObject({
  number: z.int().min(1),
  state: z.enum(["planned", "open", "closed", "missed"]),
  opens: timeSchema,
  openedAt: nullableTimeSchema,
  closes: timeSchema,
  closedAt: nullableTimeSchema,
});

const gate = z.strictObject({
  bank: textSchema,
  isOpen: z.boolean(),
  openedAt: nullableTimeSchema,
  reason: nullableTextSchema.meta({ description: "Why it is closed; null: it is open." }),
  partitionsAwaited: z.array(countSchema),
  credits: z.array(uetrSchema).meta({ description: "Credits that keep it closed; at most 1,000." }),
  isMoreCredits: z.boolean(),
});

const businessDay = z.strictObject({
  day: daySchema,
  scheme: textSchema,
  businessDate: dateTextSchema,
  calendarVersion: textSchema,
  isVoided: z.boolean(),
  cutOff: nullableTimeSchema,
  windows: z.array(window),
  reconciliation: z.strictObject({ closes: timeSchema, closedAt: nullableTimeSchema }).nullable(),
  nextBusinessDate: dateTextSchema.nullable(),
  creditsFinal: z.enum(["clock", "connector", "bank"]).meta({ description: "Who declares the credits final." }),
  declarations: z.array(z.strictObject({ bank: nullableTextSchema, declaredBy: textSchema, at: timeSchema })),
  gates: z.array(gate),
  putBacks: z.array(z.strictObject({ window: countSchema, closes: timeSchema, at: timeSchema, ...decidedMembers })),
  decisions: z.array(decisionSchema.extend({ bank: nullableTextSchema, credits: z.array(textSchema) })),
});

const partition = z.strictObject({
  service: textSchema,
  partition: countSchema,
  position: bigNumberSchema,
  logEnd: bigNumberSchema,
  lag: bigNumberSchema,
  behindSeconds: countSchema.nullable().meta({ description: "Age of the first record that is not done; 0: none; null: not known." }),
  epoch: countSchema.nullable().meta({ description: "Grows with each new owner; null: nobody ever owned it." }),
});

const rebuild = z
  .strictObject({
    id: textSchema,
    state: z.enum(["running", "silent", "ended"]).meta({ description: "Silent: it did not end, and has said nothing for ten minutes." }),
    startedAt: timeSchema,
    updatedAt: timeSchema.meta({ description: "When it said something last." }),
    partitionsDone: countSchema,
    partitionsCount: countSchema,
    done: bigNumberSchema.meta({ description: "Records that are folded." }),
    left: bigNumberSchema,
    finishesAt: nullableTimeSchema.meta({ description: "At its speed so far; null: not known, or it does not run." }),
    rows: z.array(
      z.strictObject({
        partition: countSchema,
        done: bigNumberSchema,
        of: bigNumberSchema.meta({ description: "0: it is not known yet." }),
        startedAt: timeSchema,
        updatedAt: timeSchema,
        end: z.enum(["switched", "equal", "differs"]).nullable(),
      }),
    ),
  })
  .meta({ id: "Rebuild" });

const openDay = z.strictObject({
  day: daySchema,
  isVoided: z.boolean(),
  windowOpen: countSchema.nullable(),
  missed: z.array(countSchema),
  nextOpening: nullableTimeSchema,
  nextClose: nullableTimeSchema,
  reconciliation: timeSchema,
});

const sums = z.strictObject({ count: countSchema, sum: amountTextSchema });
const summaryRow = z.strictObject({
  bank: nullableTextSchema,
  currency: currencyTextSchema.nullable().meta({ description: "null, as the sums: messages that lie in the dead letters." }),
  row: itemSchema.shape.row,
  cause: causeSchema,
  count: countSchema,
  sum: amountTextSchema.nullable(),
  open: countSchema,
  openSum: amountTextSchema.nullable(),
});

const place = { topic: textSchema, partition: countSchema, offset: bigNumberSchema };
const letterId = z
  .string()
  .regex(/^\d+:\d+$/)
  .meta({ description: "Its place in the dead letters, partition:offset." });
const letter = {
  letter: letterId,
  deadLetteredAt: timeSchema,
  service: textSchema.meta({ description: "Which service dead-lettered it." }),
  ...place,
  appendedAt: timeSchema.meta({ description: "When the record itself was appended." }),
  key: nullableTextSchema.meta({ description: "Of the record, where it is printable." }),
  type: nullableTextSchema.meta({ description: "What its header says that it is." }),
  bytes: countSchema.nullable(),
  sha256: nullableTextSchema.meta({ description: "Of its bytes." }),
  why: textSchema,
  batch: nullableTextSchema.meta({
    description: "First and last offset of the batch that could not be read and that it was in, as 120-139; null: it was in none.",
  }),
  skip: z
    .strictObject({
      operator: textSchema,
      person: textSchema,
      confirmedBy: nullableTextSchema.meta({ description: "The second person who confirmed the skip; null: it needed none." }),
      action: textSchema,
      isDone: z.boolean(),
    })
    .nullable()
    .meta({ description: "isDone false: it was requested; the partition has gone on when a letter says true." }),
};
const cursor = textSchema.meta({ description: "Give it as `after` to go on behind this letter." });
const replayedRow = z.strictObject({
  letter: letterId.nullable().meta({ description: "null: the letter is gone, and the record was read in the journal." }),
  ...place,
  type: nullableTextSchema,
  isReadable: z.boolean().meta({ description: "false: it will be dead-lettered again, unless it is left." }),
  outcome: z
    .enum(["replayed", "would-be-replayed", "was-replayed", "left", "would-be-left"])
    .meta({ description: "left: it stays in the dead letters for good." }),
  at: z.strictObject({ partition: countSchema, offset: bigNumberSchema }).nullable().meta({ description: "Where it lies now." }),
});
const replay = z
  .strictObject({
    schema: z.literal("DeadLettersReplay"),
    action: textSchema,
    isDryRun: z.boolean(),
    key: nullableTextSchema.meta({ description: "The transaction's UETR; null: of one letter." }),
    partition: countSchema,
    offset: bigNumberSchema.nullable().meta({ description: "Of the record that takes the mark away; null: there is none." }),
    appendedAt: nullableTimeSchema,
    rows: z.array(replayedRow),
  })
  .meta({ id: "Replay" });

export { decisionProposedSchema } from "./proposal-answers.ts";

/** The answer of each operation. */
export const controlAnswers = {
  showMe: meSchema,
  showOverview: overviewSchema,
  showSeries: seriesSchema,
  controlStatus: z.strictObject({
    schema: z.literal("ControlStatus"),
    asOf: asOfSchema,
    partitions: z.array(partition),
    rebuild: rebuild.nullable().meta({ description: "The newest one (`./sluice rebuild`); null: there was none." }),
    banksPaused: z.array(z.strictObject({ bank: textSchema, since: timeSchema, until: nullableTimeSchema, ...decidedMembers })),
    days: z.array(openDay),
  }),
  ...serviceAnswers,
  searchTransactions: z.strictObject({ schema: z.literal("Transactions"), rows: z.array(transaction), next: nextPageSchema }),
  exportTransactions: z.strictObject({ schema: z.literal("TransactionsExport"), asOf: asOfSchema, rows: z.array(transaction) }),
  showTransaction: z.strictObject({
    schema: z.literal("Transaction"),
    timeline: z
      .looseObject({ uetr: uetrSchema, state: nullableTextSchema })
      .meta({ description: "All that happened, in order, as `./sluice tx` prints it." }),
    waiting: waitingSchema.nullable(),
    actions: z.array(allowedActionSchema),
    items: z.array(itemSchema),
    decisions: z.array(decisionSchema),
    carryOversMax: countSchema.nullable(),
    quarantined: z.strictObject({ since: timeSchema, offset: bigNumberSchema, records: countSchema }).nullable(),
    trace: traceSchema,
  }),
  listWindows: z.strictObject({ schema: z.literal("Windows"), rows: z.array(businessDay), next: z.null() }),
  ...calendarAnswers,
  listHeld: z.strictObject({ schema: z.literal("Held"), asOf: asOfSchema, rows: z.array(heldSchema), next: nextPageSchema }),
  listUndelivered: z.union([
    z.strictObject({
      schema: z.literal("Undelivered"),
      asOf: asOfSchema,
      countedAt: countedAtSchema,
      rows: z.array(receiverSchema),
      next: nextPageSchema,
    }),
    z.strictObject({
      schema: z.literal("UndeliveredMessages"),
      asOf: asOfSchema,
      bank: textSchema,
      state: receiverStateSchema,
      until: nullableTimeSchema,
      why: blockReasonsSchema,
      endpoints: z.array(endpointSchema),
      rows: z.array(undeliveredMessageSchema),
      next: nextPageSchema,
    }),
  ]),
  listFailing: z.strictObject({
    schema: z.literal("FailingMessages"),
    asOf: asOfSchema,
    attemptsMin: countSchema.meta({ description: "Messages that were attempted so often or more are listed." }),
    rows: z.array(failingMessageSchema),
    next: nextPageSchema,
  }),
  listReconciliation: z.strictObject({
    schema: z.literal("ReconciliationItems"),
    rows: z.array(reconciliationRowSchema),
    next: nextPageSchema,
  }),
  summariseReconciliation: z.strictObject({ schema: z.literal("ReconciliationSummary"), day: daySchema, rows: z.array(summaryRow) }),
  exportReconciliation: z.strictObject({
    schema: z.literal("ReconciliationExport"),
    day: daySchema,
    asOf: timeSchema,
    rows: z.array(reconciliationRowSchema),
  }),
  listBanks: z.strictObject({
    schema: z.literal("Banks"),
    asOf: asOfSchema,
    countedAt: countedAtSchema,
    totalsCountedAt: totalsCountedAtSchema,
    rows: z.array(bankStatusSchema),
    next: z.null(),
  }),
  ...bankAnswers,
  ...evidenceAnswers,
  ...countedAnswers,
  ...severalAnswers,
  listDeadLetters: z.strictObject({
    schema: z.literal("DeadLetters"),
    rows: z.array(z.strictObject({ ...letter, cursor })),
    next: nextPageSchema,
  }),
  showDeadLetter: z.strictObject({
    schema: z.literal("DeadLetter"),
    ...letter,
    reading: z
      .strictObject({ isReadable: z.boolean(), as: nullableTextSchema, why: nullableTextSchema })
      .meta({ description: "As of now." }),
    progress: z
      .strictObject({ position: bigNumberSchema, hasPassed: z.boolean() })
      .nullable()
      .meta({ description: "How far the service's partition has come; null: not known." }),
    transaction: z
      .strictObject({
        uetr: uetrSchema,
        quarantined: z.strictObject({ since: timeSchema, offset: bigNumberSchema, records: countSchema }).nullable(),
      })
      .nullable(),
  }),
  eraseMonth: z.strictObject({
    schema: z.literal("Erasure"),
    action: textSchema,
    bank: textSchema,
    month: textSchema,
    isDryRun: z.boolean(),
    transactions: countSchema.meta({ description: "Transactions whose message came in that month." }),
    isErased: z.boolean().meta({ description: "The key is destroyed; of a dry run: it was destroyed before." }),
  }),
  skipStuckRecord: z.strictObject({
    schema: z.literal("SkipRequested"),
    action: textSchema,
    letter: letterId,
    service: textSchema,
    ...place,
    lastOffset: bigNumberSchema.nullable().meta({ description: "Of a batch; null: of a record." }),
    appendedAt: timeSchema,
  }),
  replayDeadLetter: replay,
  replayTransaction: replay,
  replayDeadLetters: replaysSchema,
  rejectProposal: proposalEndedSchema,
  retractProposal: proposalEndedSchema,
  listProposals: z.strictObject({
    schema: z.literal("Proposals"),
    asOf: asOfSchema,
    rows: z.array(proposalSchema),
    next: nextPageSchema,
  }),
  showConservation: z.strictObject({
    schema: z.literal("Conservation"),
    asOf: asOfSchema,
    day: daySchema,
    isWhole: z.boolean(),
    rows: z.array(z.strictObject({ bank: textSchema, currency: currencyTextSchema, columns: z.record(textSchema, sums) })),
    partitions: z.array(
      z.strictObject({ partition: countSchema, offset: bigNumberSchema, isWhole: z.boolean(), findings: z.array(textSchema) }),
    ),
  }),
} as const satisfies Readonly<Record<string, z.ZodType>>;
