// Works on the items of one partition. They come from sources, one for each receiver, which take turns.
//
// #1 At most `runningMax` items count as running. Whatever the others have, each source may have `sourceRunningMin`.
// #2 `letGo` stops counting what has run for long: it waits for its receiver, and needs no processor time.
// #3 All pools of a consumer share its limits (shared-limits.ts). A pool that they hold goes on when another item ends.
// #4 An item that follows another one takes its place at once.
// #5 One source may go first: its items start at once, and none of another source starts before them.

import { type LinkedItem, LinkedItems } from "./linked-items.ts";
import type { HeldPartition, ReachedBound, ReceiverLoad, SharedLimits } from "./shared-limits.ts";

/** What waits for one receiver in one partition. It is in the pool's list while something waits. */
export interface PoolSource {
  readonly load: ReceiverLoad;
  /** The most items of it that may run, whether they count or not. */
  readonly runningMax: number;
  running: number;
  /** Its items that count as running (#1). */
  counted: number;
  readonly hasMore: boolean;
  /** Its items start before all others, whatever else runs (#5). */
  readonly isFirst: boolean;
}

/** An item that works is in the pool's list while it counts as running. */
export interface PoolItem<Item, Source> extends LinkedItem<Item> {
  readonly source: Source;
  readonly bytes: number;
  /** The number of the pool's last look when it started (#2). */
  startedAtLook: number;
}

export interface TaskPoolOptions<Item, Source> {
  readonly runningMax: number;
  readonly sourceRunningMin: number;
  readonly limits: SharedLimits;
  /** Works on an item. `ended` is called at its end, but never before `work` has returned. Must not throw. */
  work(item: Item): void;
  /** Takes the next item of a source; undefined if it has none now. */
  take(source: Source): Item | undefined;
  /** False while the next item of the source may not start. */
  mayStart(source: Source): boolean;
  /** The limits have begun to hold the pool. */
  held(bound: ReachedBound, source: Source): void;
}

export class TaskPool<Item extends PoolItem<Item, Source>, Source extends PoolSource & LinkedItem<Source>> implements HeldPartition {
  readonly #options: TaskPoolOptions<Item, Source>;
  readonly #sources = new LinkedItems<Source>();
  /** The source that goes before all others (#5). */
  #first: Source | null = null;
  /** The items that count, in the order in which they started. */
  readonly #countedItems = new LinkedItems<Item>();
  #counted = 0;
  #running = 0;
  #looks = 0;
  /** True since the limits hold a source, until a look at all sources finds none that they hold. */
  #isHeld = false;
  #hasHeldOne = false;
  #idle: (() => void)[] = [];

  constructor(options: TaskPoolOptions<Item, Source>) {
    this.#options = options;
  }

  /** True while all that counts as running keeps something from starting. */
  get isCrowded(): boolean {
    return this.#counted >= this.#options.runningMax && this.#sources.first !== null;
  }

  /** Notes that a source may have an item. */
  offer(source: Source): void {
    if (source.isFirst) this.#first = source;
    else if (!source.isLinked) this.#sources.add(source);
  }

  /** Starts whatever may start, and tells whether anything did. */
  fill(): boolean {
    return this.#fill(false);
  }

  /** #3 */
  proceed(): boolean {
    return this.fill();
  }

  /** #2: lets go what has run since before the last look. */
  letGo(): void {
    this.#looks += 1;
    for (let item = this.#countedItems.first; item !== null && item.startedAtLook < this.#looks - 1; item = this.#countedItems.first)
      this.#uncount(item);
    this.fill();
  }

  /** Ends an item; `next` follows it (#4). */
  ended(item: Item, next: Item | null): void {
    const { limits, runningMax } = this.#options;
    const { source } = item;
    this.#running -= 1;
    source.running -= 1;
    if (item.isLinked) this.#uncount(item);
    limits.end(source.load, item.bytes);
    if (next !== null) this.#start(next);
    if (this.#counted < runningMax) this.#fill(true);
    else if (source.isLinked && this.#maySourceStart(source)) this.#startOne(source);
    limits.wakeHeld();
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves when nothing runs. */
  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#idle.push(resolve));
  }

  /** `isByPlaces`: only while there are places that any source may take. */
  #fill(isByPlaces: boolean): boolean {
    const { runningMax } = this.#options;
    let hasStarted = this.#startFirst();
    let firstRefused: Source | null = null;
    this.#hasHeldOne = false;
    for (let source = this.#sources.first; source !== null && source !== firstRefused; source = this.#sources.first) {
      if (isByPlaces && this.#counted >= runningMax) break;
      if (this.#maySourceStart(source)) hasStarted = this.#startOne(source) || hasStarted;
      else {
        firstRefused ??= source;
        this.#moveToEnd(source);
      }
    }
    if (!isByPlaces) this.#isHeld = this.#hasHeldOne;
    return hasStarted;
  }

  /** #5 */
  #startFirst(): boolean {
    let hasStarted = false;
    while (this.#first?.hasMore === true && this.#options.mayStart(this.#first)) {
      const item = this.#options.take(this.#first);
      if (item === undefined) continue;
      this.#start(item);
      hasStarted = true;
    }
    return hasStarted;
  }

  #maySourceStart(source: Source): boolean {
    const { limits, runningMax, sourceRunningMin } = this.#options;
    if (!this.#options.mayStart(source) || source.running >= source.runningMax) return false;
    if (this.#counted >= runningMax && source.counted >= sourceRunningMin) return false;
    const bound = limits.reachedBy(source.load);
    if (bound === null) return true;
    limits.hold(this);
    if (!this.#isHeld) this.#options.held(bound, source);
    this.#isHeld = true;
    this.#hasHeldOne = true;
    return false;
  }

  #startOne(source: Source): boolean {
    const item = this.#options.take(source);
    this.#sources.remove(source);
    if (source.hasMore) this.#sources.add(source);
    if (item === undefined) return false;
    this.#start(item);
    return true;
  }

  #moveToEnd(source: Source): void {
    this.#sources.remove(source);
    this.#sources.add(source);
  }

  #start(item: Item): void {
    const { source } = item;
    this.#running += 1;
    this.#counted += 1;
    source.running += 1;
    source.counted += 1;
    item.startedAtLook = this.#looks;
    this.#countedItems.add(item);
    this.#options.limits.start(source.load, item.bytes);
    this.#options.work(item);
  }

  #uncount(item: Item): void {
    this.#countedItems.remove(item);
    this.#counted -= 1;
    item.source.counted -= 1;
  }
}
