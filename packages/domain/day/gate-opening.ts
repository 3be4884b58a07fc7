// An operator opens the gate of one bank although credits are unresolved.
//
// #1 It needs a declaration, for all banks or for this one, that every partition has answered: before that nobody knows
//    which credits are unresolved.
// #2 From then on the bank counts as clear in its declarations: a partition that calls it clear later opens nothing a
//    second time.

import type { Day } from "./day.ts";
import { isGateOpenOn, addGateOpening, clearBank } from "./credits-final.ts";
import type { DayResult } from "./day-result.ts";
import type { GateOpeningRequested, RecordPosition } from "../fact.ts";

export function onGateOpeningRequested(day: Day, { bank }: GateOpeningRequested, place: RecordPosition): DayResult {
  if (day.plan.windows.length === 0) return { decision: "refused", reason: "no-such-window", day };
  if (day.reconciledAtMs !== null) return { decision: "refused", reason: "day-over", day };
  if (isGateOpenOn(day, bank)) return { decision: "ignored", reason: "gate-open", day };
  const declared = day.declarations.filter((declaration) => declaration.bank === null || declaration.bank === bank);
  if (declared.length === 0) return { decision: "refused", reason: "not-declared", day };
  if (declared.every(({ partitionsAwaited }) => partitionsAwaited.length > 0))
    return { decision: "refused", reason: "partitions-awaited", day };
  const cleared: Day = { ...day, declarations: day.declarations.map((declaration) => clearBank(declaration, bank)) };
  return { decision: "applied", reason: null, day: addGateOpening(cleared, [bank], [], place) };
}
