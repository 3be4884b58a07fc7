export * from "./batch-lanes.ts";
export * from "./faults.ts";
export * from "./keyed-lanes.ts";
export type { Lanes, LanesOptions } from "./lane.ts";
export * from "./memory-messaging.ts";
export * from "./port.ts";
