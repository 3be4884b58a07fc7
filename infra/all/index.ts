// The mode `all` for who runs it in a process of their own: the demo.

export { startAll } from "./start-all.ts";
export { createSteeredTime } from "./steered-time.ts";
