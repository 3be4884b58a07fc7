// For the tests of services and simulators that serve or call what the document describes.

export { createDocumentCheck } from "./document-check.ts";
export type { ObservedExchange } from "./document-check.ts";
export { resolveReferences } from "./resolve-references.ts";
export { documentedErrors, errorBody, errorsFor } from "../openapi/errors.ts";
export type { DocumentedError } from "../openapi/errors.ts";
export { buildReceivedExamples } from "../examples/examples.ts";
export { buildProvokingBody } from "../examples/provoking-body.ts";
