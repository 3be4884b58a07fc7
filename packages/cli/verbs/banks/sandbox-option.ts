// The option that names a sandbox.

import { sandboxPorts } from "@sluice/sandbox/address";
import type { VerbCall, VerbOption } from "../../terminal/verb.ts";

const local = `http://127.0.0.1:${sandboxPorts.control}`;

export const sandboxOption = {
  type: "string",
  placeholder: "URL",
  text: `the sandbox's control port (${local})`,
} as const satisfies VerbOption;

export function sandboxUrl(call: Pick<VerbCall, "value">): string {
  return call.value("sandbox") ?? local;
}
