export * from "./api.ts";
export * from "./generated/records.ts";
export * from "./record-map.ts";
export { registrySerde } from "./serde-registry.ts";
export type { RegistryOptions } from "./serde-registry.ts";
export { fixedSerde, schemaIdOf } from "./serde.ts";
export * from "./topics.ts";
