// What the console answers about receivers: how a bank or connector stands, what waits for it, and each message that it has not taken.

import * as z from "zod";
import {
  amount,
  count,
  currency,
  date,
  day,
  decision,
  maybeText,
  maybeTime,
  seconds,
  text,
  time,
  uetr,
  who,
} from "./control-answer-parts.ts";

export const state = z
  .enum(["active", "throttled", "breaker-open", "paused", "maintenance"])
  .meta({ description: "What holds messages back from it; active: nothing does. maintenance: paused until a time." });
export const why = z
  .array(text)
  .meta({ description: "Why nothing, or little, leaves to it; none: each message is tried by its own back-off." });
const learntService = z.enum(["dispatcher", "event-publisher"]);
export const address = z.strictObject({
  service: learntService.meta({ description: "Who sends there: messages, or postings of events." }),
  address: text.meta({ description: "Scheme, host and port." }),
  state: z.enum(["active", "throttled", "breaker-open"]),
  breaker: z
    .strictObject({ since: time, openForSeconds: count.nullable(), reason: text })
    .nullable()
    .meta({ description: "Open: one message at a time is tried until one is acknowledged. Null: closed." }),
  gateUntil: maybeTime.meta({ description: "It asked to wait until then (Retry-After)." }),
  secondsToGate: seconds,
  concurrency: count.meta({ description: "Requests at once that it bears, as far as it is known." }),
  connections: count.meta({ description: "Those that it may have, as configured." }),
});
const age = {
  oldestSince: maybeTime.meta({ description: "Of those still tried: first attempt of the oldest, or when it was parked." }),
  oldestAgeSeconds: count.nullable(),
};
const nextAttempt = maybeTime.meta({ description: "null: none waits, or when what holds it is over." });
const parkedTotals = z.strictObject({ waiting: count, refused: count, ...age, nextAttempt, firstDeadline: maybeTime });
export const receiver = z.strictObject({
  bank: text,
  day: day.nullable().meta({ description: "The day whose close ends them; null: credits, outcomes told, event postings." }),
  state,
  isPaused: z.boolean(),
  until: maybeTime.meta({ description: "End of the maintenance." }),
  why,
  closes: maybeTime,
  secondsToClose: seconds,
  deliveries: parkedTotals,
  postings: parkedTotals,
});

export const message = z.strictObject({
  kind: z.enum(["delivery", "posting"]),
  messageIdentification: text,
  uetr,
  lane: count,
  address: maybeText.meta({ description: "Where it goes: scheme, host and port." }),
  standing: z.enum(["waiting", "gated", "breaker-open", "paused", "refused", "expired"]).meta({
    description:
      "waiting: for its own back-off; gated, breaker-open: for its address; refused: a person has to redrive it; expired: a posting past its time.",
  }),
  attempts: count,
  anyAnswer: z.boolean(),
  mayHaveBeenTaken: z.boolean(),
  nextAttempt,
  day: day.nullable(),
  closes: maybeTime,
  secondsToClose: seconds,
  recentAttempts: z.array(
    z.strictObject({
      at: time,
      httpStatusCode: z.int().nullable(),
      class: z.enum(["acknowledged", "transient", "address", "refused", "unknown"]),
      answer: maybeText.meta({ description: "Masked." }),
      tookMs: z.number(),
      address: maybeText,
    }),
  ),
  earlierAttempts: z
    .strictObject({
      count,
      from: time,
      to: time,
      answers: z.array(z.strictObject({ httpStatusCode: z.int().nullable(), count })),
    })
    .nullable()
    .meta({ description: "Those before recentAttempts, summed up." }),
});

const waitingTotals = z.strictObject({ waiting: count, refused: count, ...age });

const dayTotal = z.strictObject({
  scheme: text,
  businessDate: date,
  currency,
  count,
  sum: amount,
  alarmAbove: amount.nullable(),
  isAboveAlarm: z.boolean(),
});

export const bank = z.strictObject({
  bank: text,
  kind: z.enum(["bank", "connector", "unknown"]),
  state,
  isPaused: z.boolean(),
  until: maybeTime.meta({ description: "End of the maintenance." }),
  why,
  addresses: z.array(address),
  waiting: z
    .strictObject({ deliveries: waitingTotals, postings: waitingTotals, closes: maybeTime, secondsToClose: seconds })
    .nullable()
    .meta({ description: "What it has not taken, and the first close that ends some of it; null: not counted within 3 s, nor before." }),
  since: z
    .strictObject({ at: time, ...who })
    .nullable()
    .meta({ description: "Who paused or resumed it last." }),
  decisions: z.array(decision),
  dayTotals: z.array(dayTotal),
});
