// All checks over one history.

import type { CheckOptions } from "./evidence.ts";
import { gather } from "./evidence.ts";
import type { CheckReport, HistoryEntry } from "./history.ts";
import { checkNoLoss } from "./i1-no-loss.ts";
import { checkReconciliation } from "./i10-reconciliation.ts";
import { checkRetryLaw } from "./i12-retry-law.ts";
import { checkIsolation } from "./i14-isolation.ts";
import { checkOneEffect } from "./i3-one-effect.ts";
import { checkOrder } from "./i4-order.ts";
import { checkOneEnd } from "./i5-one-end.ts";
import { checkLegalPath } from "./i6-legal-path.ts";
import { checkPersistence } from "./i7-persistence.ts";
import { checkHold } from "./i8-hold.ts";
import { checkWindowOnce } from "./i9-window-once.ts";

const checks = [
  checkNoLoss,
  checkOneEffect,
  checkOrder,
  checkOneEnd,
  checkLegalPath,
  checkPersistence,
  checkHold,
  checkWindowOnce,
  checkReconciliation,
  checkRetryLaw,
  checkIsolation,
];

/** Violations by promise, then in the order of the evidence; the same history gives the same report. */
export function checkHistory(entries: Iterable<HistoryEntry>, options: CheckOptions = {}): CheckReport {
  const evidence = gather(entries, options);
  const findings = checks.map((check) => check(evidence));
  return {
    violations: findings.flatMap((finding) => finding.violations),
    counts: Object.fromEntries(findings.flatMap((finding) => Object.entries(finding.counts))),
  };
}
