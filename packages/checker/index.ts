export * from "./check-history.ts";
export type { CheckOptions } from "./evidence.ts";
export * from "./history.ts";
export type { PlannedDay } from "./i9-window-once.ts";
export * from "./json-lines.ts";
export { terminalStates } from "./states.ts";
