// `./sluice demo`: the demo parses its own options.

import { runDemo } from "@sluice/demo";
import type { RunVerb } from "../../terminal/verb.ts";

export const demo: RunVerb = (call) => runDemo(call.raw);
