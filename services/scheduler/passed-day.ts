// What the markers that a lane has passed say about a day. Pure.

import type { CreditsDeclaredMarker, PassedMarker } from "@sluice/domain";

/** Number of the window that is open; null: none is. */
export function openWindowOf(markers: readonly PassedMarker[]): number | null {
  if (isReconciled(markers)) return null;
  const closed = new Set(markers.flatMap(({ marker }) => (marker.kind === "WindowClosed" ? [marker.number] : [])));
  const open = markers.flatMap(({ marker }) => (marker.kind === "WindowOpened" && !closed.has(marker.number) ? [marker.number] : []));
  return open.at(-1) ?? null;
}

export function isReconciled(markers: readonly PassedMarker[]): boolean {
  return markers.some(({ marker }) => marker.kind === "DayReconciled");
}

/** Declarations of credits final that no gate has answered yet, as far as the lane has seen. */
export function declarationsWithoutGate(markers: readonly PassedMarker[]): readonly CreditsDeclaredMarker[] {
  if (markers.some(({ marker }) => marker.kind === "GateOpened") || isReconciled(markers)) return [];
  return markers.flatMap(({ marker }) => (marker.kind === "CreditsDeclared" ? [marker] : []));
}
