// The scheduler's releaser appends a Release when it finds that a held debit's turn has come. Whether the release is
// valid is decided here, by the markers below it.

import { parsePath } from "../tables/cell.ts";
import { factCause, enterState } from "../entry.ts";
import type { RecordPosition, Release } from "../../fact.ts";
import { findReleaseRefusal } from "../markers/release-gate.ts";
import type { PartitionView } from "../../partition-view.ts";
import type { FactResult } from "../result.ts";
import { findCell } from "../tables/find-cell.ts";
import type { Transaction } from "../transaction.ts";

export function onRelease(transaction: Transaction, fact: Release, place: RecordPosition, partition: PartitionView): FactResult {
  const cell = findCell(transaction, "release");
  if (cell === "=") return { decision: "ignored", reason: null, transaction };
  const path = transaction.flow === null ? null : parsePath(transaction.flow, cell);
  if (path === null) return { decision: "refused", reason: "not-in-this-state", transaction };
  const refusal = findReleaseRefusal(transaction, fact, place, partition);
  if (refusal !== null) return { decision: "refused", reason: refusal, transaction };
  let entered = transaction;
  for (const state of path) entered = enterState(entered, state, factCause(place), null);
  return { decision: "applied", reason: null, transaction: entered };
}
