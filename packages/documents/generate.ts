// Builds every document, by its path in the repository: tools/generate-documents.ts writes or compares them.

import { buildAsyncApiDocument } from "./asyncapi/asyncapi.ts";
import { buildControlDocument } from "./control/control-document.ts";
import { writeDocumentJson } from "./examples/exact-json.ts";
import { messageNames, messageSchemaFile } from "./schemas/json-schemas.ts";
import { buildOpenApiDocument } from "./openapi/openapi.ts";

export function buildDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/api/openapi.json", writeDocumentJson(buildOpenApiDocument())],
    ["docs/api/control.json", writeDocumentJson(buildControlDocument())],
    ["docs/api/asyncapi.json", writeDocumentJson(buildAsyncApiDocument())],
    ...messageNames.map((name): [string, string] => [`docs/api/schemas/${kebab(name)}.json`, writeDocumentJson(messageSchemaFile(name))]),
  ]);
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
