// An operator opens the gate of one bank over credits that are not resolved.
//
// 1. Only after a declaration for all banks or for this one that every lane has answered: before that nobody knows which credits it is over.
// 2. The bank is clear in its declarations from then on: lanes that call it clear later open nothing a second time.

import type { Day } from "./day.ts";
import { isGateOpenOf, openGate, withoutBank } from "./credits-final.ts";
import type { DayJudgement } from "./decide-day.ts";
import type { GateOpeningRequested, Place } from "./fact.ts";

export function onGateOpeningRequested(day: Day, { bank }: GateOpeningRequested, place: Place): DayJudgement {
  if (day.plan.windows.length === 0) return { decision: "refused", reason: "no-such-window", day };
  if (day.reconciledAtMs !== null) return { decision: "refused", reason: "day-over", day };
  if (isGateOpenOf(day, bank)) return { decision: "ignored", reason: "gate-open", day };
  const declared = day.declarations.filter((declaration) => declaration.bank === null || declaration.bank === bank);
  if (declared.length === 0) return { decision: "refused", reason: "not-declared", day };
  if (declared.every(({ lanesAwaited }) => lanesAwaited.length > 0)) return { decision: "refused", reason: "lanes-awaited", day };
  const cleared: Day = { ...day, declarations: day.declarations.map((declaration) => withoutBank(declaration, bank)) };
  return { decision: "applied", reason: null, day: openGate(cleared, [bank], [], place) };
}
