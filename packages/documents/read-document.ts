// Reads the documents that Sluice serves, as they are shipped.
//
// #1 Reading one takes some hundred milliseconds. A service reads it before it listens, and only once.

import { readFileSync } from "node:fs";
import { readYamlAsJson } from "./exact-yaml.ts";

const kept = new Map<string, string>();

/** Returns a document as JSON text. */
export function readDocument(name: "openapi" | "control"): string {
  const text = kept.get(name) ?? readYamlAsJson(readFileSync(new URL(`../../docs/api/${name}.yaml`, import.meta.url), "utf8"));
  kept.set(name, text);
  return text;
}
