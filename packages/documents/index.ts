export { createDocumentsApp } from "./viewer/documents-app.ts";
export { readDocument } from "./read-document.ts";
export type { DocumentsApp } from "./viewer/documents-app.ts";
