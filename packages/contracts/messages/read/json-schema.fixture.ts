// Test fixture: checks a body against the published JSON Schemas with a standard validator.

import { Ajv2020 } from "ajv/dist/2020.js";
import { messageJsonSchema, type MessageSchemaName } from "./message-schemas.ts";

const ajv = new Ajv2020({ allowUnionTypes: true });
ajv.addFormat("date", /^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/);
ajv.addFormat("date-time", /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$/);
ajv.addFormat("uuid", /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/);

const validators = new Map<MessageSchemaName, ReturnType<typeof ajv.compile>>();

/** Returns the first reason why the body does not fit; null where it fits. */
export function findSchemaMisfit(name: MessageSchemaName, body: Uint8Array | string): string | null {
  const known = validators.get(name) ?? ajv.compile(messageJsonSchema(name));
  validators.set(name, known);
  const value: unknown = JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body));
  if (known(value)) return null;
  const [first] = known.errors ?? [];
  return `${first?.instancePath ?? ""} ${first?.message ?? ""}`;
}
