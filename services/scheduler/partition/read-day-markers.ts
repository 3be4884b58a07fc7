// Reads from the markers that a partition has applied what they mean for a day. Pure.

import { type AppliedMarker, type CreditsDeclaredMarker, isGateOpenFor } from "@sluice/domain";

/** Above every offset: selects everything that the partition has applied. */
export const everyOffset = 2n ** 63n;

/** Finds the number of the open window; null if none is open. */
export function findOpenWindow(markers: readonly AppliedMarker[]): number | null {
  if (isReconciled(markers)) return null;
  const closed = new Set(markers.flatMap(({ marker }) => (marker.kind === "WindowClosed" ? [marker.number] : [])));
  const open = markers.flatMap(({ marker }) => (marker.kind === "WindowOpened" && !closed.has(marker.number) ? [marker.number] : []));
  return open.at(-1) ?? null;
}

/** Whether a window of the date was opened, closed or missed, or the date is over. */
export function hasBegun(markers: readonly AppliedMarker[]): boolean {
  return markers.some(({ marker }) => marker.kind === "WindowOpened" || marker.kind === "WindowClosed" || marker.kind === "DayReconciled");
}

export function isReconciled(markers: readonly AppliedMarker[]): boolean {
  return markers.some(({ marker }) => marker.kind === "DayReconciled");
}

/**
 * How the windows of the date ended, as far as the partition has seen: "closed" by the last close, "void" if it has
 * none; null: not yet.
 */
export function windowsEndedBy(markers: readonly AppliedMarker[]): "closed" | "void" | null {
  if (markers.some(({ marker }) => marker.kind === "WindowClosed" && marker.isLast)) return "closed";
  const last = markers.findLast(({ marker }) => marker.kind === "DayTimes" || marker.kind === "DayVoid");
  return last?.marker.kind === "DayVoid" ? "void" : null;
}

/** A declaration of credits final that the partition has to answer. */
export interface OpenDeclaration {
  readonly declaration: CreditsDeclaredMarker;
  /** Offset of its marker in this partition: credits received below it count. */
  readonly offset: bigint;
  /**
   * Banks that the gate for all banks excepted and that have no gate yet; null if no gate has answered the declaration.
   */
  readonly excepted: readonly string[] | null;
}

/** Lists the declarations whose gate is not open yet, for all banks or for some, as far as the partition has seen. */
export function openDeclarations(markers: readonly AppliedMarker[]): readonly OpenDeclaration[] {
  if (isReconciled(markers)) return [];
  return markers.flatMap(({ marker, position }) => {
    if (marker.kind !== "CreditsDeclared") return [];
    const excepted = marker.bank === null ? findExcepted(markers) : null;
    const isOpen = marker.bank === null ? excepted?.length === 0 : isGateOpenFor(marker.bank, markers, everyOffset);
    return isOpen ? [] : [{ declaration: marker, offset: position.offset, excepted }];
  });
}

/** Finds the excepted banks that have no gate of their own; null if there is no gate for all banks yet. */
function findExcepted(markers: readonly AppliedMarker[]): readonly string[] | null {
  const all = markers.flatMap(({ marker }) => (marker.kind === "GateOpened" && marker.banks === null ? [marker] : []))[0];
  return all === undefined ? null : all.except.filter((bank) => !isGateOpenFor(bank, markers, everyOffset));
}
