// Reports to operators which names cannot be resolved: by name in the log, by reason in the metrics.
//
// #1 A name has a line when it begins to fail and one when it is resolved again, at most one of each a minute. Names
//    are those of the configuration; beyond `namesMax` failing ones the others are only counted.

import type { Logger, Metrics, Time } from "@sluice/kernel";
import type { NameFailureReason } from "./name-failure.ts";

const namesMax = 1_000;
/** The least milliseconds between two lines about one name's failure. */
const lineSpacingMs = 60_000;

export interface NameReport {
  /** `isStaleUsed`: connections are made to addresses that were found earlier. */
  failed(name: string, reason: NameFailureReason, isStaleUsed: boolean): void;
  resolved(name: string): void;
}

export interface NameReportOptions {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

interface ReportedName {
  isFailing: boolean;
  /** Whether the present failure has a line. */
  hasLine: boolean;
  lineAtMs: number;
}

/** #1 */
export function createNameReport({ time, logger, metrics }: NameReportOptions): NameReport {
  const failures = metrics.counter("sluice_delivery_name_failures_total", "Questions for a name that gave no address, by reason.", [
    "reason",
  ]);
  const failing = metrics.gauge("sluice_delivery_names_failing", "Names of receivers that cannot be resolved now.");
  const names = new Map<string, ReportedName>();
  let failingCount = 0;
  failing.set(failingCount);

  function count(change: 1 | -1): void {
    failingCount += change;
    failing.set(failingCount);
  }

  /** Null where there is no place for one more. */
  function findOrAdd(name: string): ReportedName | null {
    const known = names.get(name);
    if (known !== undefined) return known;
    if (names.size >= namesMax) {
      if (failingCount >= namesMax) return null;
      const [resolved] = [...names].find(([, { isFailing }]) => !isFailing) ?? [];
      if (resolved !== undefined) names.delete(resolved);
    }
    const added = { isFailing: false, hasLine: false, lineAtMs: -lineSpacingMs };
    names.set(name, added);
    return added;
  }

  return {
    failed(name, reason, isStaleUsed) {
      failures.add({ reason });
      const found = findOrAdd(name);
      if (found === null || found.isFailing) return;
      const nowMs = time.monotonicMs();
      found.isFailing = true;
      count(1);
      found.hasLine = nowMs - found.lineAtMs >= lineSpacingMs;
      if (!found.hasLine) return;
      found.lineAtMs = nowMs;
      logger.warn("name.not-resolved", { name, reason, isStaleUsed });
    },
    resolved(name) {
      const found = names.get(name);
      if (found?.isFailing !== true) return;
      found.isFailing = false;
      count(-1);
      if (found.hasLine) logger.info("name.resolved", { name });
    },
  };
}
