// Decisions of operators that the store's conformance writes and reads back.

import type { Transaction } from "@sluice/domain";

export const conformanceAction = {
  id: "a-1",
  operator: "thabo",
  reason: "agreed by telephone",
  requestedAtMs: 1_795_000_000_999,
  person: "Thabo",
  confirmedBy: "lerato",
  contentSha256: "0c".repeat(32),
};

export const decidedAtMs = 1_795_000_001_000;
const redriven = {
  offset: 17n,
  atMs: decidedAtMs + 5,
  kind: "RedriveRequested",
  action: { ...conformanceAction, operator: "zanele" },
} as const;
export const conformanceDecisions: Transaction["decisions"] = [
  { offset: 16n, atMs: decidedAtMs, kind: "WithdrawalRequested", action: conformanceAction, result: "refused", why: "not-in-this-state" },
  { ...redriven, result: "applied", why: null },
];
