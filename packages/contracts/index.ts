export * from "./api.ts";
export * from "./generated/records.ts";
export * from "./record-map.ts";
export * from "./topics.ts";
