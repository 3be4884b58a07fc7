export * from "./environment.ts";
export * from "./fault.ts";
export * from "./random.ts";
export * from "./service.ts";
export * from "./time.ts";
