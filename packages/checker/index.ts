export * from "./check-history.ts";
export type { CheckOptions } from "./evidence.ts";
export * from "./history.ts";
export * from "./json-lines.ts";
