// Checks real requests and answers against the committed OpenAPI document: for the tests of both sides.
//
// #1 A body is checked by a standard validator (ajv), not by the readers that the document was made from.
// #2 What the document does not name is a complaint: an address, a status, a missing header.

import { deliveryHeaders } from "@sluice/contracts";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { readDocument } from "../read-document.ts";

export interface ObservedExchange {
  readonly method: string;
  readonly path: string;
  /** Null: no body was sent. */
  readonly body: Uint8Array | null;
  /** Null: no answer came. */
  readonly status: number | null;
  /** The body of the answer; null: not known. */
  readonly answer?: Uint8Array | null;
}

interface DeliveredRequest {
  readonly receiver: "bank" | "connector";
  /** The path as the receiver sees it; only its last part counts. */
  readonly path: string;
  readonly body: Uint8Array;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | null;
}

export interface DocumentCheck {
  /** Checks a request to Sluice and its answer. Returns complaints, one sentence each. */
  checkServed(exchange: ObservedExchange): readonly string[];
  /** Checks a message that Sluice sent, and the answer to it. */
  checkDelivered(request: DeliveredRequest): readonly string[];
  /** Checks JSON against a schema of the document. */
  checkFit(schema: object, value: unknown): readonly string[];
}

interface Media {
  readonly schema: object;
}
interface Answer {
  readonly $ref?: string;
  readonly content?: { readonly "application/json"?: Media };
}
interface Body {
  readonly $ref?: string;
  readonly content?: { readonly "application/json": Media };
}
interface Operation {
  readonly tags: readonly string[];
  readonly description: string;
  readonly parameters?: readonly { readonly $ref?: string }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Answer>>;
}
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema: object;
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Answer>>;
    readonly requestBodies: Readonly<Record<string, Body>>;
  };
}

/** Headers of HTTP itself, and the bearer token, which is a security scheme of the document. */
const transportHeaders = ["authorization", "connection", "content-length", "host", "transfer-encoding"];

export function readOpenApi(): OpenApiDocument {
  const document: OpenApiDocument = JSON.parse(readDocument("openapi"));
  return document;
}

export function createDocumentCheck(document: OpenApiDocument = readOpenApi()): DocumentCheck {
  const fits = createValidator(document);

  function served({ method, path, body, status, answer }: ObservedExchange): readonly string[] {
    const operation = operationAt(document, method, path);
    if (operation === null) return status === 404 || status === 405 ? [] : [`${method} ${path} is not in the document`];
    const media = bodyOf(operation);
    const isTaken = status !== null && status < 300;
    const unfit = isTaken && media !== undefined && body !== null ? fits(media.schema, parsed(body)) : [];
    return [...unfit.map((text) => `${path} took a body that does not fit: ${text}`), ...answered(operation, path, status, answer)];
  }

  function bodyOf({ requestBody }: Operation): Media | undefined {
    const found = requestBody?.$ref === undefined ? requestBody : document.components.requestBodies[lastPart(requestBody.$ref)];
    return found?.content?.["application/json"];
  }

  function answered(operation: Operation, path: string, status: number | null, body: Uint8Array | null = null): readonly string[] {
    if (status === null) return [];
    const found = operation.responses[String(status)] ?? operation.responses[`${String(status).charAt(0)}XX`];
    if (found === undefined) return [`${path} answered ${status}, which the document does not name`];
    if (body === null) return [];
    const { content } = found.$ref === undefined ? found : (document.components.responses[lastPart(found.$ref)] ?? found);
    const media = content?.["application/json"];
    if (media === undefined) return body.byteLength === 0 ? [] : [`${path} answered ${status} with a body`];
    return fits(media.schema, parsed(body)).map((text) => `${path} answered ${status} with a body that does not fit: ${text}`);
  }

  function delivered({ receiver, path, body, headers, status }: DeliveredRequest): readonly string[] {
    const operation = Object.values(document.webhooks)
      .map(({ post }) => post)
      .find(
        ({ tags, description }) => tags.some((tag) => tag.endsWith(receiver)) && /`POST \{[^}]*\}([^`]*)`/.exec(description)?.[1] === path,
      );
    if (operation === undefined) return [`a ${receiver} is not said to serve ${path}`];
    const media = bodyOf(operation);
    const unfit = media === undefined ? [] : fits(media.schema, parsed(body));
    return [
      ...unfit.map((text) => `${path} was sent a body that does not fit: ${text}`),
      ...[...checkHeaders(operation, headers), ...unknownHeaders(operation, headers)].map((text) => `${path}: ${text}`),
      ...answered(operation, path, status),
    ];
  }

  function checkHeaders({ parameters = [] }: Operation, headers: Readonly<Record<string, string>>): readonly string[] {
    return parameters.flatMap(({ $ref = "" }) => {
      const parameter = document.components.parameters[lastPart($ref)];
      if (parameter === undefined || parameter.in !== "header") return [];
      const value = headers[parameter.name];
      if (value === undefined) return parameter.required === true ? [`header ${parameter.name} is missing`] : [];
      return fits(parameter.schema, value).map((text) => `header ${parameter.name}: ${text}`);
    });
  }

  function unknownHeaders({ parameters = [] }: Operation, headers: Readonly<Record<string, string>>): readonly string[] {
    const named = parameters.map(({ $ref = "" }) => document.components.parameters[lastPart($ref)]?.name);
    const known = new Set([...named, ...Object.keys(deliveryHeaders), ...transportHeaders]);
    return Object.keys(headers).flatMap((name) => (known.has(name) ? [] : [`header ${name} is not in the document`]));
  }

  return { checkServed: served, checkDelivered: delivered, checkFit: fits };
}

function createValidator({ components }: OpenApiDocument): DocumentCheck["checkFit"] {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: false });
  addFormats.default(ajv);
  const inDefinitions = (schema: object): string => JSON.stringify(schema).replaceAll("#/components/schemas/", "document#/$defs/");
  const $defs: unknown = JSON.parse(inDefinitions(components.schemas));
  ajv.addSchema({ $id: "document", $defs });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = inDefinitions(schema);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? "does not fit"}`);
  };
}

function operationAt({ paths }: OpenApiDocument, method: string, path: string): Operation | null {
  const bare = path.replace(/\?.*$/, "");
  const found = Object.keys(paths).find((known) => new RegExp(`^${known.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(bare));
  return found === undefined ? null : (paths[found]?.[method.toLowerCase()] ?? null);
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function lastPart(ref: string): string {
  return ref.split("/").at(-1) ?? "";
}
