export * from "./port.ts";
export { createMemoryStore, type MemoryStore } from "./memory/memory-store.ts";
export type { MemoryStoreHooks, MemoryStoreOptions, StoreCall, StoreFault } from "./memory/memory-call.ts";
export { createMongoStore, createRenewableMongoStore } from "./mongodb/mongodb-store.ts";
export { openDaysMax } from "./bounds.ts";
export * from "./conservation.ts";
export {
  shareLedgerCalls,
  shareOpenDays,
  sharePositionWrites,
  shareReads,
  shareTransactionCalls,
  shareVersionReads,
} from "./shared-calls.ts";
export { createStoreProbe, startStoreProbe } from "./store-probe.ts";
