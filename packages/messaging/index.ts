export * from "./port.ts";
export * from "./faults.ts";
export * from "./memory-messaging.ts";
