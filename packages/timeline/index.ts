export { formatTimeline } from "./format-timeline.ts";
export { readTimeline } from "./read-timeline.ts";
export type { TimelinePorts } from "./read-timeline.ts";
export { offsetSince } from "./search-log.ts";
export type { OffsetSearch } from "./search-log.ts";
export type * from "./timeline.ts";
