// The parts of a backlog page: its sections, one for each endpoint, and the places of its entries in their queues.

import type { RoomKind } from "./backlog-room.ts";
import type { BacklogEntry, TriedRank } from "./backlog-entry.ts";
import { PriorityQueue } from "./priority-queue.ts";

export interface PageSlot {
  readonly entry: BacklogEntry;
  /** The number of its newest ticket; older tickets of the same entry are stale. 0 while it is out of the queues. */
  ticket: number;
  isGone: boolean;
}

export interface Ticket {
  readonly slot: PageSlot;
  readonly number: number;
  readonly wakeMs: number;
}

export interface KeyState {
  /** Null while the store is asked for the first message of the key. */
  head: PageSlot | null;
  /** Tells whether the store may have later messages of the key. */
  hasFollowers: boolean;
}

export class Section {
  coveredBelow: bigint | null;
  readonly counts: Record<RoomKind, number> = { untried: 0, failed: 0 };
  readonly due: Readonly<Record<TriedRank, PriorityQueue<Ticket>>> = {
    untried: new PriorityQueue<Ticket>(isOlder),
    failed: new PriorityQueue<Ticket>(isOlder),
    failing: new PriorityQueue<Ticket>(waitsLonger),
  };

  constructor(coveredBelow: bigint | null) {
    this.coveredBelow = coveredBelow;
  }
}

export function isCurrent({ slot, number }: Ticket): boolean {
  return !slot.isGone && slot.ticket === number;
}

/** Returns the first current ticket; stale ones before it are dropped. */
export function peekCurrent(queue: PriorityQueue<Ticket>): Ticket | undefined {
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    if (isCurrent(next)) return next;
    queue.pop();
  }
  return undefined;
}

/** Takes an entry out of the queues: none of its tickets is current. */
export function takeOut(slot: PageSlot | null): BacklogEntry | null {
  if (slot === null) return null;
  slot.ticket = 0;
  return slot.entry;
}

export function isOlder(a: Ticket, b: Ticket): boolean {
  return a.slot.entry.sequence < b.slot.entry.sequence;
}

/**
 * The one that became due first; of equals the older one. The turns of what fails often are fewer than what is due, so
 * the oldest would take them all.
 */
export function waitsLonger(a: Ticket, b: Ticket): boolean {
  return a.wakeMs < b.wakeMs || (a.wakeMs === b.wakeMs && isOlder(a, b));
}

export function isBelow(sequence: bigint, coveredBelow: bigint | null): boolean {
  return coveredBelow === null || sequence < coveredBelow;
}

/** Up to where all sections cover, in the form of a cover. */
export function lowestCover(sections: Iterable<Pick<Section, "coveredBelow">>): bigint | null {
  let lowest: bigint | null = null;
  for (const { coveredBelow } of sections) if (coveredBelow !== null && isBelow(coveredBelow, lowest)) lowest = coveredBelow;
  return lowest;
}
