// What `decide` answers for a cell of the tables, in the tests' own words.

import { expect } from "vitest";
import type { Cell, CreditColumn, DebitColumn } from "./cell.ts";
import { statesOf } from "./cell.ts";
import type { Flow } from "./transaction.ts";

/** `before`: what the bank has reported by then. */
export function answerOf(flow: Flow, cell: Cell, column: DebitColumn | CreditColumn, before: string | null): object {
  if (statesOf(flow, cell) !== null) return { decision: "applied" };
  if (cell === "-") return { decision: "refused", outputs: [] };
  if (cell === "=" && ["declined", "doubtful", "untold"].includes(column)) return { decision: "remarked", outputs: [{ kind: "stop" }] };
  // The date's last marker changes nothing, and the wake that follows it names a day that is not reconciled.
  if (cell === "=" && column === "over") return { outputs: [] };
  if (cell === "=") return { decision: "ignored", outputs: [] };
  if (cell === "again") return { decision: "remarked", reason: "repeat", outputs: [] };
  if (cell === "row 3") return { decision: "applied", transaction: { items: expect.arrayContaining([refusal]) }, outputs: [] };
  if (cell === "row") return { decision: "applied", reason: "row-set", transaction: { items: [{ row: 7 }] }, outputs: [] };
  if (cell === "told") return { decision: "applied", reason: "outcome-acknowledged", outputs: [] };
  if (cell === "undelivered" && flow === "on-us") return { decision: "ignored", outputs: [], transaction: { items: [] } };
  if (cell === "undelivered")
    return { decision: "applied", outputs: [], transaction: { items: [{ row: 5, cause: "OUTCOME_UNDELIVERED" }] } };
  if (cell === "late") return { decision: "remarked" };
  if (cell === "second") return { decision: "remarked", reason: column === before ? "report-repeat" : "report-contradicting", outputs: [] };
  return { decision: "remarked", reason: `report-${cell}`, outputs: [] };
}

const refusal: unknown = expect.objectContaining({ row: 3, settledAtMs: null });
