// What one bank has parked in one lane, as far as it is in memory: no bodies, only what says who is due when.
//
// #1 Every parked message that is still tried, with a sequence below `coveredBelow`, is here; without that bound, all are.
// #2 Of each key only the first is ever due.
// #3 Due ones come oldest first (by sequence), whatever their time.
// #4 More than `messagesMax` are not held: the newest fall out and the cover shrinks to what is left.

import type { Destination } from "./destination.ts";
import { PriorityQueue } from "./priority-queue.ts";

export interface PageEntry {
  readonly id: string;
  readonly key: string;
  readonly destination: Destination;
  readonly sequence: bigint;
  readonly closesWith: string | null;
  readonly stopsAtMs: number | null;
  readonly deadlineMs: number | null;
  /** No attempt is made: only its end has to be said. */
  readonly isEnding: boolean;
  /** Next attempt, monotonic milliseconds. */
  dueMs: number;
}

interface Slot {
  readonly entry: PageEntry;
  /** Place in the queues; an older one of the same entry is stale. */
  ticket: number;
  isGone: boolean;
}

interface Ticket {
  readonly slot: Slot;
  readonly number: number;
  readonly wakeMs: number;
}

export class ParkedPage {
  readonly messagesMax: number;
  /** When to look at an entry: its due time, or the end of its attempts if that is earlier. */
  readonly #wakeMsOf: (entry: PageEntry) => number;
  readonly #byId = new Map<string, Slot>();
  readonly #byKey = new Map<string, Slot[]>();
  readonly #waiting = new PriorityQueue<Ticket>((a, b) => a.wakeMs < b.wakeMs || (a.wakeMs === b.wakeMs && isOlder(a, b)));
  readonly #due = new PriorityQueue<Ticket>(isOlder);
  #tickets = 0;
  #coveredBelow: bigint | null;

  constructor(options: { messagesMax: number; coveredBelow: bigint | null; wakeMsOf: (entry: PageEntry) => number }) {
    this.messagesMax = options.messagesMax;
    this.#coveredBelow = options.coveredBelow;
    this.#wakeMsOf = options.wakeMsOf;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Null: all parked messages that are still tried are here. */
  get coveredBelow(): bigint | null {
    return this.#coveredBelow;
  }

  covers(sequence: bigint): boolean {
    return this.#coveredBelow === null || sequence < this.#coveredBelow;
  }

  /** After a scan, or to have one made. */
  cover(below: bigint | null): void {
    this.#coveredBelow = below;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** Not one of the same id that came later. */
  holdsEntry(entry: PageEntry): boolean {
    return this.#byId.get(entry.id)?.entry === entry;
  }

  holds(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Takes in what it covers and does not have. */
  offer(entry: PageEntry): void {
    if (!this.covers(entry.sequence) || this.#byId.has(entry.id)) return;
    const slot: Slot = { entry, ticket: 0, isGone: false };
    this.#byId.set(entry.id, slot);
    const queue = this.#byKey.get(entry.key);
    if (queue === undefined) this.#byKey.set(entry.key, [slot]);
    else insertBySequence(queue, slot);
    if (this.#headOf(entry.key) === slot) this.#arm(slot);
    if (this.size > this.messagesMax) this.#trim();
  }

  /** The oldest head whose time has come; it is out of the queues until `reschedule` or `remove`. */
  takeDue(nowMs: number): PageEntry | null {
    this.#ripen(nowMs);
    for (let ticket = this.#due.pop(); ticket !== undefined; ticket = this.#due.pop()) {
      if (!this.#isCurrent(ticket)) continue;
      ticket.slot.ticket = 0;
      return ticket.slot.entry;
    }
    return null;
  }

  /** When the next head is to be looked at, monotonic; null where none waits. */
  nextWakeMs(nowMs: number): number | null {
    this.#ripen(nowMs);
    if (this.#peek(this.#due) !== undefined) return nowMs;
    return this.#peek(this.#waiting)?.wakeMs ?? null;
  }

  reschedule(id: string, dueMs: number): void {
    const slot = this.#byId.get(id);
    if (slot === undefined) return;
    slot.entry.dueMs = dueMs;
    if (this.#headOf(slot.entry.key) === slot) this.#arm(slot);
  }

  /** When to look at entries has changed. */
  rearm(): void {
    for (const [head] of this.#byKey.values()) if (head !== undefined && head.ticket !== 0) this.#arm(head);
  }

  /** All are due, or all of these. */
  hasten(nowMs: number, isMeant: (entry: PageEntry) => boolean = () => true): void {
    for (const { entry } of this.#byId.values()) if (isMeant(entry)) entry.dueMs = Math.min(entry.dueMs, nowMs);
    this.rearm();
  }

  /** A head for the destination, whenever it is due: the oldest beyond `after`, else the oldest of all. Out of the queues, as `takeDue`. */
  takeHead(destination: Destination, after: bigint | null): PageEntry | null {
    let oldest: Slot | null = null;
    let next: Slot | null = null;
    for (const [head] of this.#byKey.values()) {
      if (head === undefined || head.ticket === 0 || head.entry.isEnding || head.entry.destination !== destination) continue;
      const { sequence } = head.entry;
      if (oldest === null || sequence < oldest.entry.sequence) oldest = head;
      if (after !== null && sequence > after && (next === null || sequence < next.entry.sequence)) next = head;
    }
    const taken = next ?? oldest;
    if (taken === null) return null;
    taken.ticket = 0;
    return taken.entry;
  }

  remove(id: string): void {
    const slot = this.#byId.get(id);
    if (slot === undefined) return;
    this.#byId.delete(id);
    slot.isGone = true;
    const { key } = slot.entry;
    const wasHead = this.#headOf(key) === slot;
    const rest = (this.#byKey.get(key) ?? []).filter((other) => other !== slot);
    if (rest.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, rest);
    if (wasHead && rest[0] !== undefined) this.#arm(rest[0]);
  }

  /** Drops all that `isKept` refuses. */
  retain(isKept: (entry: PageEntry) => boolean): void {
    for (const { entry } of this.#byId.values()) if (!isKept(entry)) this.remove(entry.id);
  }

  #headOf(key: string): Slot | undefined {
    return this.#byKey.get(key)?.[0];
  }

  #arm(slot: Slot): void {
    this.#tickets += 1;
    slot.ticket = this.#tickets;
    this.#waiting.push({ slot, number: slot.ticket, wakeMs: this.#wakeMsOf(slot.entry) });
    if (this.#waiting.size > 2 * this.messagesMax) this.#waiting.sweep((ticket) => this.#isCurrent(ticket));
  }

  #ripen(nowMs: number): void {
    for (let next = this.#peek(this.#waiting); next !== undefined && next.wakeMs <= nowMs; next = this.#peek(this.#waiting)) {
      this.#waiting.pop();
      this.#due.push(next);
    }
  }

  #peek(queue: PriorityQueue<Ticket>): Ticket | undefined {
    for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
      if (this.#isCurrent(next)) return next;
      queue.pop();
    }
    return undefined;
  }

  #isCurrent({ slot, number }: Ticket): boolean {
    return !slot.isGone && slot.ticket === number && this.#headOf(slot.entry.key) === slot;
  }

  /** A quarter at once, so that a page under pressure is not sorted for each message. */
  #trim(): void {
    const bySequence = [...this.#byId.values()].sort((a, b) => (a.entry.sequence < b.entry.sequence ? -1 : 1));
    const fallen = bySequence.slice(Math.max(1, Math.floor((this.messagesMax * 3) / 4)));
    this.#coveredBelow = fallen[0]!.entry.sequence;
    for (const { entry } of fallen) this.remove(entry.id);
  }
}

function isOlder(a: Ticket, b: Ticket): boolean {
  return a.slot.entry.sequence < b.slot.entry.sequence;
}

function insertBySequence(queue: Slot[], slot: Slot): void {
  const index = queue.findIndex(({ entry }) => entry.sequence > slot.entry.sequence);
  if (index < 0) queue.push(slot);
  else queue.splice(index, 0, slot);
}
