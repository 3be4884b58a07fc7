// The mode `all` for who runs it in a process of their own: the demo and the sandbox.

export { startAll } from "./start-all.ts";
export { createSteeredTime } from "./steered-time.ts";
