// What a bank may ask of the console: parameters and answers.

import type { ServedOperationName } from "@sluice/contracts";
import { documentedErrors, errorBody, type DocumentedError } from "./errors.ts";

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
  schema: { type: "integer", minimum: 1, default: 1 },
  example: 4,
};

const status = {
  schema: "TransactionStatus",
  uetr: sampleUetr,
  state: "HELD",
  stageVersion: 4,
  businessDate: "2026-11-20",
  updatedAt: "2026-11-20T05:12:03.702Z",
};

const errors = documentedErrors.filter((error) => [401, 405, 408, 429, 431, 500, 503].includes(error.status));

export function statusQuestions(name: ServedOperationName, responseOf: (status: number, errors: readonly DocumentedError[]) => Part): Part {
  const isStatus = name === "transactionStatus";
  const statuses = [...new Set(errors.map((error) => error.status))];
  return {
    parameters: isStatus ? [uetr] : [uetr, from],
    responses: {
      "200": isStatus ? found("The state as it is now.", { $ref: "#/components/schemas/TransactionStatus" }, status) : events,
      "400": refused("The UETR or another parameter cannot be read.", { message: "Not a UETR", detail: "/uetr: must be a UUID" }),
      "404": refused("Not known, or not the caller's: no difference is made.", {
        message: "Not found",
        detail: "No transaction of yours has this UETR.",
        notKnownAsOf: "2026-11-20T05:13:20.000Z",
      }),
      ...Object.fromEntries(statuses.map((code) => [String(code), responseOf(code, errors)])),
    },
  };
}

const events = found(
  "The events from there on, in order; an empty list if there is none yet.",
  {
    type: "object",
    required: ["schema", "uetr", "events"],
    properties: {
      schema: { const: "TransactionEvents" },
      uetr: { type: "string", format: "uuid" },
      events: { type: "array", items: { $ref: "#/components/schemas/TransactionStateEvent" } },
    },
  },
  { schema: "TransactionEvents", uetr: sampleUetr, events: [] },
);

function found(description: string, schema: Part, value: Part): Part {
  return { description, content: { "application/json": { schema, examples: { found: { summary: "An answer", value } } } } };
}

function refused(
  description: string,
  { notKnownAsOf, ...error }: { readonly message: string; readonly detail: string; readonly notKnownAsOf?: string },
): Part {
  const value = { ...errorBody(error), ...(notKnownAsOf === undefined ? {} : { notKnownAsOf }) };
  const content = { schema: { $ref: "#/components/schemas/ErrorDetail" }, examples: { refused: { summary: error.message, value } } };
  return { description, content: { "application/json": content } };
}
