// Writes the OpenAPI and AsyncAPI documents of docs/api, and the JSON Schemas in an ignored folder, from one source.
// `node tools/generate/docs/documents.ts [--check]`. With --check it writes nothing and names every difference in
// docs/api.

import { buildDocuments } from "@sluice/documents/generate";
import { runGenerator, writeOrCompare } from "../generator.ts";

/** Returns the differences, one sentence each; none when all is well. */
export function generateDocuments(root: string, isCheck: boolean): readonly string[] {
  const made = [...buildDocuments()].filter(([path]) => !isCheck || path.startsWith("docs/"));
  return made.flatMap(([path, text]) => writeOrCompare(root, path, text, isCheck));
}

if (import.meta.main) runGenerator(generateDocuments);
