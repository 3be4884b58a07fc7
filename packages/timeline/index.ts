export { isStoppedByOperator } from "./delivery-progress.ts";
export { readAround } from "./read-around.ts";
export { readTimeline } from "./read-timeline.ts";
export type { TimelinePorts } from "./read-timeline.ts";
export { findOffsetSince } from "./search-partition.ts";
export type * from "./timeline.ts";
