import { runDemo } from "./demo/demo.ts";
import type { RunVerb } from "./verbs.ts";

export const demo: RunVerb = (call) => runDemo(call.raw);
