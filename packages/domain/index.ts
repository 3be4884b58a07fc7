export * from "./day.ts";
export * from "./fact.ts";
export * from "./lane.ts";
export * from "./output.ts";
export * from "./transaction.ts";
