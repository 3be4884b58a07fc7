import { readFileSync } from "node:fs";
import {
  readCreditsFinal,
  readCreditTransfer,
  readDirectDebit,
  readStatusReport,
  servedOperations,
  type ReadResult,
  type ServedOperationName,
} from "@sluice/contracts";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { createDocumentCheck, readOpenApi } from "./check/document-check.ts";
import { resolveReferences } from "./check/resolve-references.ts";
import { documentedErrors, errorsFor } from "./openapi/errors.ts";
import { buildReceivedExamples } from "./examples/examples.ts";
import { buildSentExamples } from "./examples/sent-examples.ts";
import { deliveries } from "./openapi/deliveries.ts";
import { messageNames, messageSchemaFile } from "./schemas/json-schemas.ts";
import { buildOpenApiDocument } from "./openapi/openapi.ts";
import { buildProvokingBody } from "./examples/provoking-body.ts";
import { readDocument } from "./read-document.ts";

const document = readOpenApi();
const check = createDocumentCheck(document);

const readers: Readonly<Record<string, (bytes: Uint8Array) => ReadResult<unknown>>> = {
  DirectDebit: readDirectDebit,
  CreditTransfer: readCreditTransfer,
  PaymentStatusReport: readStatusReport,
  CreditsFinal: readCreditsFinal,
};

function read(operation: ServedOperationName, text: string): ReadResult<unknown> {
  const body = servedOperations.find(({ name }) => name === operation)?.body ?? "";
  const reader = readers[body];
  if (reader === undefined) throw new Error(`${operation} takes no body`);
  return reader(new TextEncoder().encode(text));
}

interface Found {
  readonly at: string;
  readonly schema: object;
  readonly value: unknown;
}

/** Lists every example next to a schema, in any part of the document. */
function findExamples(part: unknown, at: string): readonly Found[] {
  if (typeof part !== "object" || part === null) return [];
  const { schema, examples, example }: { schema?: object; examples?: Record<string, { value?: unknown }>; example?: unknown } = part;
  const own =
    schema === undefined ? [] : Object.entries(examples ?? {}).map(([name, one]) => ({ at: `${at} ${name}`, schema, value: one.value }));
  const single = schema === undefined || example === undefined ? [] : [{ at, schema, value: example }];
  return [
    ...own,
    ...single,
    ...Object.entries(part).flatMap(([name, inner]) => (name === "examples" ? [] : findExamples(inner, `${at}/${name}`))),
  ];
}

describe("examples of the OpenAPI document", () => {
  test("both webhooks of a connector show an outcome that people found out, and say that it follows [D9 resolution]", () => {
    const sent = buildSentExamples();
    for (const name of ["schemeInboundDirectDebitResponse", "schemeInboundCreditTransferAuthorizationResponse"] as const) {
      expect(sent[name].map((example) => example.name)).toContain("resolved");
      const { description } = deliveries.find((delivery) => delivery.name === name)!;
      expect(description).toMatch(/people (have found|find) out/);
      expect(description).not.toContain("no other outcome follows");
    }
  });

  const whole = resolveReferences(document);
  const found = findExamples(whole, "");

  test("fit the schemas next to them", () => {
    expect(found.length).toBeGreaterThan(60);
    expect(found.flatMap(({ at, schema, value }) => check.checkFit(schema, value).map((text) => `${at}: ${text}`))).toEqual([]);
  });

  test("exist for every body of a request, of a delivery and of an error", () => {
    const bare: string[] = [];
    for (const [path, item] of Object.entries({ ...whole.paths, ...whole.webhooks })) {
      for (const { requestBody, responses } of Object.values(item)) {
        if (requestBody !== undefined && !found.some(({ at }) => at.includes(`${path}/post/requestBody`))) bare.push(path);
        if (!(path in whole.paths)) continue;
        for (const [status, { content }] of Object.entries(responses)) {
          const isShown = found.some(({ at }) => at.includes(`/paths/${path}/`) && at.includes(`/responses/${status}/`));
          if (content !== undefined && !isShown) bare.push(`${path} ${status}`);
        }
      }
    }
    expect(bare).toEqual([]);
  });

  test("keep the digits of amounts", () => {
    expect(readFileSync(new URL("../../docs/api/openapi.yaml", import.meta.url), "utf8")).toContain("value: 1250.50,");
  });
});

describe("the document agrees with the code", () => {
  const withBodies = servedOperations.filter(({ body }) => body !== null);

  test.each(withBodies.map(({ name }) => name))("%s: its examples are accepted by the reader", (name) => {
    const examples = buildReceivedExamples(name);
    expect(examples.length).toBeGreaterThan(0);
    for (const { value } of examples) expect(read(name, JSON.stringify(value))).toMatchObject({ ok: true });
  });

  const refusals = documentedErrors.flatMap((error) =>
    withBodies
      .filter(({ name }) => (error.status === 400 || error.status === 422) && errorsFor(name).includes(error))
      .map(({ name }) => ({ name: error.name, operation: name, error })),
  );

  test.each(refusals.filter(({ error }) => !error.isByIngress))(
    "$name of $operation is refused by the reader with this text",
    (refusal) => {
      const { status, message, detail } = refusal.error;
      const reading = read(refusal.operation, buildProvokingBody(refusal.operation, refusal.error));
      expect(reading).toEqual({ ok: false, status, error: { schema: "ErrorDetail", message, detail } });
    },
  );

  test.each(refusals.filter(({ error }) => error.isByIngress))("$name of $operation is left to ingress by the reader", (refusal) => {
    expect(read(refusal.operation, buildProvokingBody(refusal.operation, refusal.error)).ok).toBe(true);
  });

  test("every shape and every member of one has a description", () => {
    const silent = Object.entries(document.components.schemas).flatMap(([shape, schema]) => {
      const { description, properties = {} }: { description?: string; properties?: Record<string, object> } = schema;
      const members = Object.entries(properties).filter(([, member]) => !("description" in member) && !("$ref" in member));
      // A form of texts is described where a member has it.
      const isTextForm = /^(Max\d+\w*|Uuid|DateTime)$/.test(shape);
      return [...(description === undefined && !isTextForm ? [shape] : []), ...members.map(([name]) => `${shape}.${name}`)];
    });
    expect(silent).toEqual([]);
  });

  test("three intermediary agents are taken, a fourth is refused, by the document as by the reader [8 intermediary-agents]", () => {
    const debit = buildProvokingBody("outboundDirectDebit", { provoke: null });
    const withAgents = (count: number): string =>
      buildProvokingBody("outboundDirectDebit", {
        provoke: { change: [["/intermediaryAgents", JSON.stringify(Array.from({ length: count }, () => ({ memberId: "632005" })))]] },
      });
    const judged = [debit, withAgents(3), withAgents(4)].map((text) => [
      read("outboundDirectDebit", text).ok,
      check.checkFit({ $ref: "#/components/schemas/DirectDebit" }, JSON.parse(text)).length === 0,
    ]);
    expect(judged).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
  });

  test("the mandate is described as subject to change, and is optional as a whole and in each member [9.2] [D11.5]", () => {
    const { MandateInformation: mandate, DirectDebit: debit } = document.components.schemas;
    expect(Reflect.get(Object(mandate), "description")).toContain("may change in a minor version");
    expect(Reflect.get(Object(mandate), "required")).toBeUndefined();
    expect(Reflect.get(Object(debit), "required")).not.toContain("mandateInformation");
  });

  const { info: about }: { readonly info: { readonly description: string } } = JSON.parse(readDocument("openapi"));
  const guide = about.description.replaceAll(/\s+/g, " ");

  test.each([
    ["a bank goes on repeating before it treats a debit as failed [D3.7]", "In all three cases send the same bytes again"],
    ["after three repeats it waits as Retry-After says, or 60 s, until its cut-off [D3.8]", "every 60 seconds: a debit until its cut-off"],
    [
      "it concludes something only from a time that is later than its last attempt and 60 s [D3.12]",
      "only a 404 whose `notKnownAsOf` is later than your last attempt plus 60 seconds proves",
    ],
    ["a client that is generated from the document reads leniently [D11.13]", "have a generated client read leniently"],
    ["an optional member is left out", "An optional member is left out, never `null`"],
  ])("the guide says what only its reader can do: %s", (_, text) => {
    expect(guide).toContain(text);
  });

  test.each(["DirectDebit", "CreditTransfer", "PaymentStatusReport"])("the schema %s refuses unknown members [D11.13]", (name) => {
    expect(Reflect.get(Object(Reflect.get(document.components.schemas, name)), "additionalProperties")).toBe(false);
  });

  test("an answer above a caller's share says what the share is [D10.10] [D10.11]", () => {
    expect(JSON.stringify(Reflect.get(document.components, "responses"))).toContain("500 requests a second and 64 connections unless");
  });

  test("every operation that callers may use is in the document, at all its addresses", () => {
    const said = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(said.toSorted()).toEqual(servedOperations.flatMap(({ method, paths }) => paths.map((path) => `${method} ${path}`)).toSorted());
  });

  test.each(["openapi", "control"] as const)("the document %s is about Sluice [D1.1]", (name) => {
    const { info }: { readonly info: { readonly title: string } } = JSON.parse(readDocument(name));
    expect(info.title).toMatch(/^Sluice\b/);
  });

  test("the document's text is JSON of its parts, and every reference has a target", () => {
    const text = JSON.stringify(buildOpenApiDocument());
    const names = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)].map(([, kind = "", name = ""]) => [kind, name] as const);
    expect(names.length).toBeGreaterThan(200);
    expect(names.filter(([kind, name]) => Reflect.get(Object(Reflect.get(document.components, kind)), name) === undefined)).toEqual([]);
  });
});

describe("JSON Schemas", () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  addFormats.default(ajv);

  test.each(messageNames)("%s fits the meta-schema, has an id, and is self-contained", (name) => {
    const schema = messageSchemaFile(name);
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(schema["$id"]).toBe(`urn:sluice:schema:${name}:1`);
    expect(() => ajv.compile(schema)).not.toThrow();
  });

  test("read the samples", () => {
    const sample: unknown = JSON.parse(readFileSync(new URL("../../data/messages/outbound-direct-debit.json", import.meta.url), "utf8"));
    const validate = ajv.getSchema("urn:sluice:schema:DirectDebit:1") ?? ajv.compile(messageSchemaFile("DirectDebit"));
    expect(validate(sample)).toBe(true);
    expect(validate({ ...Object(sample), extra: 1 })).toBe(false);
  });
});
