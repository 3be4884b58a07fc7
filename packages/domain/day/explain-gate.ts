// Explains in a sentence why a gate is closed, so that nobody has to guess. Pages and log lines say the same sentence.

import type { GateStatus } from "./gate-status.ts";

/** Credits that keep a gate closed, as they are named to a person. */
interface NamedCredits {
  /** Sorted by UETR. */
  readonly uetrs: readonly string[];
  /** True if more credits are awaited than are named. */
  readonly isMore: boolean;
}

/** Credits that the sentence names; the answer also lists all of them. */
const namedMax = 3;

/** Null: the gate is open. Without `credits` the sentence names their partitions. */
export function explainGate(gate: GateStatus, credits: NamedCredits | null): string | null {
  switch (gate.kind) {
    case "open":
      return null;
    case "no-window":
      return "there is no window on this date";
    case "day-over":
      return "the day is over; the gate never opened";
    case "not-declared":
      return `credits not declared (declared by ${declarers[gate.declaredBy]})`;
    case "partitions-awaited":
      return `${partitionsText(gate.partitions)} ${gate.partitions.length === 1 ? "has" : "have"} not answered`;
    case "credits-unresolved":
      return unresolvedText(gate.partitions, credits);
    default:
      throw new Error(`no such gate status: ${String(gate satisfies never)}`);
  }
}

const declarers = { clock: "the clock, at the window's opening", connector: "the connector", bank: "the bank" } as const;

function partitionsText(partitions: readonly number[]): string {
  return `${partitions.length === 1 ? "partition" : "partitions"} ${partitions.join(", ")}`;
}

function unresolvedText(partitions: readonly number[], credits: NamedCredits | null): string {
  if (credits === null) return `credits unresolved in ${partitionsText(partitions)}`;
  const { uetrs, isMore } = credits;
  // The last credit ended a moment ago; its partition answers the declaration next.
  if (uetrs.length === 0) return `no credit is unresolved any more; waiting for the answer of ${partitionsText(partitions)}`;
  const count = isMore ? `more than ${uetrs.length}` : String(uetrs.length);
  const named = uetrs.slice(0, namedMax).join(", ");
  const rest = uetrs.length > namedMax ? ", …" : "";
  return `${count} ${uetrs.length === 1 && !isMore ? "credit" : "credits"} unresolved: ${named}${rest}`;
}
