// Every document, by its path in the repository: what tools/generate-documents.ts writes or compares.

import { asyncApiDocument } from "./asyncapi.ts";
import { controlDocument } from "./control.ts";
import { exactText } from "./exact-json.ts";
import { messageNames, schemaFile } from "./json-schemas.ts";
import { openApiDocument } from "./openapi.ts";

export function documents(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/api/openapi.json", exactText(openApiDocument())],
    ["docs/api/control.json", exactText(controlDocument())],
    ["docs/api/asyncapi.json", exactText(asyncApiDocument())],
    ...messageNames.map((name): [string, string] => [`docs/api/schemas/${kebab(name)}.json`, exactText(schemaFile(name))]),
  ]);
}

function kebab(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}
