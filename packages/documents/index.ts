export { createDocumentsApp } from "./viewer/documents-app.ts";
export { describeTopics, type TopicDescription } from "./asyncapi/describe-topics.ts";
export { readDocument } from "./read-document.ts";
