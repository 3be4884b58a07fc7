// I5, one end: each transaction reaches one terminal state; nothing leaves it.
//
// 1. A terminal state is the last of its events, and of its snapshot's transitions.
// 2. Once at rest: what was received has ended, if the day that it closes with is reconciled in its lane; a credit, if its deadline passed.

import type { Evidence, Journey } from "./evidence.ts";
import { closeOf, deadlineOf } from "./close.ts";
import type { Finding } from "./finding.ts";
import type { Violation } from "./history.ts";
import { terminalStates } from "./states.ts";

export function checkOneEnd(evidence: Evidence): Finding {
  const ended = evidence.journeys.filter((journey) => statesOf(journey).some((state) => terminalStates.has(state)));
  const violations = evidence.journeys.flatMap((journey) => [
    ...leftTerminal(journey, "events", statesOf(journey)),
    ...leftTerminal(journey, "snapshot", journey.snapshot?.transitions.map((entry) => entry.state) ?? []),
    ...(evidence.isDrained ? notEnded(evidence, journey) : []),
  ]);
  return { violations, counts: { transactionsEnded: ended.length } };
}

function statesOf(journey: Journey): readonly string[] {
  return journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion).map((event) => event.state);
}

function leftTerminal(journey: Journey, where: string, states: readonly string[]): readonly Violation[] {
  const early = states.slice(0, -1).find((state) => terminalStates.has(state));
  if (early === undefined) return [];
  return [{ promise: "I5", uetr: journey.uetr, text: `${where}: ${early} was left: ${states.join(", ")}` }];
}

function notEnded(evidence: Evidence, journey: Journey): readonly Violation[] {
  const { day, marker } = closeOf(evidence, journey);
  const deadline = deadlineOf(journey);
  const last = journey.snapshot?.state ?? statesOf(journey).at(-1) ?? "nothing";
  if (terminalStates.has(last)) return [];
  if (marker === null && deadline === null) return [];
  const why = marker === null ? `its deadline passed (offset ${deadline?.at ?? ""})` : `${day} is reconciled (offset ${marker.at})`;
  const text = `${why}, but the transaction has not ended: ${last}`;
  return [{ promise: "I5", uetr: journey.uetr, text }];
}
