export * from "./check-history.ts";
export type { CheckOptions } from "./evidence/evidence.ts";
export * from "./history.ts";
export type { PlannedDay } from "./promises/i9-window-once.ts";
export * from "./json-lines.ts";
export { specifiedTerminalStates } from "./evidence/states.ts";
