export * from "./seeded-random.ts";
export * from "./virtual-time.ts";
