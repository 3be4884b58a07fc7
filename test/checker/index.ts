export * from "./check-history.ts";
export type { CheckOptions, PlannedDay } from "./evidence/evidence.ts";
export * from "./history.ts";
export * from "./json-lines.ts";
export { specifiedTerminalStates } from "./evidence/states.ts";
