export * from "./configuration.ts";
