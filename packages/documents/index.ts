export { createDocumentsApp } from "./viewer/documents-app.ts";
export { readDocument } from "./read-document.ts";
