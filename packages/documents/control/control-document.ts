// Builds the OpenAPI 3.1 document of the control API. It is for operators and separate from the interface's document,
// which banks get.
//
// #1 Operations, roles and parameters come from contracts' table, bodies from the schemas that read them, texts and
//    examples from `control-texts.ts` and `parameter-texts.ts`.

import {
  controlOperations,
  controlPrefix,
  secondPersonOperations,
  type ControlOperation,
  type ControlOperationName,
} from "@sluice/contracts";
import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { controlBodies, type ControlDecisionName } from "@sluice/contracts/decision-bodies";
import * as z from "zod";
import { openApiKinds, shareParts } from "../shared-parts.ts";
import { referTo, withoutId } from "../schemas/json-schemas.ts";
import type { JsonSchema } from "../schemas/member-docs.ts";
import { calendarFileExample, controlExamples } from "./control-examples.ts";
import { controlErrors, controlGuide, controlTexts, type ControlError } from "./control-texts.ts";
import { pathTexts, queryTexts } from "./parameter-texts.ts";

type Part = Readonly<Record<string, unknown>>;
type Operation = ControlOperation & { readonly name: ControlOperationName };

const version = "1.0.0";
const tags = { question: "Questions", decision: "Decisions" } as const;

export function buildControlDocument(): Part {
  return shareParts(buildWholeDocument(), openApiKinds);
}

function buildWholeDocument(): Part {
  const operations: readonly Operation[] = controlOperations;
  const paths = Map.groupBy(operations, ({ path }) => path);
  return {
    openapi: "3.1.1",
    info: {
      title: "Sluice control API",
      version,
      summary: "What operators ask and decide.",
      description: controlGuide,
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: `https://{address}${controlPrefix}`,
        description: "Where the console's control side is reached.",
        variables: { address: { default: "sluice-control.bank.internal", description: "Host, and port where it is not 443." } },
      },
    ],
    security: [{ bearer: [] }],
    tags: [
      { name: tags.question, description: "They change nothing. Role read." },
      { name: tags.decision, description: "Records of the journal. Role act, or approve." },
    ],
    paths: Object.fromEntries(
      [...paths].map(([path, ofPath]) => [path, Object.fromEntries(ofPath.map((one) => [one.method.toLowerCase(), described(one)]))]),
    ),
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "A token of an operator." } },
      schemas: schemas(),
      headers: { "Retry-After": { description: "Seconds to wait before asking again.", schema: { type: "integer", minimum: 1 } } },
      examples: Object.fromEntries(controlErrors.map((error) => [error.name, { summary: error.summary, value: buildErrorBody(error) }])),
    },
  };
}

function described(operation: Operation): Part {
  const { name, kind, role, summary } = operation;
  return {
    operationId: name,
    tags: [tags[kind]],
    summary,
    description: `${controlTexts[name]} Role: \`${role}\`.`,
    parameters: parametersFor(operation),
    ...(isDecision(name)
      ? { requestBody: { required: true, content: json(ref(bodyName(name)), { example: { value: controlExamples[name] } }) } }
      : {}),
    ...(operation.takesYaml === true ? { requestBody: { required: true, content: fileContent } } : {}),
    responses: {
      ...(isDecision(name) ? decidedAnswers(name) : { "200": answerFor(name) }),
      ...errorsFor(operation),
    },
  };
}

/** The body of a question about a file: YAML, of which JSON is a part. */
const fileContent = {
  "application/yaml": { schema: { type: "string" }, examples: { example: { value: calendarFileExample } } },
  "application/json": { schema: { type: "object" } },
};

function parametersFor({ kind, path, query }: Operation): readonly Part[] {
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({ name, in: "path", required: true, ...shown(pathTexts[name]) }));
  const asked = query.map((name) => ({ name, in: "query", required: false, ...shown(queryTexts[name]) }));
  const key = {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Id of the decision. Left out: one is made.",
    schema: { type: "string", minLength: 1, maxLength: 64 },
    example: "resolve-4711",
  };
  return [...parts, ...asked, ...(kind === "decision" ? [key] : [])];
}

function shown(text: { readonly description: string; readonly example: string } | undefined): Part {
  if (text === undefined) throw new Error("a parameter without words: parameter-texts.ts");
  return { description: text.description, schema: { type: "string" }, example: text.example };
}

function answerFor(name: ControlOperationName): Part {
  if (name === "showAction") return { description: "What became of it.", content: json(ref("Action")) };
  if (name === "streamOverview") {
    return {
      description: "Events `overview`, each with an overview as JSON.",
      content: { "text/event-stream": { schema: { type: "string" } } },
    };
  }
  if (name === "exportTransactions" || name === "exportActions") {
    return { description: "The file.", content: { "text/csv": { schema: { type: "string" } }, ...json(ref(answerName(name))) } };
  }
  if (name === "exportOwnEvents") {
    const text = { schema: { type: "string" } };
    return { description: "The file.", content: { "text/csv": text, "application/x-ndjson": text } };
  }
  if (name === "exportReconciliation") {
    const text = { schema: { type: "string" } };
    return { description: "The file.", content: { "text/csv": text, "application/xml": text, ...json(ref(answerName(name))) } };
  }
  return { description: "The answer.", content: json(ref(answerName(name))) };
}

const dryRuns: ReadonlySet<string> = new Set([
  "replayDeadLetter",
  "replayTransaction",
  "replayDeadLetters",
  "redriveBank",
  "eraseMonth",
  "withdrawDebits",
  "resolveItems",
  "confirmResolutions",
  "rejectResolutions",
  "pauseBanks",
  "resumeBanks",
]);

/** The answer that most decisions share. */
function decidedAnswers(name: ControlDecisionName): Part {
  const own = name in controlAnswers ? answerName(name) : "ActionAccepted";
  const schema = name in secondPersonOperations ? { anyOf: [ref(own), ref("DecisionProposed")] } : ref(own);
  const appended = { "202": { description: "Appended.", content: json(schema) } };
  const canBeDry = dryRuns.has(name);
  return canBeDry ? { "200": { description: "With isDryRun: what would be appended.", content: json(ref(own)) }, ...appended } : appended;
}

/** What every operation, or every one of its method, may be answered with stands once, as `default`. */
function errorsFor(operation: Operation): Part {
  const errors = controlErrors.filter((error) => belongs(error, operation));
  const byStatus = Map.groupBy(errors, ({ status }) => String(status));
  return {
    ...Object.fromEntries(
      [...byStatus].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([status, ofStatus]) => [status, buildResponse(ofStatus)]),
    ),
    default: buildResponse(controlErrors.filter(({ of }) => of === "all" || of === operation.kind || isAboutBody(of, operation))),
  };
}

function isAboutBody(of: ControlError["of"], { method }: Operation): boolean {
  return of === "body" && method === "POST";
}

function belongs({ of }: ControlError, { kind, path, role }: Operation): boolean {
  if (of === "all" || of === "question" || of === "decision" || of === "body") return false;
  return of === "approve"
    ? role === "approve"
    : path.includes(`{${of}}`) && (of === "uetr" || of === "bank" || of === "date" || kind === "decision");
}

function buildResponse(errors: readonly ControlError[]): Part {
  const isLater = errors.some(({ status }) => status === 429 || status === 503);
  return {
    description: errors.map(({ status, summary }) => `${status}: ${summary}.`).join(" "),
    ...(isLater ? { headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } } } : {}),
    content: json(ref("ErrorDetail"), Object.fromEntries(errors.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }]))),
  };
}

function buildErrorBody({ message, detail }: ControlError): Part {
  return { schema: "ErrorDetail", message, detail };
}

// ---- schemas

function schemas(): Part {
  const bodies = Object.entries(controlBodies).map(([name, schema]) => [
    bodyName(name),
    { description: "Body of the decision.", ...z.toJSONSchema(schema, { io: "input" }) },
  ]);
  const found = Object.entries(controlAnswers).map(([name, schema]) => [
    answerName(name),
    { description: "Answer.", ...answerSchema(schema) },
  ]);
  const proposed = { DecisionProposed: answerSchema(decisionProposedSchema) };
  const made: Readonly<Record<string, JsonSchema>> = {
    ...Object.fromEntries(bodies),
    ...answers,
    ...Object.fromEntries(found),
    ...proposed,
  };
  return withShapes(made);
}

/** Puts the shapes that several schemas have beside these. */
function withShapes(schemas: Readonly<Record<string, JsonSchema>>): Part {
  const flat: Record<string, JsonSchema> = {};
  for (const [name, { $schema: _draft, $defs, ...own }] of Object.entries(schemas)) {
    const shapes: Readonly<Record<string, JsonSchema>> = Object($defs);
    for (const [shape, schema] of Object.entries({ [name]: own, ...shapes })) {
      flat[shape] = referTo(withoutId(schema), (target) => `#/components/schemas/${target}`);
    }
  }
  return flat;
}

/** Leaves the document open for additional members, although the console's tests allow none. */
function answerSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "output",
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
}

function answerName(name: string): string {
  return `${bodyName(name)}Answer`;
}

function bodyName(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const text = { type: "string" };
const time = { type: "string", format: "date-time" };
const answers = {
  ErrorDetail: {
    type: "object",
    description: "Why not. It never repeats an account number or a name.",
    required: ["schema", "message", "detail"],
    properties: { schema: { const: "ErrorDetail" }, message: text, detail: text },
  },
  ActionAccepted: {
    type: "object",
    description: "The decision is in the journal.",
    required: ["schema", "action", "key", "partition", "offset", "appendedAt"],
    properties: {
      schema: { const: "ActionAccepted" },
      action: { ...text, description: "Its id." },
      key: { ...text, description: "What it is about: a UETR, scheme:date, or bank: and a bank's id." },
      partition: { type: "integer", minimum: 0 },
      offset: { ...text, pattern: "^[0-9]+$" },
      appendedAt: time,
    },
  },
  Action: {
    type: "object",
    description: "A decision and what became of it.",
    required: [
      "schema",
      "key",
      "id",
      "kind",
      "operator",
      "person",
      "reason",
      "requestedAt",
      "result",
      "why",
      "explained",
      "awaitsConfirmation",
      "at",
      "offset",
    ],
    properties: {
      schema: { const: "Action" },
      key: text,
      id: text,
      kind: { ...text, description: "Record of the journal." },
      operator: text,
      person: text,
      reason: text,
      requestedAt: time,
      result: { enum: ["applied", "ignored", "refused"] },
      why: { type: ["string", "null"], description: "A stable word; null where it was applied." },
      explained: { type: ["string", "null"], description: "The same in a sentence." },
      awaitsConfirmation: { type: "boolean", description: "It is the resolution of an item, and a second person has still to confirm it." },
      at: { ...time, description: "Append time of its record." },
      offset: text,
    },
  },
} as const;

function ref(name: string): Part {
  return { $ref: `#/components/schemas/${name}` };
}

function json(schema: Part, examples: Part = {}): Part {
  return { "application/json": { schema, ...(Object.keys(examples).length === 0 ? {} : { examples }) } };
}

function isDecision(name: string): name is ControlDecisionName {
  return name in controlBodies;
}
