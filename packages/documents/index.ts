export { documentsApp } from "./documents-app.ts";
export type { DocumentsApp } from "./documents-app.ts";
