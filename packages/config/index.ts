export * from "./bank-of-agent.ts";
export * from "./configuration.ts";
