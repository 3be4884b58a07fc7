// The body that gets a documented error, where a body alone gets it.

import type { ServedOperationName } from "@sluice/contracts";
import type { DocumentedError } from "./errors.ts";
import { changedMessage } from "./exact-json.ts";
import { receivedExamples } from "./examples.ts";

/** The operation's example, changed; as it is where the request around it is what is wrong. */
export function provokingBody(operation: ServedOperationName, { provoke }: Pick<DocumentedError, "provoke">): string {
  const example = JSON.stringify(receivedExamples(operation)[0]?.value);
  if (provoke === null || "request" in provoke) return example;
  return "body" in provoke ? provoke.body : changedMessage(example, provoke.change);
}
