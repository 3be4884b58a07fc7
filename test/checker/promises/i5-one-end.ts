// I5, one end: each transaction reaches one terminal state and never leaves it.
//
// #1 A terminal state is the last of the transaction's events and of its snapshot's transitions.
// #2 Once all work has ended, a debit has ended if its day is reconciled in its partition, and a credit if its deadline
//    passed.

import type { Evidence, Journey } from "../evidence/evidence.ts";
import { findClose, findDeadlinePassed } from "../evidence/close.ts";
import type { PromiseFinding } from "./finding.ts";
import type { Violation } from "../history.ts";
import { specifiedTerminalStates } from "../evidence/states.ts";

export function checkOneEnd(evidence: Evidence): PromiseFinding {
  const ended = evidence.journeys.filter((journey) => orderedStates(journey).some((state) => specifiedTerminalStates.has(state)));
  const violations = evidence.journeys.flatMap((journey) => [
    ...leftTerminal(journey, "events", orderedStates(journey)),
    ...leftTerminal(journey, "snapshot", journey.snapshot?.transitions.map((entry) => entry.state) ?? []),
    ...(evidence.isDrained ? notEnded(evidence, journey) : []),
  ]);
  return { violations, counts: { transactionsEnded: ended.length } };
}

function orderedStates(journey: Journey): readonly string[] {
  return journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion).map((event) => event.state);
}

function leftTerminal(journey: Journey, where: string, states: readonly string[]): readonly Violation[] {
  const early = states.slice(0, -1).find((state) => specifiedTerminalStates.has(state));
  if (early === undefined) return [];
  return [{ promise: "I5", uetr: journey.uetr, text: `${where}: ${early} was left: ${states.join(", ")}` }];
}

function notEnded(evidence: Evidence, journey: Journey): readonly Violation[] {
  const { day, marker } = findClose(evidence, journey);
  const deadline = findDeadlinePassed(journey);
  const last = journey.snapshot?.state ?? orderedStates(journey).at(-1) ?? "nothing";
  if (specifiedTerminalStates.has(last)) return [];
  if (marker === null && deadline === null) return [];
  const why =
    marker === null ? `its deadline passed (offset ${deadline?.position ?? ""})` : `${day} is reconciled (offset ${marker.position})`;
  const text = `${why}, but the transaction has not ended: ${last}`;
  return [{ promise: "I5", uetr: journey.uetr, text }];
}
