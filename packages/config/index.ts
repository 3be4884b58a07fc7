export * from "./bank-of-agent.ts";
export * from "./configuration.ts";
export { readConfigurationFile } from "./configuration-file.ts";
export type { Problem } from "./problem.ts";
export { readConfiguration } from "./read-configuration.ts";
export type { ConfigurationReading } from "./read-configuration.ts";
export { schemeOf } from "./scheme-of.ts";
export { southAfrica, southAfricaEveryDay } from "./south-africa.ts";
export * from "./service-settings.ts";
