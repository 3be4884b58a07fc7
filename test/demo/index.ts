// The demo for the command line, and its day and environment for the end-to-end tests.

export { planDemoDay } from "./plan/day.ts";
export type { DemoDay } from "./plan/day.ts";
export { runDemo } from "./demo.ts";
export { collectHistory, loadDocuments } from "@sluice/environment";
export { createNarrator } from "./narrator.ts";
export { dateIn, noonZone, timeIn } from "@sluice/environment";
export { formatStay } from "./report/stay.ts";
export { playDay } from "./play/play.ts";
export { openDemoEnvironment } from "./environment/demo-environment.ts";
export type { DemoEnvironment } from "./environment/demo-environment.ts";
