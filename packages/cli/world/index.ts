// What end-to-end tests and trials put around running services: simulated parties, their configuration file, what the journal knows.

export { referencesOf, worldConfiguration } from "./configuration.ts";
export type { DayInWorld, OperatorInWorld } from "./configuration.ts";
export { connectorId, openParties } from "./parties.ts";
export type { WorldBank, WorldParties } from "./parties.ts";
export { uetrsOf } from "./uetrs.ts";
