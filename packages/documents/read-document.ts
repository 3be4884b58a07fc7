// Reads the documents that Sluice serves, as they are shipped.
//
// #1 Reading one takes some hundred milliseconds. A service reads it before it listens, and only once.

import { readFileSync } from "node:fs";
import { joinDocument } from "./divided-document.ts";
import { writeDocumentJson } from "./exact-json.ts";
import { readDocumentYaml } from "./exact-yaml.ts";

const kept = new Map<string, string>();

/** Returns a document as JSON text; one that is divided into several files as a whole. */
export function readDocument(name: "openapi" | "control"): string {
  const text = kept.get(name) ?? writeDocumentJson(joinDocument(readFile(`${name}.yaml`), readFile));
  kept.set(name, text);
  return text;
}

function readFile(file: string): Readonly<Record<string, unknown>> {
  return Object(readDocumentYaml(readFileSync(new URL(`../../docs/api/${file}`, import.meta.url), "utf8")));
}
