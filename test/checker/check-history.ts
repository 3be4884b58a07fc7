// Runs every check over one history and joins their findings into one report.

import { type CheckOptions, gatherEvidence } from "./evidence/evidence.ts";
import type { CheckReport, HistoryEntry } from "./history.ts";
import { checkNoLoss } from "./promises/i1-no-loss.ts";
import { checkReconciliation } from "./promises/i10-reconciliation.ts";
import { checkRetryLaw } from "./promises/i12-retry-law.ts";
import { checkIsolation } from "./promises/i14-isolation.ts";
import { checkNonInterference } from "./promises/i13-non-interference.ts";
import { checkNoPhantom } from "./promises/i2-no-phantom.ts";
import { checkOneEffect } from "./promises/i3-one-effect.ts";
import { checkOrder } from "./promises/i4-order.ts";
import { checkOneEnd } from "./promises/i5-one-end.ts";
import { checkLegalPath } from "./promises/i6-legal-path.ts";
import { checkAnalyticsTopics } from "./promises/i6-analytics-topics.ts";
import { checkSnapshotTable } from "./promises/i6-snapshot-table.ts";
import { checkPersistence } from "./promises/i7-persistence.ts";
import { checkHold } from "./promises/i8-hold.ts";
import { checkWindowOnce } from "./promises/i9-window-once.ts";

const checks = [
  checkNoLoss,
  checkNoPhantom,
  checkOneEffect,
  checkOrder,
  checkOneEnd,
  checkLegalPath,
  checkSnapshotTable,
  checkAnalyticsTopics,
  checkPersistence,
  checkHold,
  checkWindowOnce,
  checkReconciliation,
  checkRetryLaw,
  checkNonInterference,
  checkIsolation,
];

/** Reports violations by promise, then in the order of the evidence. The same history always gives the same report. */
export function checkHistory(entries: Iterable<HistoryEntry>, options: CheckOptions = {}): CheckReport {
  const evidence = gatherEvidence(entries, options);
  const findings = checks.map((check) => check(evidence));
  return {
    violations: findings.flatMap((finding) => finding.violations),
    counts: Object.fromEntries(findings.flatMap((finding) => Object.entries(finding.counts))),
  };
}
