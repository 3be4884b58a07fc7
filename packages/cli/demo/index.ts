// The demo as the end-to-end tests use it: the same day on the same stage, with their own eyes on it.

export { planDemoDay } from "./demo-day.ts";
export type { DemoDay } from "./demo-day.ts";
export { collectHistory, loadDocuments } from "./history.ts";
export { createNarrator } from "./narrator.ts";
export { dateIn, noonZone, timeIn } from "./noon-zone.ts";
export { playDay } from "./play.ts";
export { openStage } from "./stage.ts";
export type { Stage } from "./stage.ts";
