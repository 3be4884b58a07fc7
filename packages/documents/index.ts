export { createDocumentsApp } from "./viewer/documents-app.ts";
export type { DocumentsApp } from "./viewer/documents-app.ts";
