// Builds the OpenAPI 3.1 document: `paths` is what Sluice serves, `webhooks` what a bank or a connector must serve,
// over the same schemas. It is one document, because both halves share their messages and a bank needs both.
//
// #1 Operations come from contracts' table, schemas from contracts' readers, examples from the samples and from the
//    functions that make messages. This file only puts them together.

import { deliveryHeaders, servedOperations, type DeliveryHeader, type ServedOperation, type ServedOperationName } from "@sluice/contracts";
import { answersToDeliveries, deliveries, type DocumentedDelivery } from "./deliveries.ts";
import { documentedErrors, errorBody, errorsFor, type DocumentedError } from "./errors.ts";
import { buildReceivedExamples, type Example } from "../examples/examples.ts";
import { buildGuideText } from "./guide-text.ts";
import { namedSchemas } from "../schemas/json-schemas.ts";
import { operationTexts, tags, tagTexts } from "./operation-texts.ts";
import { openApiKinds, shareParts } from "../shared-parts.ts";
import { statusQuestions } from "./questions.ts";
import { buildSentExamples } from "../examples/sent-examples.ts";

type Part = Readonly<Record<string, unknown>>;

/** The version of the document; the paths carry the interface's version. */
export const documentVersion = "1.0.0";

export function buildOpenApiDocument(): Part {
  return shareParts(buildWholeDocument(), openApiKinds);
}

function buildWholeDocument(): Part {
  return {
    openapi: "3.1.1",
    info: {
      title: "Sluice",
      version: documentVersion,
      summary: "Direct debits and credits between a bank and a payment scheme.",
      description: buildGuideText(),
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [
      {
        url: "https://{address}",
        description: "Where Sluice is reached; the operator says it.",
        variables: { address: { default: "sluice.bank.internal", description: "Host, and port where it is not 443." } },
      },
    ],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([key, name]) => ({ name, description: Reflect.get(tagTexts, key) })),
    paths: paths(),
    webhooks: webhooks(),
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description:
            "A token of the caller. Two may be valid at a time, so that one can replace the other. Of a webhook: what Sluice was given to call you with; none, if nothing was agreed on.",
        },
        clientCertificate: {
          type: "mutualTLS",
          description: "Of a webhook: the certificate that Sluice shows you, if you have agreed on one.",
        },
      },
      schemas: namedSchemas((name) => `#/components/schemas/${name}`),
      parameters,
      headers: { "Retry-After": retryAfter },
      responses: sharedResponses(),
      examples: Object.fromEntries(documentedErrors.map((error) => [error.name, { summary: error.summary, value: errorBody(error) }])),
    },
  };
}

function paths(): Part {
  return Object.fromEntries(
    servedOperations.flatMap((operation: ServedOperation & { readonly name: ServedOperationName }) =>
      operation.paths.map((path, place) => [path, { [operation.method.toLowerCase()]: served(operation, place) }]),
    ),
  );
}

function served(operation: ServedOperation & { readonly name: ServedOperationName }, place: number): Part {
  const { name, body } = operation;
  const text = operationTexts[name];
  const alias = place === 0 ? "" : `\n\nAn alias of \`${operation.paths[0]}\`, answered in the same way.`;
  const head = {
    operationId: place === 0 ? name : `${name}Alias`,
    tags: [tags[text.tag]],
    summary: text.summary,
    description: `${text.description}${alias}`,
  };
  if (body === null) return { ...head, tags: [tags.bankCalls, tags.connectorCalls], ...statusQuestions(name, buildResponse) };
  return {
    ...head,
    parameters: [{ $ref: "#/components/parameters/traceparent" }],
    requestBody: { required: true, content: json(body, buildReceivedExamples(name)) },
    responses: {
      "202": { description: "Stored durably, or a repeat of what was. The body is empty." },
      ...Object.fromEntries(listStatuses(errorsFor(name)).map((status) => [String(status), buildResponse(status, errorsFor(name))])),
    },
  };
}

function webhooks(): Part {
  const examples = buildSentExamples();
  return Object.fromEntries(deliveries.map((delivery) => [delivery.name, { post: delivered(delivery, examples[delivery.name]) }]));
}

function delivered(delivery: DocumentedDelivery, examples: readonly Example[]): Part {
  const base = delivery.name === "events" ? "{events address}" : "{base address}";
  const answers =
    delivery.name === "events"
      ? [{ status: "2XX", description: "Taken. The body is not read." }, ...answersToDeliveries.slice(1)]
      : answersToDeliveries;
  return {
    operationId: `deliver-${delivery.name}`,
    tags: [tags[delivery.tag]],
    summary: delivery.summary,
    description: `\`POST ${base}${delivery.path}\`\n\n${delivery.description}`,
    security: [{ bearer: [] }, { clientCertificate: [] }, { bearer: [], clientCertificate: [] }, {}],
    parameters: listSentParameters(delivery.name === "events"),
    requestBody: { required: true, content: jsonContent(bodySchema(delivery.bodies), examples) },
    responses: Object.fromEntries(
      answers.map((answer) => [
        answer.status,
        {
          description: answer.description,
          ...("isRetryable" in answer ? { headers: { "Retry-After": { $ref: "#/components/headers/Retry-After" } } } : {}),
          ...(answer.status.startsWith("2") ? {} : { content: jsonContent({ $ref: "#/components/schemas/ErrorDetail" }, []) }),
        },
      ]),
    ),
  };
}

function bodySchema(bodies: readonly string[]): Part {
  const refs = bodies.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 ? { ...refs[0] } : { oneOf: refs };
}

// ---- answers

const ownResponses = new Set([400, 403, 422]);

function sharedResponses(): Part {
  const shared = listStatuses(documentedErrors).filter((status) => !ownResponses.has(status));
  return Object.fromEntries(shared.map((status) => [`Status${status}`, responseBody(status, documentedErrors)]));
}

function listStatuses(errors: readonly DocumentedError[]): readonly number[] {
  return [...new Set(errors.map(({ status }) => status))].toSorted((a, b) => a - b);
}

function buildResponse(status: number, errors: readonly DocumentedError[]): Part {
  return ownResponses.has(status) ? responseBody(status, errors) : { $ref: `#/components/responses/Status${status}` };
}

function responseBody(status: number, errors: readonly DocumentedError[]): Part {
  const examples = errors.filter((error) => error.status === status);
  const headers = {
    ...(status === 429 || status === 503 ? { "Retry-After": { $ref: "#/components/headers/Retry-After" } } : {}),
    ...(status === 401 ? { "WWW-Authenticate": { description: "Bearer, or Signature with the reason.", schema: { type: "string" } } } : {}),
    ...(status === 405 ? { Allow: { description: "What may be used instead.", schema: { type: "string" } } } : {}),
  };
  return {
    description: statusTexts[status] ?? "An error.",
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/ErrorDetail" },
        examples: Object.fromEntries(examples.map(({ name }) => [name, { $ref: `#/components/examples/${name}` }])),
      },
    },
  };
}

const statusTexts: Readonly<Record<number, string>> = {
  400: "Not JSON, or not the schema. Nothing is stored; the same bytes will be refused again.",
  401: "No bearer token, or one that is not known or has ended; or not the client certificate that the caller is bound to; or not the signature that it must make.",
  403: "This caller may not send this.",
  404: "There is no such address, or no such transaction of the caller's.",
  405: "The address does not take this method.",
  408: "The request did not come in time. It may be sent again.",
  411: "The body's length was not announced.",
  413: "The body is larger than 256 KiB.",
  415: "Not application/json in UTF-8, or a content-encoding.",
  422: "Well-formed, and cannot be processed: the examples say why. Nothing is stored.",
  429: "More than the caller's share: 500 requests a second and 64 connections unless configured otherwise. Send it again when `Retry-After` is over.",
  431: "The headers are larger than 16 KiB.",
  500: "A fault of Sluice's own. The message may be stored; send it again.",
  503: "Not now. The message may be stored; send it again when `Retry-After` is over.",
};

// ---- bodies and headers

function json(schema: string, examples: readonly Example[]): Part {
  return jsonContent({ $ref: `#/components/schemas/${schema}` }, examples);
}

function jsonContent(schema: Part, examples: readonly Example[]): Part {
  const shown = Object.fromEntries(examples.map(({ name, summary, value }) => [name, { summary, value }]));
  return { "application/json": { schema, ...(examples.length === 0 ? {} : { examples: shown }) } };
}

const retryAfter = { description: "Seconds to wait before sending again.", schema: { type: "integer", minimum: 1, maximum: 900 } };

const traceparent = { in: "header", name: "traceparent", example: deliveryHeaders.traceparent.parameter.example } as const;

/** The documented headers of deliveries, by the name of their component. */
const sent = Object.entries<DeliveryHeader>(deliveryHeaders).flatMap(([name, { when, parameter }]) =>
  // Callers may send a trace context too: the other parameter of this name.
  parameter === null ? [] : [{ key: name.startsWith("trace") ? `${name}-sent` : name, name, when, parameter }],
);

function listSentParameters(isEvent: boolean): readonly Part[] {
  const rows = sent.filter(({ when }) => isEvent || !when.endsWith("event"));
  return rows.map(({ key }) => ({ $ref: `#/components/parameters/${key}` }));
}

const parameters = {
  traceparent: {
    ...traceparent,
    description: "W3C trace context. Optional; one that cannot be read is ignored.",
    schema: { type: "string" },
  },
  ...Object.fromEntries(
    sent.map(({ key, name, when, parameter: { meaning, schema, example } }) => [
      key,
      { in: "header", name, required: when === "always", description: meaning, schema, example },
    ]),
  ),
};
