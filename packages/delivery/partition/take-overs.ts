// From which position each owner of a partition read it, so that an insert of a dead owner that lands late is known.
//
// #1 At its take-over an owner raises the version of every parked message from its position on to its own epoch. So a
//    message at or beyond that position with a lesser epoch came into the store after it: a late insert. The owner
//    reads the record itself, and what becomes of it no longer depends on such a row.
// #2 The take-over is stored with the first position that the owner writes. Before that the next owner starts at the
//    same position, and raises the versions itself.
// #3 At most `takeOversKept` take-overs are kept, the latest. An insert of an owner that is forgotten is judged by the
//    later ones; one that they do not show as late is tried again, with the same id and bytes.

import type { ParkedRow } from "@sluice/store";
import { ownerEpochIn } from "../backlog/row-version.ts";

/** Take-overs that moved the position; a late insert comes seconds after its owner was lost. */
export const takeOversKept = 64;

interface TakeOver {
  readonly ownerEpoch: number;
  readonly position: bigint;
}

export class PartitionTakeOvers {
  /** By owner epoch. */
  #all: readonly TakeOver[] = [];

  /** Replaces what is known by the stored state. */
  restore(state: unknown): void {
    this.#all = readTakeOvers(state);
  }

  add(ownerEpoch: number, position: bigint): void {
    // Of two owners with the same position the later one shows all that the earlier one shows.
    const others = this.#all.filter((one) => one.position !== position);
    this.#all = [...others, { ownerEpoch, position }].slice(-takeOversKept);
  }

  /** #1 */
  isLate({ sequence, version }: Pick<ParkedRow, "sequence" | "version">): boolean {
    const rowEpoch = ownerEpochIn(version);
    return this.#all.some(({ ownerEpoch, position }) => ownerEpoch > rowEpoch && position <= sequence);
  }

  /** Plain JSON, stored with the position. */
  state(): object {
    return { takeOvers: this.#all.map(({ ownerEpoch, position }) => ({ ownerEpoch, position: String(position) })) };
  }
}

function readTakeOvers(state: unknown): readonly TakeOver[] {
  if (typeof state !== "object" || state === null || !("takeOvers" in state) || !Array.isArray(state.takeOvers)) return [];
  return state.takeOvers.flatMap((stored: unknown) => {
    if (typeof stored !== "object" || stored === null || !("ownerEpoch" in stored) || !("position" in stored)) return [];
    const { ownerEpoch, position } = stored;
    return typeof ownerEpoch === "number" && typeof position === "string" ? [{ ownerEpoch, position: BigInt(position) }] : [];
  });
}
