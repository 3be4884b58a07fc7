// The part of a receiver's backlog in one partition that is in memory. It holds no bodies, only what decides which
// message is due.
//
// #1 The page has every parked message that is still tried and whose sequence is below `coveredBelow`; without that
//    limit, all.
// #2 Only the first message of each key is ever due.
// #3 Due messages come oldest first (by sequence), whatever their due time.
// #4 The page has at most `messagesMax` messages: the newest are dropped, and the cover shrinks to what is left.

import type { Endpoint } from "../endpoint/endpoint.ts";
import { PriorityQueue } from "./priority-queue.ts";

export interface BacklogEntry {
  readonly id: string;
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly sequence: bigint;
  readonly reconciliationDay: string | null;
  readonly stopsAtMs: number | null;
  readonly deadlineMs: number | null;
  /** True where no attempt is made and only the end has to be reported. */
  readonly isEnding: boolean;
  /** When the next attempt is due, in milliseconds of the monotonic clock. */
  dueMs: number;
}

interface Slot {
  readonly entry: BacklogEntry;
  /** The number of its newest ticket; older tickets of the same entry are stale. 0 while it is out of the queues. */
  ticket: number;
  isGone: boolean;
}

interface Ticket {
  readonly slot: Slot;
  readonly number: number;
  readonly wakeMs: number;
}

export class BacklogPage {
  readonly messagesMax: number;
  /** Computes when to look at an entry: when it is due, or when its attempts end if that is earlier. */
  readonly #computeWakeMs: (entry: BacklogEntry) => number;
  readonly #byId = new Map<string, Slot>();
  readonly #byKey = new Map<string, Slot[]>();
  readonly #waiting = new PriorityQueue<Ticket>((a, b) => a.wakeMs < b.wakeMs || (a.wakeMs === b.wakeMs && isOlder(a, b)));
  readonly #due = new PriorityQueue<Ticket>(isOlder);
  #tickets = 0;
  #coveredBelow: bigint | null;

  constructor(options: { messagesMax: number; coveredBelow: bigint | null; computeWakeMs: (entry: BacklogEntry) => number }) {
    this.messagesMax = options.messagesMax;
    this.#coveredBelow = options.coveredBelow;
    this.#computeWakeMs = options.computeWakeMs;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Null where the page has all parked messages that are still tried. */
  get coveredBelow(): bigint | null {
    return this.#coveredBelow;
  }

  covers(sequence: bigint): boolean {
    return this.#coveredBelow === null || sequence < this.#coveredBelow;
  }

  /** Sets the cover after a scan, or lowers it so that a scan is made. */
  setCoveredBelow(below: bigint | null): void {
    this.#coveredBelow = below;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** False for another entry with the same id that came later. */
  containsEntry(entry: BacklogEntry): boolean {
    return this.#byId.get(entry.id)?.entry === entry;
  }

  containsKey(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Adds a message that the page covers and does not have. */
  offer(entry: BacklogEntry): void {
    if (!this.covers(entry.sequence) || this.#byId.has(entry.id)) return;
    const slot: Slot = { entry, ticket: 0, isGone: false };
    this.#byId.set(entry.id, slot);
    const queue = this.#byKey.get(entry.key);
    if (queue === undefined) this.#byKey.set(entry.key, [slot]);
    else insertBySequence(queue, slot);
    if (this.#headFor(entry.key) === slot) this.#arm(slot);
    if (this.size > this.messagesMax) this.#trim();
  }

  /** Takes the oldest due message out of the queues, until `reschedule` or `remove`. */
  takeDue(nowMs: number): BacklogEntry | null {
    this.#ripen(nowMs);
    for (let ticket = this.#due.pop(); ticket !== undefined; ticket = this.#due.pop()) {
      if (!this.#isCurrent(ticket)) continue;
      ticket.slot.ticket = 0;
      return ticket.slot.entry;
    }
    return null;
  }

  /** When the next message has to be looked at, on the monotonic clock; null where none waits. */
  nextWakeMs(nowMs: number): number | null {
    this.#ripen(nowMs);
    if (this.#peek(this.#due) !== undefined) return nowMs;
    return this.#peek(this.#waiting)?.wakeMs ?? null;
  }

  reschedule(id: string, dueMs: number): void {
    const slot = this.#byId.get(id);
    if (slot === undefined) return;
    slot.entry.dueMs = dueMs;
    if (this.#headFor(slot.entry.key) === slot) this.#arm(slot);
  }

  /** Computes the wake times again after what they depend on has changed. */
  rearm(): void {
    for (const [head] of this.#byKey.values()) if (head !== undefined && head.ticket !== 0) this.#arm(head);
  }

  /** Makes all messages due, or those that `isMeant` selects. */
  makeDue(nowMs: number, isMeant: (entry: BacklogEntry) => boolean = () => true): void {
    for (const { entry } of this.#byId.values()) if (isMeant(entry)) entry.dueMs = Math.min(entry.dueMs, nowMs);
    this.rearm();
  }

  /**
   * Takes a first message for the endpoint, due or not: the oldest beyond `after`, else the oldest of all. It leaves
   * the queues as in `takeDue`.
   */
  takeHead(endpoint: Endpoint, after: bigint | null): BacklogEntry | null {
    let oldest: Slot | null = null;
    let next: Slot | null = null;
    for (const [head] of this.#byKey.values()) {
      if (head === undefined || head.ticket === 0 || head.entry.isEnding || head.entry.endpoint !== endpoint) continue;
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
    const wasHead = this.#headFor(key) === slot;
    const rest = (this.#byKey.get(key) ?? []).filter((other) => other !== slot);
    if (rest.length === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, rest);
    if (wasHead && rest[0] !== undefined) this.#arm(rest[0]);
  }

  /** Removes all messages that `isKept` rejects. */
  retain(isKept: (entry: BacklogEntry) => boolean): void {
    for (const { entry } of this.#byId.values()) if (!isKept(entry)) this.remove(entry.id);
  }

  #headFor(key: string): Slot | undefined {
    return this.#byKey.get(key)?.[0];
  }

  #arm(slot: Slot): void {
    this.#tickets += 1;
    slot.ticket = this.#tickets;
    this.#waiting.push({ slot, number: slot.ticket, wakeMs: this.#computeWakeMs(slot.entry) });
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
    return !slot.isGone && slot.ticket === number && this.#headFor(slot.entry.key) === slot;
  }

  /** Drops a quarter at once, so that a page under pressure is not sorted for each message. */
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
