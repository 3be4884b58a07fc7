// Answers of the control API that sum up: what is going on now, who asks, and what a transaction waits for.

import * as z from "zod";
import {
  amountTextSchema,
  asOfSchema,
  countSchema,
  countedAtSchema,
  currencyTextSchema,
  dateTextSchema,
  daySchema,
  bigNumberSchema,
  nullableTextSchema,
  nullableTimeSchema,
  textSchema,
  timeSchema,
} from "./answer-parts.ts";
import { learntService, receiverStateSchema } from "./receiver-answers.ts";

const roleSchema = z.enum(["read", "act", "approve"]);

export const meSchema = z.strictObject({
  schema: z.literal("Me"),
  id: textSchema,
  name: textSchema,
  person: textSchema.meta({ description: "The person behind the token: two operators may be one person." }),
  roles: z.array(roleSchema),
  bank: nullableTextSchema.meta({ description: "The one bank that the operator may see; null: an operator of Sluice." }),
  ofSchemes: z.array(textSchema).nullable().meta({
    description: "The schemes whose days and transactions the operator has; null: every scheme.",
  }),
  asOf: asOfSchema,
  configurationVersion: textSchema,
  environment: nullableTextSchema.meta({ description: "Name of the environment, such as production; null: the configuration gives none." }),
  receivers: z.array(textSchema).meta({ description: "The banks and connectors that this operator may see." }),
  schemes: z.array(z.strictObject({ id: textSchema, zone: textSchema, takesDebits: z.boolean(), today: dateTextSchema.nullable() })),
  secondPerson: z.array(textSchema).meta({ description: "The decisions that need a second person." }),
});

const counted = z.strictObject({ count: countSchema, currency: currencyTextSchema.nullable(), sum: amountTextSchema.nullable() });

export const overviewSchema = z.strictObject({
  schema: z.literal("Overview"),
  asOf: asOfSchema,
  countedAt: countedAtSchema,
  heldCountedAt: countedAtSchema.meta({
    description: "When held debits, open items and transactions with dead letters were counted. null: not yet, and none is listed.",
  }),
  statesCountedAt: countedAtSchema.meta({
    description: "When the states of the days were counted: earlier where there is very much. null: not yet, and no state is listed.",
  }),
  days: z.array(
    z.strictObject({
      day: daySchema,
      zone: textSchema,
      isVoided: z.boolean(),
      window: z
        .strictObject({
          number: z.int().min(1),
          state: z.enum(["planned", "open", "closed", "missed"]),
          opens: nullableTimeSchema,
          closes: nullableTimeSchema,
        })
        .nullable()
        .meta({ description: "The open window, else the next one; null: none is ahead." }),
      reconciliation: nullableTimeSchema,
      reconciledAt: nullableTimeSchema,
      gatesOpen: countSchema,
      gatesClosed: z.array(
        z.strictObject({
          bank: textSchema,
          reason: textSchema,
          credits: countSchema.meta({ description: "Credits in front of it; 1,000 or more where there are so many." }),
        }),
      ),
      states: z.array(z.strictObject({ state: textSchema, ...counted.shape })),
    }),
  ),
  held: z.array(
    z.strictObject({
      bank: textSchema,
      day: daySchema,
      ...counted.shape,
      waitsFor: textSchema,
      why: textSchema,
      closes: nullableTimeSchema,
    }),
  ),
  undelivered: z.strictObject({
    waiting: countSchema,
    refused: countSchema,
    oldestSince: nullableTimeSchema,
    receivers: z.array(
      z.strictObject({
        bank: textSchema,
        state: receiverStateSchema,
        why: z.array(textSchema),
        waiting: countSchema,
        refused: countSchema,
        oldestSince: nullableTimeSchema,
        closes: nullableTimeSchema,
      }),
    ),
  }),
  paused: z
    .array(z.strictObject({ bank: textSchema, until: nullableTimeSchema, operator: textSchema }))
    .meta({ description: "Banks and connectors that an operator has paused; until null: somebody has to resume them." }),
  openItems: z.array(counted).meta({ description: "Transactions with an open reconciliation item, by currency." }),
  proposedItems: z.array(z.strictObject({ person: textSchema, count: countSchema })).meta({
    description:
      "Items whose resolution waits for a second person, by who proposed it; of the first 1,000 transactions, or of those of each scheme.",
  }),
  quarantined: countSchema.meta({ description: "Transactions with dead letters." }),
  deadLetters: bigNumberSchema.nullable().meta({
    description:
      "Records in the topic of dead letters, the replayed ones included; null for an operator of some schemes: nobody knows of which scheme each is.",
  }),
  proposals: countSchema.meta({
    description:
      "Decisions that wait for a second person; for an operator of some schemes the oldest ones that name 5,000 transactions at most.",
  }),
  services: z.array(
    z.strictObject({
      service: textSchema,
      partitions: countSchema,
      notOwned: countSchema.meta({ description: "Partitions that no process ever owned." }),
      lag: bigNumberSchema.meta({ description: "Records between positions and ends, of all partitions." }),
      lagMax: bigNumberSchema.meta({ description: "The largest of one partition." }),
    }),
  ),
});

const date = {
  date: dateTextSchema,
  version: nullableTextSchema.meta({ description: "The version of the calendar in force." }),
  closed: z
    .enum(["holiday", "weekday", "not-valid", "skipped-date", "missing-hour"])
    .nullable()
    .meta({ description: "Why it is no business date; null: it is one." }),
  name: nullableTextSchema.meta({ description: "Of the holiday." }),
  windows: z.array(z.strictObject({ number: z.int().min(1), opens: timeSchema, closes: timeSchema })),
  cutOff: nullableTimeSchema,
  reconciliation: nullableTimeSchema,
};

const datesSchema = z.strictObject({
  schema: z.literal("Calendar"),
  scheme: textSchema,
  zone: textSchema,
  takesDebits: z.boolean().meta({ description: "false: dates count, and there are no windows." }),
  rows: z.array(
    z.strictObject({
      ...date,
      isPlanned: z.boolean().meta({ description: "The journal has its plan: `GET /windows` shows it, with what was changed since." }),
    }),
  ),
});

const changedDate = z.strictObject(date).meta({ id: "CalendarDate" });
const change = z.enum(["removed", "times"]).meta({ description: "removed: it stops being a business date; times: it has others." });

const heldOnChangedDate = {
  bank: nullableTextSchema,
  businessDate: dateTextSchema,
  currency: currencyTextSchema,
  count: countSchema,
  sum: amountTextSchema,
  goesTo: dateTextSchema.nullable().meta({ description: "The date that they would have; null: there is none." }),
};

const dateDifferencesSchema = z.strictObject({
  schema: z.literal("CalendarDifference"),
  scheme: textSchema,
  zone: textSchema,
  from: dateTextSchema,
  to: dateTextSchema,
  rows: z.array(z.strictObject({ date: dateTextSchema, change, before: changedDate, after: changedDate })),
  held: z
    .array(z.strictObject({ ...heldOnChangedDate, change }))
    .meta({ description: "Held debits on dates that change, also on later ones." }),
});

const fileDifferencesSchema = z.strictObject({
  schema: z.literal("CalendarFileDifference"),
  from: dateTextSchema,
  to: dateTextSchema,
  problems: z
    .array(
      z.strictObject({
        line: z.int().min(1).nullable().meta({ description: "Line of the file; null: all of it is meant." }),
        path: textSchema.meta({ description: "Of the member, such as `schemes[0].calendar`; empty: all of it is meant." }),
        text: textSchema,
      }),
    )
    .meta({ description: "What is wrong with the file, the first 100; then nothing is compared. It never repeats a value." }),
  schemes: z
    .array(
      z.strictObject({
        scheme: textSchema,
        isIn: z.enum(["both", "force", "file"]).meta({ description: "force: the file does not have it; file: it is not in force." }),
        zone: nullableTextSchema.meta({ description: "Of what is in force; null: it does not have the scheme." }),
        zoneInFile: nullableTextSchema,
        rows: z
          .array(
            z.strictObject({
              date: dateTextSchema,
              change: z.enum(["added", "removed", "times"]).meta({
                description: "added: it becomes a business date; removed: it stops being one; times: it has others.",
              }),
              before: changedDate,
              after: changedDate,
            }),
          )
          .meta({ description: "Dates that change." }),
      }),
    )
    .meta({ description: "Every scheme of either side." }),
  held: z
    .array(
      z.strictObject({
        scheme: textSchema,
        ...heldOnChangedDate,
        change: z.enum(["removed", "times", "scheme-removed"]).meta({ description: "scheme-removed: the file does not have the scheme." }),
      }),
    )
    .meta({ description: "Held debits that would move or get other times, also on dates after `to`." }),
});

const trend = z
  .strictObject({
    perMinute: z.number().meta({ description: "By how many it falls; negative: it rises." }),
    emptyAt: nullableTimeSchema.meta({ description: "When it is 0 at this rate; null: it does not fall." }),
  })
  .nullable()
  .meta({ id: "Trend", description: "Of the last five minutes; null: not known yet." });

const dayOutlookSchema = z.strictObject({
  schema: z.literal("DayOutlook"),
  asOf: asOfSchema,
  heldCountedAt: countedAtSchema,
  day: daySchema,
  held: countSchema,
  rows: z.array(z.strictObject({ bank: textSchema, ...counted.shape, waitsFor: textSchema, why: textSchema })),
  trend,
  windowCloses: nullableTimeSchema.meta({ description: "Of the last window; null: it has none." }),
  reconciliationCloses: timeSchema,
  finish: z.enum(["nothing-held", "not-known", "does-not-fall", "before-window-close", "after-window-close", "after-reconciliation-close"]),
});

const rate = countSchema.nullable().meta({ description: "In the minute before; null: not known, or not of one bank." });

const quarter = timeSchema.meta({ description: "Begin of the quarter of an hour; one without anything is left out." });

const history = z
  .strictObject({
    since: nullableTimeSchema.meta({ description: "Since when this console looks; at most a day. null: it has not begun." }),
    isWhole: z.boolean().meta({ description: "false: there are more addresses than are kept, and some are left out." }),
    addresses: z.array(
      z.strictObject({
        operation: textSchema.meta({ description: "What is sent there; `events`: postings of events." }),
        service: learntService,
        url: nullableTextSchema.meta({ description: "As configured now; null: it is not configured any more." }),
        slots: z.array(
          z.strictObject({
            from: quarter,
            acknowledged: countSchema.meta({ description: "Acknowledgements that were looked at; under load a sample." }),
            p50Ms: countSchema.meta({ description: "Within this, half of them came; at most a tenth and 1 ms too large." }),
            p99Ms: countSchema.meta({ description: "Within this, 99 of 100 came." }),
          }),
        ),
      }),
    ),
    limits: z
      .array(
        z.strictObject({
          service: learntService,
          address: textSchema.meta({ description: "Scheme, host and port." }),
          connections: countSchema.nullable().meta({ description: "Requests at once, as configured now; null: it is not any more." }),
          slots: z.array(
            z.strictObject({
              from: quarter,
              concurrency: countSchema.meta({ description: "The fewest requests at once that it was given." }),
              breakerOpenSeconds: countSchema,
              retryAfterSeconds: countSchema.meta({ description: "For how long it asked to wait." }),
            }),
          ),
        }),
      )
      .meta({ description: "Addresses that something limited, as seen every 10 s." }),
  })
  .meta({ id: "AddressHistory", description: "A day of the addresses of a receiver, in quarters of an hour, the oldest first." });

export const seriesSchema = z.strictObject({
  schema: z.literal("Series"),
  asOf: asOfSchema,
  bank: nullableTextSchema.meta({ description: "null: all." }),
  since: nullableTimeSchema.meta({ description: "Since when this console looks; at most four hours." }),
  points: z.array(
    z.strictObject({
      at: timeSchema,
      accepted: rate,
      delivered: rate,
      held: countSchema,
      waiting: countSchema.meta({ description: "Messages that are not acknowledged." }),
      medianMs: countSchema.nullable().meta({ description: "Within this, half of them were acknowledged; null: none." }),
      slowMs: countSchema.nullable().meta({ description: "Within this, 95 of 100 were." }),
    }),
  ),
  breakerChanges: z
    .array(
      z.strictObject({
        at: timeSchema,
        bank: textSchema,
        service: textSchema,
        address: textSchema,
        isOpen: z.boolean(),
        reason: nullableTextSchema.meta({ description: "Why it opened; null: it closed." }),
      }),
    )
    .meta({ description: "When breakers opened and closed in the last 24 hours, the newest 20 of each address, the oldest first." }),
  history: history.nullable().meta({ description: "Of one bank or connector; null: of all." }),
  heldTrend: trend,
  waitingTrend: trend,
});

export const waitingSchema = z
  .strictObject({
    for: z.enum([
      "verdict",
      "delivery",
      "redrive",
      "day-not-planned",
      "day-over",
      "no-window-ahead",
      "bank-paused",
      "window",
      "gate",
      "turn",
      "report",
      "person",
      "second-person",
      "replay",
    ]),
    why: textSchema,
    since: nullableTimeSchema,
    nextAttempt: nullableTimeSchema.meta({ description: "Of a delivery; null: none is scheduled." }),
    until: nullableTimeSchema.meta({ description: "When the wait ends at the latest; null: nothing ends it by itself." }),
    // oxlint-disable-next-line unicorn/no-thenable -- a schema of a text is no function
    then: textSchema.meta({ description: "What comes next." }),
  })
  .meta({ id: "Waiting", description: "What it waits for; null: for nothing." });

export const allowedActionSchema = z
  .strictObject({
    name: z.enum([
      "withdrawDebit",
      "redriveDelivery",
      "stopDelivery",
      "resolveItem",
      "confirmResolution",
      "rejectResolution",
      "replayTransaction",
    ]),
    isAllowed: z.boolean().meta({ description: "As things stand, and with the roles of who asks." }),
    whyNot: nullableTextSchema,
    needsSecondPerson: z.boolean(),
    about: nullableTextSchema.meta({
      description: "What its body has to name: the identification of the refused, stopped or awaited delivery, or the day of the item.",
    }),
  })
  .meta({ id: "AllowedAction" });

export const calendarAnswers = {
  listCalendar: datesSchema,
  compareCalendar: dateDifferencesSchema,
  compareCalendarFile: fileDifferencesSchema,
  showDayOutlook: dayOutlookSchema,
} as const;
