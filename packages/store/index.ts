export * from "./port.ts";
export { createMemoryStore } from "./store-memory.ts";
export type { MemoryStoreHooks, MemoryStoreOptions, StoreCall, StoreFault } from "./memory-call.ts";
export { createMongoStore } from "./store-mongodb.ts";
export type { MongoStoreOptions } from "./store-mongodb.ts";
export * from "./conservation.ts";
