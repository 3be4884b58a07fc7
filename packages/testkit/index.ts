export * from "./builders.ts";
export * from "./seeded-random.ts";
export * from "./virtual-time.ts";
