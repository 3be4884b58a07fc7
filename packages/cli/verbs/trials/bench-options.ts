// What the benches have in common on the command line.

import type { VerbCall, VerbOption } from "../../terminal/verb.ts";

export const shortOption = {
  type: "boolean",
  text: "takes minutes: fewer rounds or seconds, for a first look and not for docs/benchmarks.md",
} as const satisfies VerbOption;

/** The size of a bench: what was asked for, else that of a short or a whole one. */
export function readSize(
  call: Pick<VerbCall, "flag" | "value">,
  option: string,
  sizes: { readonly whole: number; readonly short: number },
) {
  return call.value(option) ?? String(call.flag("short") ? sizes.short : sizes.whole);
}
