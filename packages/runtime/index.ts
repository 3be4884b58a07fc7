export * from "./fault.ts";
export * from "./random.ts";
export * from "./time.ts";
