// `--watch`: runs a question again and again until Ctrl-C, and shows each answer in place of the one before.
//
// #1 A console that does not answer is shown and asked again; what the console refuses ends the watch.
// #2 Where the output is no terminal, the answers are printed one below the other, each with its time.

import { Fault, sleep, type Time } from "@sluice/kernel";
import type { ControlTerminal, RunControlVerb } from "./control-client.ts";
import type { VerbOption } from "./verb.ts";

export const watchOption = { type: "boolean", text: "asks again every two seconds, until Ctrl-C" } as const satisfies VerbOption;

const everyMs = 2_000;
/** Moves to the upper left corner and clears the screen. */
const clearScreen = "\u001b[H\u001b[2J";

export interface WatchEnd {
  readonly time: Time;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
}

/** With --watch the verb is run again until `end.signal` aborts; without it once. */
export function watched(run: RunControlVerb, openEnd: () => Promise<WatchEnd & Disposable>): RunControlVerb {
  return async (call, where) => {
    if (!call.flag("watch")) return await run(call, where);
    using end = await openEnd();
    while (!end.signal.aborted) {
      const shown = await collect(run, call, where);
      const at = Temporal.Instant.fromEpochMilliseconds(end.time.nowMs()).toString({ smallestUnit: "second" });
      const head = `every ${everyMs / 1_000} s, Ctrl-C ends it; ${at}`;
      where.out(`${where.isTerminal === true ? clearScreen : ""}${head}\n\n${shown}`);
      await sleep(end.time, everyMs, end.signal);
    }
    return 0;
  };
}

/** #1 */
async function collect(run: RunControlVerb, call: Parameters<RunControlVerb>[0], where: ControlTerminal): Promise<string> {
  const lines: string[] = [];
  try {
    await run(call, { ...where, page: null, out: (text) => void lines.push(text), write: (text) => void lines.push(text) });
  } catch (error) {
    if (!(error instanceof Fault) || !error.isRetryable) throw error;
    lines.push(error.message);
  }
  return lines.join("\n");
}
