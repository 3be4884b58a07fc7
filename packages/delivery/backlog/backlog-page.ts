// What is in memory of a receiver's backlog in one partition: the first message of each key, without its body.
//
// #1 A section for each endpoint knows, of all parked messages below its `coveredBelow`, the first one of each key;
//    without that limit, of all. The others of a key are followers: only that there are some is remembered.
// #2 Only the first message of a key is ever due. When it is gone, the store is asked for the next of its key
//    (`takeKeysToLookUp`, `resolveKey`); until the answer the key counts as parked.
// #3 While another section does not cover a message, an older one of its key may be unknown. Then the store is asked
//    before the message may be the first (`isInDoubt`).
// #4 Untried messages and failed ones have room of their own, shared by all receivers of a partition
//    (backlog-room.ts). What finds none limits the cover. So messages that fail do not hide those behind them.
// #5 Where the endpoints of a receiver are replaced, its entries get the new ones, and nothing is read again. What one
//    of the former sections did not cover, none of the new ones covers.
// #6 Due messages are taken by rank, and within a rank oldest first (by sequence), whatever their due time.

import type { Endpoint } from "../endpoint/endpoint.ts";
import type { BacklogRoom, RoomKind } from "./backlog-room.ts";
import { hasten, isFresh, isFresher, kindOf, rankOf, type BacklogEntry, type TriedRank } from "./backlog-entry.ts";
import {
  isBelow,
  isCurrent,
  isOlder,
  type KeyState,
  lowestCover,
  Section,
  type PageSlot,
  type Ticket,
  waitsLonger,
} from "./page-section.ts";
import { PriorityQueue } from "./priority-queue.ts";

export interface BacklogPageOptions {
  readonly room: BacklogRoom;
  readonly endpoints: readonly Endpoint[];
  /** Up to where the sections of those endpoints know that nothing is parked; null where nothing is at all. */
  readonly coveredBelow: bigint | null;
  /** Computes when to look at an entry: when it is due, or when its attempts end if that is earlier. */
  readonly computeWakeMs: (entry: BacklogEntry) => number;
  /** Tells whether an entry ends without a further attempt. */
  readonly isOver: (entry: BacklogEntry) => boolean;
  /** Called when a section no longer covers everything, also within the constructor. */
  readonly onUncovered?: () => void;
}

export class BacklogPage {
  readonly #options: BacklogPageOptions;
  readonly #sections = new Map<Endpoint, Section>();
  readonly #byId = new Map<string, PageSlot>();
  readonly #byKey = new Map<string, KeyState>();
  readonly #waiting = new PriorityQueue<Ticket>(waitsLonger);
  readonly #ended = new PriorityQueue<Ticket>(isOlder);
  readonly #keysToLookUp = new Set<string>();
  /** True once an older message may have been unknown (#3): then every key may have followers. */
  #wasInDoubt = false;
  #tickets = 0;
  /** The newest time at which a message was found to be due. */
  #ripenedMs = Number.NEGATIVE_INFINITY;

  constructor(options: BacklogPageOptions) {
    this.#options = options;
    for (const endpoint of options.endpoints) this.#sections.set(endpoint, new Section(options.coveredBelow));
    if (options.coveredBelow !== null) options.onUncovered?.();
  }

  /** The number of first messages in memory. */
  get size(): number {
    return this.#byId.size;
  }

  /** How many first messages of the endpoint were never tried. */
  untried(endpoint: Endpoint): number {
    return this.#section(endpoint).counts.untried;
  }

  /** How many of them a section may hold now. */
  get untriedShare(): number {
    return this.#options.room.shareFor("untried");
  }

  get hasUntried(): boolean {
    return [...this.#sections.values()].some(({ counts }) => counts.untried > 0);
  }

  get endpoints(): readonly Endpoint[] {
    return [...this.#sections.keys()];
  }

  /** Null where the section knows the keys of all parked messages that are still tried. */
  coveredBelow(endpoint: Endpoint): bigint | null {
    return this.#section(endpoint).coveredBelow;
  }

  get isComplete(): boolean {
    for (const { coveredBelow } of this.#sections.values()) if (coveredBelow !== null) return false;
    return true;
  }

  covers({ endpoint, sequence }: Pick<BacklogEntry, "endpoint" | "sequence">): boolean {
    return isBelow(sequence, this.#section(endpoint).coveredBelow);
  }

  /** Sets the cover after a read of the store. */
  setCoveredBelow(endpoint: Endpoint, below: bigint | null): void {
    this.#limitCover(this.#section(endpoint), below);
  }

  /** False for an endpoint that was replaced. */
  knows(endpoint: Endpoint): boolean {
    return this.#sections.has(endpoint);
  }

  /** #5 */
  replaceEndpoints(endpoints: readonly Endpoint[], endpointOf: (entry: BacklogEntry) => Endpoint): void {
    const coveredBelow = lowestCover(this.#sections.values());
    for (const { entry } of this.#byId.values()) this.#count(entry, -1);
    this.#sections.clear();
    for (const endpoint of endpoints) this.#sections.set(endpoint, new Section(coveredBelow));
    for (const { entry } of this.#byId.values()) {
      entry.endpoint = endpointOf(entry);
      this.#count(entry, 1);
    }
    if (coveredBelow !== null) this.#options.onUncovered?.();
    this.rearm();
  }

  /** Makes all be read again. */
  uncover(): void {
    for (const section of this.#sections.values()) this.#limitCover(section, 0n);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  /** False for another entry with the same id that came later. */
  containsEntry(entry: BacklogEntry): boolean {
    return this.#byId.get(entry.id)?.entry === entry;
  }

  containsKey(key: string): boolean {
    return this.#byKey.size > 0 && this.#byKey.has(key);
  }

  /** True where a message of this rank would find room (#4). */
  hasRoom(endpoint: Endpoint, kind: RoomKind): boolean {
    return this.#options.room.fits(kind, this.#section(endpoint).counts[kind]);
  }

  /** Adds a parked message that its section covers; false where it found no room and now limits the cover. */
  offer(entry: BacklogEntry): boolean {
    const section = this.#section(entry.endpoint);
    if (!isBelow(entry.sequence, section.coveredBelow) || this.#byId.has(entry.id)) return true;
    const state = this.#byKey.get(entry.key);
    if (state !== undefined && (state.head === null || state.head.entry.sequence < entry.sequence)) {
      state.hasFollowers = true;
      return true;
    }
    if (!this.hasRoom(entry.endpoint, kindOf(entry))) {
      this.#limitCover(section, entry.sequence);
      return false;
    }
    if (state !== undefined) {
      // A redriven message goes before the later ones of its key.
      this.#forget(state.head!);
      this.#place(entry, { head: null, hasFollowers: true });
    } else if (this.#isInDoubt(entry)) {
      this.#wasInDoubt = true;
      this.#lookUp(entry.key, { head: null, hasFollowers: false });
    } else this.#place(entry, { head: null, hasFollowers: this.#wasInDoubt });
    return true;
  }

  /** The keys whose first message has to be asked from the store; each is returned once. */
  takeKeysToLookUp(): readonly string[] {
    const keys = [...this.#keysToLookUp];
    this.#keysToLookUp.clear();
    return keys;
  }

  get hasKeysToLookUp(): boolean {
    return this.#keysToLookUp.size > 0;
  }

  /**
   * Takes the answer of the store: the oldest message of the key that is still tried, or null where there is none.
   * `hasFollowers` tells whether there are later ones.
   */
  resolveKey(key: string, entry: BacklogEntry | null, hasFollowers: boolean): void {
    const state = this.#byKey.get(key);
    if (state === undefined || state.head !== null) return;
    // What was parked or redriven meanwhile may be missing in the answer.
    if (state.hasFollowers && entry === null) return this.#lookUp(key, { head: null, hasFollowers: false });
    if (entry !== null && this.covers(entry) && !this.#byId.has(entry.id)) {
      this.#place(entry, { head: null, hasFollowers: hasFollowers || state.hasFollowers || this.#wasInDoubt });
    } else {
      // It lies beyond the cover: the read that comes to it brings it.
      this.#byKey.delete(key);
    }
  }

  /** Asks the store again after a failure. */
  lookUpAgain(key: string): void {
    if (this.#byKey.get(key)?.head === null) this.#keysToLookUp.add(key);
  }

  hasDue(endpoint: Endpoint, rank: TriedRank, nowMs: number): boolean {
    this.#ripen(nowMs);
    return this.#peek(this.#section(endpoint).due[rank]) !== undefined;
  }

  /**
   * Takes a due message of a rank out of the queues, until `reschedule` or `remove`: the oldest, or of those that fail
   * often the one that waits longest.
   */
  takeDue(endpoint: Endpoint, rank: TriedRank, nowMs: number): BacklogEntry | null {
    this.#ripen(nowMs);
    return this.#take(this.#section(endpoint).due[rank]);
  }

  /** Takes a message that ends without an attempt. */
  takeEnded(nowMs: number): BacklogEntry | null {
    this.#ripen(nowMs);
    return this.#take(this.#ended);
  }

  hasDueUntried(nowMs: number): boolean {
    this.#ripen(nowMs);
    return [...this.#sections.values()].some(({ due }) => this.#peek(due.untried) !== undefined);
  }

  /**
   * When the next message that waits has to be looked at, on the monotonic clock; null where none waits. `nowMs` is the
   * time of the drain: what became due since, it has not taken.
   */
  nextWakeMs(nowMs: number): number | null {
    this.#ripen(nowMs);
    if (this.#ripenedMs > nowMs) return nowMs;
    return this.#peek(this.#waiting)?.wakeMs ?? null;
  }

  /** `attempts` is given where one was made. */
  reschedule(id: string, dueMs: number, attempts?: number): void {
    const slot = this.#byId.get(id);
    if (slot === undefined) return;
    this.#count(slot.entry, -1);
    slot.entry.dueMs = dueMs;
    slot.entry.attempts = attempts ?? slot.entry.attempts;
    this.#count(slot.entry, 1);
    this.#arm(slot);
  }

  /** Computes the wake times again after what they depend on has changed. */
  rearm(): void {
    for (const slot of this.#byId.values()) if (slot.ticket !== 0) this.#arm(slot);
  }

  /** Makes messages due: all, or those to the endpoint. Those that fail often wait for `failingWithinMs` at most. */
  makeDue(nowMs: number, endpoint: Endpoint | null = null, failingWithinMs = 0): void {
    for (const { entry } of this.#byId.values()) {
      if (endpoint === null || entry.endpoint === endpoint) hasten(entry, nowMs, failingWithinMs);
    }
    this.rearm();
  }

  /** Takes the freshest first message for a probe, due or not. */
  takeFreshProbe(endpoint: Endpoint): BacklogEntry | null {
    return takeOut(this.#freshest(endpoint));
  }

  /** Finds the message that `takeFreshProbe` would take, and leaves it there. */
  findFreshProbe(endpoint: Endpoint): Pick<BacklogEntry, "attempts" | "dueMs"> | null {
    return this.#freshest(endpoint)?.entry ?? null;
  }

  #freshest(endpoint: Endpoint): PageSlot | null {
    let freshest: PageSlot | null = null;
    for (const slot of this.#probable(endpoint))
      if (isFresh(slot.entry) && (freshest === null || isFresher(slot.entry, freshest.entry))) freshest = slot;
    return freshest;
  }

  /** Takes a first message for a probe, due or not: the oldest beyond `after`, else the oldest of all. */
  takeRotatingProbe(endpoint: Endpoint, after: bigint | null): BacklogEntry | null {
    let oldest: PageSlot | null = null;
    let next: PageSlot | null = null;
    for (const slot of this.#probable(endpoint)) {
      const { sequence } = slot.entry;
      if (oldest === null || sequence < oldest.entry.sequence) oldest = slot;
      if (after !== null && sequence > after && (next === null || sequence < next.entry.sequence)) next = slot;
    }
    return takeOut(next ?? oldest);
  }

  /** Removes a message that is parked no more, or not tried any more. */
  remove(id: string): void {
    const slot = this.#byId.get(id);
    if (slot === undefined) return;
    this.#forget(slot);
    const { key } = slot.entry;
    const state = this.#byKey.get(key);
    if (state?.hasFollowers === true) this.#lookUp(key, { head: null, hasFollowers: false });
    else this.#byKey.delete(key);
  }

  /** Removes all messages that `isKept` rejects. */
  retain(isKept: (entry: BacklogEntry) => boolean): void {
    for (const { entry } of this.#byId.values()) if (!isKept(entry)) this.remove(entry.id);
  }

  /** An endpoint that came later has everything to read. */
  #section(endpoint: Endpoint): Section {
    const known = this.#sections.get(endpoint);
    if (known !== undefined) return known;
    const section = new Section(0n);
    this.#sections.set(endpoint, section);
    this.#options.onUncovered?.();
    return section;
  }

  #limitCover(section: Section, below: bigint | null): void {
    section.coveredBelow = below;
    if (below !== null) this.#options.onUncovered?.();
  }

  /** #3 */
  #isInDoubt({ endpoint, sequence }: BacklogEntry): boolean {
    if (this.#sections.size < 2) return false;
    for (const [other, { coveredBelow }] of this.#sections) {
      if (other !== endpoint && !isBelow(sequence, coveredBelow)) return true;
    }
    return false;
  }

  #lookUp(key: string, state: KeyState): void {
    this.#byKey.set(key, state);
    this.#keysToLookUp.add(key);
  }

  #place(entry: BacklogEntry, state: KeyState): void {
    const slot: PageSlot = { entry, ticket: 0, isGone: false };
    state.head = slot;
    this.#byKey.set(entry.key, state);
    this.#keysToLookUp.delete(entry.key);
    this.#byId.set(entry.id, slot);
    this.#count(entry, 1);
    this.#arm(slot);
  }

  #forget(slot: PageSlot): void {
    slot.isGone = true;
    this.#byId.delete(slot.entry.id);
    this.#count(slot.entry, -1);
  }

  #count(entry: BacklogEntry, change: 1 | -1): void {
    const kind = kindOf(entry);
    this.#section(entry.endpoint).counts[kind] += change;
    this.#options.room.count(kind, change);
  }

  #probable(endpoint: Endpoint): readonly PageSlot[] {
    return [...this.#byId.values()].filter(
      ({ ticket, entry }) => ticket !== 0 && !entry.isEnding && entry.endpoint === endpoint && !this.#options.isOver(entry),
    );
  }

  #arm(slot: PageSlot): void {
    this.#tickets += 1;
    slot.ticket = this.#tickets;
    this.#waiting.push({ slot, number: slot.ticket, wakeMs: this.#options.computeWakeMs(slot.entry) });
    if (this.#waiting.size > 2 * this.size + 16) this.#waiting.sweep(isCurrent);
  }

  #ripen(nowMs: number): void {
    for (let next = this.#peek(this.#waiting); next !== undefined && next.wakeMs <= nowMs; next = this.#peek(this.#waiting)) {
      this.#waiting.pop();
      this.#ripenedMs = Math.max(this.#ripenedMs, nowMs);
      const { entry } = next.slot;
      const isOver = entry.isEnding || this.#options.isOver(entry);
      const queue = isOver ? this.#ended : this.#section(entry.endpoint).due[rankOf(entry)];
      queue.push(next);
      if (queue.size > 2 * this.size + 16) queue.sweep(isCurrent);
    }
  }

  #take(queue: PriorityQueue<Ticket>): BacklogEntry | null {
    const next = this.#peek(queue);
    if (next === undefined) return null;
    queue.pop();
    return takeOut(next.slot);
  }

  #peek(queue: PriorityQueue<Ticket>): Ticket | undefined {
    for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
      if (isCurrent(next)) return next;
      queue.pop();
    }
    return undefined;
  }
}

function takeOut(slot: PageSlot | null): BacklogEntry | null {
  if (slot === null) return null;
  slot.ticket = 0;
  return slot.entry;
}
