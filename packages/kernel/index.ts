export * from "./fault.ts";
export * from "./logger.ts";
export * from "./mask-numbers.ts";
export * from "./metrics.ts";
export * from "./random.ts";
export * from "./running.ts";
export * from "./time.ts";
