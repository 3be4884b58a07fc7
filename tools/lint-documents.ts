// Lints docs/api with the documents' standard tools: Redocly's for OpenAPI, the AsyncAPI initiative's parser for
// AsyncAPI. `node tools/lint-documents.ts`; `./sluice check` runs it and skips it while docs/api has not changed.
//
// #1 Warnings count as errors.
// #2 Each linter must first find a planted fault, because one that misses it would find nothing.
// #3 What every operation may be answered with stands in its `default` response, so that an operation without a 4XX of
//    its own is complete. One without `default` is not.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AvroSchemaParser } from "@asyncapi/avro-schema-parser";
import { Parser } from "@asyncapi/parser";
import { createConfig, lintFromString } from "@redocly/openapi-core";

/** Lints a file; one that is divided with all that it refers to. */
type Lint = (text: string, path: string) => Promise<readonly string[]>;

async function lintOpenApi(text: string, path: string): Promise<readonly string[]> {
  const areErrorsRequired = {
    subject: { type: "Responses" },
    assertions: { requireAny: ["4XX", "default", "400", "401", "403", "404"] },
    severity: "error",
    message: "An operation says which errors it answers with.",
  } as const;
  const rules = { "operation-4xx-response": "off", "rule/errors": areErrorsRequired } as const;
  const config = await createConfig({ extends: ["recommended-strict"], rules });
  const problems = await lintFromString({ source: text, absoluteRef: path, config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer ?? "?"}: ${message}`);
}

async function lintAsyncApi(text: string): Promise<readonly string[]> {
  const parser = new Parser();
  parser.registerSchemaParser(AvroSchemaParser());
  const { diagnostics } = await parser.parse(text);
  return diagnostics.map(({ code, message, path }) => `${String(code)} at /${path.join("/")}: ${message}`);
}

const linters: readonly (readonly [string, Lint, planted: string])[] = [
  ["openapi.yaml", lintOpenApi, '{"openapi":"3.1.1","info":{"title":"x"},"paths":{}}'],
  ["control.yaml", lintOpenApi, '{"openapi":"3.1.1","info":{"title":"x"},"paths":{}}'],
  ["asyncapi.yaml", lintAsyncApi, '{"asyncapi":"3.1.0","info":{"title":"x"}}'],
];

const complaints: string[] = [];
for (const [file, lint, planted] of linters) {
  const path = fileURLToPath(new URL(`../docs/api/${file}`, import.meta.url));
  if ((await lint(planted, path)).length === 0) complaints.push(`the linter of ${file} does not find a planted fault`);
  complaints.push(...(await lint(readFileSync(path, "utf8"), path)).map((found) => `docs/api/${file}: ${found}`));
}
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length === 0 ? 0 : 1;
