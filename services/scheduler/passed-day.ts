// What the markers that a lane has passed say about a day. Pure.

import { isGateOpenFor } from "@sluice/domain";
import type { CreditsDeclaredMarker, PassedMarker } from "@sluice/domain";

/** Above every offset: all that the lane has passed. */
export const everyOffset = 2n ** 63n;

/** Number of the window that is open; null: none is. */
export function openWindowOf(markers: readonly PassedMarker[]): number | null {
  if (isReconciled(markers)) return null;
  const closed = new Set(markers.flatMap(({ marker }) => (marker.kind === "WindowClosed" ? [marker.number] : [])));
  const open = markers.flatMap(({ marker }) => (marker.kind === "WindowOpened" && !closed.has(marker.number) ? [marker.number] : []));
  return open.at(-1) ?? null;
}

/** A window of the date was opened, closed or missed, or the date is over. */
export function hasBegun(markers: readonly PassedMarker[]): boolean {
  return markers.some(({ marker }) => marker.kind === "WindowOpened" || marker.kind === "WindowClosed" || marker.kind === "DayReconciled");
}

export function isReconciled(markers: readonly PassedMarker[]): boolean {
  return markers.some(({ marker }) => marker.kind === "DayReconciled");
}

/** No window of the date is ahead any more, as far as the lane has seen: "closed": the last one was closed; "void": it has none. */
export function overBy(markers: readonly PassedMarker[]): "closed" | "void" | null {
  if (markers.some(({ marker }) => marker.kind === "WindowClosed" && marker.isLast)) return "closed";
  const last = markers.findLast(({ marker }) => marker.kind === "DayTimes" || marker.kind === "DayVoid");
  return last?.marker.kind === "DayVoid" ? "void" : null;
}

/** A declaration of credits final that the lane has something to say to. */
export interface OpenDeclaration {
  readonly declaration: CreditsDeclaredMarker;
  /** Of its marker in this lane: credits received below it count. */
  readonly offset: bigint;
  /** Banks that the gate for all excepted and that have none yet; null: no gate has answered the declaration. */
  readonly excepted: readonly string[] | null;
}

/** As far as the lane has seen: declarations whose gate is not open yet, for all banks or for some. */
export function openDeclarations(markers: readonly PassedMarker[]): readonly OpenDeclaration[] {
  if (isReconciled(markers)) return [];
  return markers.flatMap(({ marker, place }) => {
    if (marker.kind !== "CreditsDeclared") return [];
    const excepted = marker.bank === null ? exceptedOf(markers) : null;
    const isOpen = marker.bank === null ? excepted?.length === 0 : isGateOpenFor(marker.bank, markers, everyOffset);
    return isOpen ? [] : [{ declaration: marker, offset: place.offset, excepted }];
  });
}

/** Null: no gate for all banks yet. */
function exceptedOf(markers: readonly PassedMarker[]): readonly string[] | null {
  const all = markers.flatMap(({ marker }) => (marker.kind === "GateOpened" && marker.banks === null ? [marker] : []))[0];
  return all === undefined ? null : all.except.filter((bank) => !isGateOpenFor(bank, markers, everyOffset));
}
