// For tests of those who serve or call what the document describes.

export { createDocumentCheck, readOpenApi } from "./document-check.ts";
export type { DeliveredRequest, DocumentCheck, Exchange } from "./document-check.ts";
export { documentedErrors, errorBody, errorsOf } from "./errors.ts";
export type { DocumentedError, Provocation } from "./errors.ts";
export { receivedExamples } from "./examples.ts";
export { provokingBody } from "./provoking-body.ts";
