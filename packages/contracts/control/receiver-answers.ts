// Answers of the control API about receivers: the state of a bank or connector, its backlog, and each message in it.

import * as z from "zod";
import {
  amountTextSchema,
  countSchema,
  currencyTextSchema,
  dateTextSchema,
  daySchema,
  decisionSchema,
  nullableTextSchema,
  nullableTimeSchema,
  secondsSchema,
  textSchema,
  timeSchema,
  uetrSchema,
  decidedMembers,
} from "./answer-parts.ts";

export const receiverStateSchema = z
  .enum(["active", "throttled", "breaker-open", "paused", "maintenance"])
  .meta({ id: "ReceiverState", description: "What holds messages back from it; active: nothing does. maintenance: paused until a time." });
export const blockReasonsSchema = z
  .array(textSchema)
  .meta({ id: "BlockReasons", description: "Why nothing, or little, leaves to it; none: each message is tried by its own back-off." });
export const learntService = z.enum(["dispatcher", "event-publisher"]);
export const endpointSchema = z
  .strictObject({
    service: learntService.meta({ description: "Who sends there: messages, or postings of events." }),
    address: textSchema.meta({ description: "Scheme, host and port." }),
    state: z.enum(["active", "throttled", "breaker-open"]),
    breaker: z
      .strictObject({ since: timeSchema, openForSeconds: countSchema.nullable(), reason: textSchema })
      .nullable()
      .meta({ description: "Open: one message at a time is tried until one is acknowledged. Null: closed." }),
    retryAfterUntil: nullableTimeSchema.meta({ description: "It asked to wait until then (Retry-After)." }),
    secondsToRetry: secondsSchema,
    concurrency: countSchema.meta({ description: "Requests at once that it bears, as far as it is known." }),
    connections: countSchema.meta({ description: "Those that it may have, as configured." }),
    check: z
      .strictObject({
        action: textSchema.meta({ description: "The id of the request." }),
        at: timeSchema,
        tookMs: countSchema,
        httpStatusCode: z.int().nullable(),
        reason: nullableTextSchema,
      })
      .nullable()
      .meta({
        description: "The newest check that an operator asked for. Any status code says that it was reached; else `reason` says why not.",
      }),
  })
  .meta({ id: "Endpoint" });
/** What one address answered to a check. */
export const checkedAddressSchema = z
  .strictObject({
    service: learntService,
    address: textSchema,
    at: timeSchema,
    tookMs: countSchema,
    httpStatusCode: z.int().nullable(),
    reason: nullableTextSchema,
  })
  .meta({ id: "CheckedAddress", description: "Any status code says that it was reached; else `reason` says why not." });
const reconciliationCloseSchema = nullableTimeSchema.meta({
  id: "ReconciliationCloses",
  description: "The reconciliation close; what is unresolved then becomes an item.",
});
const age = {
  oldestSince: nullableTimeSchema.meta({ description: "Of those still tried: first attempt of the oldest, or when it was parked." }),
  oldestAgeSeconds: countSchema.nullable(),
};
const nextAttempt = nullableTimeSchema.meta({ description: "null: none waits, or when what holds it is over." });
const parkedTotals = z
  .strictObject({ waiting: countSchema, refused: countSchema, ...age, nextAttempt, firstDeadline: nullableTimeSchema })
  .meta({ id: "ParkedTotals" });
const windowClose = {
  windowCloses: nullableTimeSchema.meta({
    id: "WindowCloses",
    description: "Close of the day's last processing window. A report that waits longer keeps its debit from being released that day.",
  }),
  secondsToWindowClose: secondsSchema,
};
export const receiverSchema = z.strictObject({
  bank: textSchema,
  day: daySchema.nullable().meta({ description: "The day whose close ends them; null: credits, outcome reports, event postings." }),
  state: receiverStateSchema,
  isPaused: z.boolean(),
  until: nullableTimeSchema.meta({ description: "End of the maintenance." }),
  why: blockReasonsSchema,
  ...windowClose,
  closes: reconciliationCloseSchema,
  secondsToClose: secondsSchema,
  deliveries: parkedTotals,
  postings: parkedTotals,
});

const answerClass = z.enum(["acknowledged", "transient", "address", "refused", "unknown"]);
const answerMembers = {
  at: timeSchema,
  httpStatusCode: z.int().nullable(),
  class: answerClass,
  answer: nullableTextSchema.meta({ description: "Masked." }),
};

const waitingMessage = {
  kind: z.enum(["delivery", "posting"]),
  messageIdentification: textSchema,
  uetr: uetrSchema,
  partition: countSchema,
  address: nullableTextSchema.meta({ description: "Where it goes: scheme, host and port." }),
  status: z.enum(["waiting", "retry-after", "breaker-open", "paused", "refused", "stopped", "expired"]).meta({
    description:
      "waiting: for its own back-off; retry-after, breaker-open: for its address; refused, or stopped by an operator: a person has to redrive it; expired: a posting past its time.",
  }),
  attempts: countSchema,
  anyAnswer: z.boolean(),
  mayHaveBeenTaken: z.boolean(),
  nextAttempt,
  day: daySchema.nullable(),
  ...windowClose,
  closes: reconciliationCloseSchema,
  secondsToClose: secondsSchema,
};

export const undeliveredMessageSchema = z.strictObject({
  ...waitingMessage,
  recentAttempts: z.array(z.strictObject({ ...answerMembers, tookMs: z.number(), address: nullableTextSchema })),
  earlierAttempts: z
    .strictObject({
      count: countSchema,
      from: timeSchema,
      to: timeSchema,
      answers: z.array(z.strictObject({ httpStatusCode: z.int().nullable(), count: countSchema })),
    })
    .nullable()
    .meta({ description: "Those before recentAttempts, summed up." }),
});

export const failingMessageSchema = z
  .strictObject({
    bank: textSchema,
    operation: nullableTextSchema.meta({ description: "What it is: the name of the operation that it is posted to." }),
    since: nullableTimeSchema.meta({ description: "Its first attempt." }),
    lastAnswer: z.strictObject(answerMembers).nullable(),
    ...waitingMessage,
  })
  .meta({ id: "AttemptedMessage" });

export const waitingTotals = z.strictObject({ waiting: countSchema, refused: countSchema, ...age }).meta({ id: "WaitingTotals" });

const dayTotal = z.strictObject({
  scheme: textSchema,
  businessDate: dateTextSchema,
  currency: currencyTextSchema,
  count: countSchema,
  sum: amountTextSchema,
  alarmAbove: amountTextSchema.nullable(),
  isAboveAlarm: z.boolean(),
});

export const bankStatusSchema = z
  .strictObject({
    bank: textSchema,
    kind: z.enum(["bank", "connector", "unknown"]),
    state: receiverStateSchema,
    isPaused: z.boolean(),
    until: nullableTimeSchema.meta({ description: "End of the maintenance." }),
    why: blockReasonsSchema,
    endpoints: z.array(endpointSchema),
    waiting: z
      .strictObject({
        deliveries: waitingTotals,
        postings: waitingTotals,
        ...windowClose,
        closes: nullableTimeSchema,
        secondsToClose: secondsSchema,
      })
      .nullable()
      .meta({ description: "What it has not taken, and the first close that ends some of it; null: not counted within 3 s, nor before." }),
    since: z
      .strictObject({ at: timeSchema, ...decidedMembers })
      .nullable()
      .meta({ description: "Who paused or resumed it last." }),
    decisions: z.array(decisionSchema),
    dayTotals: z.array(dayTotal),
  })
  .meta({ id: "BankStatus" });
