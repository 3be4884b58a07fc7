// The questions that a bank may ask the console: parameters and answers.

import type { ServedOperationName } from "@sluice/contracts";
import { errorBody, errorsFor, type DocumentedError } from "./errors.ts";
import { buildSentExamples } from "../examples/sent-examples.ts";

type Part = Readonly<Record<string, unknown>>;

const sampleUetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const uetr = {
  in: "path",
  name: "uetr",
  required: true,
  description: "Of the transaction, in any case.",
  schema: { type: "string", format: "uuid" },
  example: sampleUetr,
};
const from = {
  in: "query",
  name: "from",
  required: false,
  description: "The first `stageVersion` that is wanted.",
  schema: { type: "integer", minimum: 1, maximum: 9999, default: 1 },
  example: 4,
};

const status = {
  schema: "TransactionStatus",
  uetr: sampleUetr,
  messageIdentification: "KAROO-20261120-000017",
  state: "HELD",
  stageVersion: 4,
  businessDate: "2026-11-20",
  updatedAt: "2026-11-20T05:12:03.702Z",
};

const instant = { type: "string", format: "date-time" };
const timeParameters = [
  {
    in: "query",
    name: "from",
    required: true,
    description: "Events that were made at this instant or later.",
    schema: instant,
    example: "2026-11-20T00:00:00+02:00",
  },
  {
    in: "query",
    name: "to",
    required: true,
    description: "And before this one, at most 31 days later.",
    schema: instant,
    example: "2026-11-21T00:00:00+02:00",
  },
  { in: "query", name: "after", required: false, description: "`next` of the page before.", schema: { type: "string" }, example: "3:4711" },
];

export function statusQuestions(name: ServedOperationName, responseOf: (status: number, errors: readonly DocumentedError[]) => Part): Part {
  const errors = errorsFor(name);
  const statuses = [...new Set(errors.map((error) => error.status))];
  const others = Object.fromEntries(statuses.map((code) => [String(code), responseOf(code, errors)]));
  if (name === "bankEvents") return { parameters: timeParameters, responses: { "200": eventsOfTime, ...others } };
  const isStatus = name === "transactionStatus";
  return {
    parameters: isStatus ? [uetr] : [uetr, from],
    responses: {
      "200": isStatus ? found("The state as it is now.", { $ref: "#/components/schemas/TransactionStatus" }, status) : events,
      "404": notKnown,
      ...others,
    },
  };
}

const notKnown = {
  description: "Not known, or not the caller's: no difference is made.",
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/ErrorDetail" },
      examples: {
        notKnown: {
          summary: "Nothing under this UETR up to that time",
          value: {
            ...errorBody({ message: "Not known", detail: "No transaction of yours has this UETR." }),
            notKnownAsOf: "2026-11-20T05:13:20.000Z",
          },
        },
      },
    },
  },
};

const eventBodies = {
  type: "array",
  items: { oneOf: [{ $ref: "#/components/schemas/TransactionStateEvent" }, { $ref: "#/components/schemas/EsmStateEvent" }] },
};
const webhookIds = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 35 },
  description: "The `webhook-id` of each of the events, in the same order: one that you were posted, too, has the same.",
};
const sampleEvents = {
  events: buildSentExamples()
    .events.slice(0, 1)
    .map(({ value }) => value),
  webhookIds: ["9f2c57a3a2e5f0b85b8d6a0b7d2f3c41"],
};

const events = found(
  "The postings from there on, in order: at most 20, or 1 MiB. Those that were or will be posted to the caller; an empty list if there are none.",
  {
    type: "object",
    required: ["schema", "uetr", "events", "webhookIds", "next"],
    properties: {
      schema: { const: "TransactionEvents" },
      uetr: { type: "string", format: "uuid" },
      events: eventBodies,
      webhookIds,
      next: {
        type: ["integer", "null"],
        minimum: 1,
        description: "The `from` to go on with, also where its event is not to be had yet; null: that is all for now.",
      },
    },
  },
  {
    schema: "TransactionEvents",
    uetr: sampleUetr,
    ...sampleEvents,
    next: 5,
  },
);

const eventsOfTime = found(
  "At most 100 postings of that time, or 1 MiB.",
  {
    type: "object",
    required: ["schema", "events", "webhookIds", "next"],
    properties: {
      schema: { const: "BankEvents" },
      events: eventBodies,
      webhookIds,
      next: { type: ["string", "null"], description: "Give it as `after` to go on; null: that is all." },
    },
  },
  { schema: "BankEvents", ...sampleEvents, next: "3:4711" },
);

function found(description: string, schema: Part, value: Part): Part {
  return { description, content: { "application/json": { schema, examples: { found: { summary: "An answer", value } } } } };
}
