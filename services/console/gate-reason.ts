// Why a gate is closed, as a sentence: always there, so that nobody has to guess. Null: it is open.

import type { GateStanding } from "@sluice/domain";
import type { AwaitedCredits } from "./awaited-credits.ts";

/** Credits that a sentence names; the answer beside it names them all. */
const namedMax = 3;

export function gateReason(standing: GateStanding, credits: AwaitedCredits | null): string | null {
  switch (standing.kind) {
    case "open":
      return null;
    case "no-window":
      return "there is no window on this date";
    case "day-over":
      return "the day is over; the gate never opened";
    case "not-declared":
      return `credits not declared (declared by ${declarers[standing.declaredBy]})`;
    case "lanes-awaited":
      return `${standing.lanes.length === 1 ? "lane" : "lanes"} ${standing.lanes.join(", ")} ${standing.lanes.length === 1 ? "has" : "have"} not answered`;
    case "credits-unresolved":
      return unresolvedText(standing.lanes, credits);
    default:
      throw new Error(`no such standing: ${String(standing satisfies never)}`);
  }
}

const declarers = { clock: "the clock, at the window's opening", connector: "the connector", bank: "the bank" } as const;

function unresolvedText(lanes: readonly number[], credits: AwaitedCredits | null): string {
  if (credits === null) return `credits unresolved in ${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(", ")}`;
  const { uetrs, isMore } = credits;
  // What ended a moment ago: the lane says so with its next word.
  if (uetrs.length === 0)
    return `no credit is unresolved any more; ${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(", ")} will say so`;
  const count = isMore ? `more than ${uetrs.length}` : String(uetrs.length);
  const named = uetrs.slice(0, namedMax).join(", ");
  const rest = uetrs.length > namedMax ? ", …" : "";
  return `${count} ${uetrs.length === 1 && !isMore ? "credit" : "credits"} unresolved: ${named}${rest}`;
}
