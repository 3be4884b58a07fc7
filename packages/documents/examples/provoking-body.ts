// Builds the body that gets a documented error, where a body alone can get it.

import type { ServedOperationName } from "@sluice/contracts";
import type { DocumentedError } from "../openapi/errors.ts";
import { changeMessage } from "../exact-json.ts";
import { buildReceivedExamples } from "./examples.ts";

/** Returns the operation's example with changes; unchanged where the error is in the request around it. */
export function buildProvokingBody(operation: ServedOperationName, { provoke }: Pick<DocumentedError, "provoke">): string {
  const example = JSON.stringify(buildReceivedExamples(operation)[0]?.value);
  if (provoke === null || "request" in provoke) return example;
  return "body" in provoke ? provoke.body : changeMessage(example, provoke.change);
}
