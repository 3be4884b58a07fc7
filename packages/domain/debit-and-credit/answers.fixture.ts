// The result that `decide` is expected to give for a cell of the tables.

import { expect } from "vitest";
import { type Cell, type CreditColumn, type DebitColumn, parsePath } from "./tables/cell.ts";
import type { Flow } from "./transaction.ts";

/** `before` is the outcome that the bank has reported by then. */
export function expectedResult(flow: Flow, cell: Cell, column: DebitColumn | CreditColumn, before: string | null): object {
  if (parsePath(flow, cell) !== null) return { decision: "applied" };
  if (cell === "-") return { decision: "refused", outputs: [] };
  if (cell === "=" && ["declined", "doubtful", "outcome-refused"].includes(column))
    return { decision: "recorded", outputs: [{ kind: "stop" }] };
  // The last marker of the date changes nothing, and the DayClosed behind it names a day that is not reconciled.
  if (cell === "=" && column === "last-close") return { outputs: [] };
  if (cell === "=") return { decision: "ignored", outputs: [] };
  if (cell === "again") return { decision: "recorded", reason: "repeat", outputs: [] };
  if (cell === "row 3") return { decision: "applied", transaction: { items: expect.arrayContaining([refusal]) }, outputs: [] };
  if (cell === "row") return { decision: "applied", reason: "row-set", transaction: { items: [{ row: 7 }] }, outputs: [] };
  if (cell === "acked") return { decision: "applied", reason: "outcome-acknowledged", outputs: [] };
  if (cell === "undelivered" && flow === "on-us") return { decision: "ignored", outputs: [], transaction: { items: [] } };
  if (cell === "undelivered")
    return { decision: "applied", outputs: [], transaction: { items: [{ row: 5, cause: "OUTCOME_UNDELIVERED" }] } };
  if (cell === "late") return { decision: "recorded" };
  if (cell === "second") return { decision: "recorded", reason: column === before ? "report-repeat" : "report-contradicting", outputs: [] };
  return { decision: "recorded", reason: `report-${cell}`, outputs: [] };
}

const refusal: unknown = expect.objectContaining({ row: 3, settledAtMs: null });
