// Counts requests that are refused before they cost anything, and decides which of them have a log line. Without a
// bound a client without credentials writes as much log as it can send requests.
//
// #1 Sampled are 401, 404, 405 and 429. In each window of `refusalWindowMs` the first `linesEachMax` of the same
//    status, address and caller have a line, and `linesMax` in all.
// #2 What had no line is counted, and the end of the window writes the counts: a line for each of the `summariesMax`
//    largest, and one for the rest. So no refusal is lost from the log.
// #3 At most `sourcesMax` sources are counted one by one in a window; the others count as one.
// #4 A failed log-in is a 401. Each is counted in a metric, whether it has a line or not.

import type { Logger, Metrics, Time } from "@sluice/kernel";

export interface Refused {
  readonly status: number;
  /** The peer's address; null: not known. */
  readonly remoteAddress: string | null;
  /** Id of a known caller; null: nobody was authenticated. */
  readonly caller: string | null;
}

export interface Refusals {
  /** Counts the answer if it is a refusal, and tells whether it has a log line. */
  hasLine(answer: Refused): boolean;
  /** Writes what is counted. */
  stop(): void;
}

interface Source {
  readonly refused: Refused;
  count: number;
  lines: number;
}

const sampled: ReadonlySet<number> = new Set([401, 404, 405, 429]);
export const refusalWindowMs = 10_000;
const linesEachMax = 5;
const linesMax = 50;
const summariesMax = 10;
const sourcesMax = 1_024;

interface RefusalPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function createRefusals({ time, logger, metrics }: RefusalPorts, service: "ingress" | "console"): Refusals {
  const failedLogIns = metrics.counter("sluice_failed_log_ins_total", "Requests without a known token", ["service"]);
  failedLogIns.add({ service }, 0);
  let sources = new Map<string, Source>();
  let lines = 0;
  let window: Disposable | null = null;

  function sourceOf(refused: Refused): Source {
    const { status, remoteAddress, caller } = refused;
    const isFull = sources.size >= sourcesMax;
    const key = `${status} ${remoteAddress ?? "-"} ${caller ?? "-"}`;
    const known = sources.get(key) ?? (isFull ? sources.get(`${status} others`) : undefined);
    if (known !== undefined) return known;
    const added = { refused: isFull ? { status, remoteAddress: null, caller: null } : refused, count: 0, lines: 0 };
    sources.set(isFull ? `${status} others` : key, added);
    return added;
  }

  function closeWindow(): void {
    window = null;
    const unlogged = [...sources.values()]
      .filter((source) => source.count > source.lines)
      .toSorted((a, b) => unloggedOf(b) - unloggedOf(a));
    sources = new Map();
    lines = 0;
    for (const source of unlogged.slice(0, summariesMax)) writeSummary({ ...source.refused, count: unloggedOf(source), sources: 1 });
    const rest = unlogged.slice(summariesMax);
    if (rest.length === 0) return;
    const count = rest.reduce((sum, source) => sum + unloggedOf(source), 0);
    writeSummary({ status: null, remoteAddress: null, caller: null, count, sources: rest.length });
  }

  function writeSummary(
    fields: Omit<Refused, "status"> & { readonly status: number | null; readonly count: number; readonly sources: number },
  ) {
    logger.info(`${service}.refusals-not-logged`, { ...fields, windowMs: refusalWindowMs });
  }

  return {
    hasLine(refused) {
      if (refused.status === 401) failedLogIns.add({ service });
      if (!sampled.has(refused.status)) return true;
      window ??= time.after(refusalWindowMs, closeWindow);
      const source = sourceOf(refused);
      source.count += 1;
      if (source.lines >= linesEachMax || lines >= linesMax) return false;
      source.lines += 1;
      lines += 1;
      return true;
    },
    stop() {
      window?.[Symbol.dispose]();
      closeWindow();
    },
  };
}

function unloggedOf({ count, lines }: Source): number {
  return count - lines;
}
