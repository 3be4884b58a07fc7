// How fast the addresses of receivers acknowledged, and what limited them: a day in quarters of an hour, in the memory
// of this process.
//
// #1 A quarter of an hour in which nothing was acknowledged, or nothing limited, takes nothing, and a receiver to which
//    nothing is sent has no entry. What nothing was added to for a day is forgotten.
// #2 At most `addressesMax` of each of the two kinds, of 1,536 bytes each (`slotCount` × 4 numbers), and 512 bytes more
//    while something is acknowledged: 36 MB. What comes after them is left out, and the answer says so.
// #3 A time is counted in a bucket that is a tenth wider than the one before. A percentile is the end of its bucket: it
//    is never too small, and at most a tenth and 1 ms too large.
// #4 Each look adds the time since the look before. A gap of more than `gapMaxMs` was not watched, and counts for that.

interface LatencySlot {
  readonly fromMs: number;
  readonly acknowledged: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface LimitSlot {
  readonly fromMs: number;
  /** The fewest requests at once that it was given. */
  readonly concurrencyMin: number;
  readonly breakerOpenSeconds: number;
  readonly retryAfterSeconds: number;
}

/** What limits an address at one look. */
export interface LimitLook {
  readonly receiver: string;
  readonly service: string;
  readonly origin: string;
  readonly concurrency: number;
  readonly isBreakerOpen: boolean;
  readonly isRetryAfter: boolean;
}

interface ReceiverHistory {
  readonly latencies: readonly { readonly operation: string; readonly slots: readonly LatencySlot[] }[];
  readonly limits: readonly { readonly service: string; readonly origin: string; readonly slots: readonly LimitSlot[] }[];
}

export interface AddressHistory {
  acknowledged(receiver: string, operation: string, tookMs: number, nowMs: number): void;
  /** Only of the addresses that something limits. */
  limited(looks: readonly LimitLook[], nowMs: number): void;
  /** The oldest slot first. */
  of(receiver: string, nowMs: number): ReceiverHistory;
  /** Since when it is watched, at most a day; null: not yet. */
  sinceMs(nowMs: number): number | null;
  /** #2 */
  readonly isWhole: boolean;
  /** Addresses that take memory, of both kinds. */
  readonly size: number;
}

export const slotMs = 15 * 60_000;
export const slotCount = 96;
const addressesMax = 10_000;
const gapMaxMs = 60_000;
const bucketCount = 128;
const bucketGrowth = 1.1;
/** Slot, then what is known of it. */
const cellNumbers = 4;
const separator = " ";

interface Entry {
  readonly receiver: string;
  readonly name: string;
  readonly cells: Uint32Array;
  newest: number;
}

interface LatencyEntry extends Entry {
  /** Of the newest slot; null: it is over. */
  buckets: Uint32Array | null;
}

export function createAddressHistory(max: number = addressesMax): AddressHistory {
  const latencies = createKeeper<LatencyEntry>(max, (entry) => ({ ...entry, buckets: null }));
  const limits = createKeeper<Entry>(max, (entry) => entry);
  let startedMs: number | null = null;
  let lastLookMs: number | null = null;
  let lastSlot = 0;

  /** Once in each slot: what is over is summed up, and what is a day old forgotten. */
  function turn(nowMs: number): number {
    const slot = slotOf(nowMs);
    startedMs ??= nowMs;
    if (slot <= lastSlot) return lastSlot;
    lastSlot = slot;
    for (const entry of latencies.all()) {
      sumUp(entry);
      entry.buckets = null;
    }
    latencies.forget(slot);
    limits.forget(slot);
    return slot;
  }

  return {
    acknowledged(receiver, operation, tookMs, nowMs) {
      const slot = turn(nowMs);
      const entry = latencies.get(receiver, operation);
      if (entry === null) return;
      entry.newest = slot;
      entry.buckets ??= new Uint32Array(bucketCount);
      const bucket = bucketOf(tookMs);
      entry.buckets[bucket] = (entry.buckets[bucket] ?? 0) + 1;
    },
    limited(looks, nowMs) {
      const slot = turn(nowMs);
      const seconds = lastLookMs === null ? 0 : Math.round(Math.min(gapMaxMs, Math.max(0, nowMs - lastLookMs)) / 1_000);
      lastLookMs = nowMs;
      for (const { receiver, service, origin, concurrency, isBreakerOpen, isRetryAfter } of looks) {
        const entry = limits.get(receiver, `${service}${separator}${origin}`);
        if (entry === null) continue;
        const [, fewest, open, retry] = entry.newest === slot ? readCell(entry, slot) : [slot, concurrency, 0, 0];
        entry.newest = slot;
        const [openNow, retryNow] = [isBreakerOpen ? seconds : 0, isRetryAfter ? seconds : 0];
        writeCell(entry, [slot, Math.min(fewest, concurrency), open + openNow, retry + retryNow]);
      }
    },
    of(receiver, nowMs) {
      const slot = turn(nowMs);
      return {
        latencies: latencies.of(receiver).map((entry) => latencyOf(entry, slot)),
        limits: limits.of(receiver).map((entry) => limitOf(entry, slot)),
      };
    },
    sinceMs: (nowMs) => (startedMs === null ? null : Math.max(startedMs, (slotOf(nowMs) - slotCount + 1) * slotMs)),
    get isWhole() {
      return latencies.isWhole() && limits.isWhole();
    },
    get size() {
      return latencies.all().length + limits.all().length;
    },
  };
}

type Cell = readonly [slot: number, first: number, second: number, third: number];

/** #2 */
function createKeeper<E extends Entry>(max: number, make: (entry: Entry) => E) {
  const byReceiver = new Map<string, Map<string, E>>();
  let size = 0;
  let isWhole = true;
  return {
    isWhole: () => isWhole,
    all: (): readonly E[] => [...byReceiver.values()].flatMap((own) => [...own.values()]),
    of: (receiver: string): readonly E[] => [...(byReceiver.get(receiver)?.values() ?? [])].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    get(receiver: string, name: string): E | null {
      const own = byReceiver.get(receiver) ?? new Map<string, E>();
      const known = own.get(name);
      if (known !== undefined) return known;
      if (size >= max) {
        isWhole = false;
        return null;
      }
      const made = make({ receiver, name, cells: new Uint32Array(slotCount * cellNumbers), newest: 0 });
      size += 1;
      byReceiver.set(receiver, own.set(name, made));
      return made;
    },
    /** #1 */
    forget(slot: number): void {
      for (const [receiver, own] of byReceiver) {
        for (const [name, { newest }] of own) if (newest <= slot - slotCount && own.delete(name)) size -= 1;
        if (own.size === 0) byReceiver.delete(receiver);
      }
      isWhole ||= size < max;
    },
  };
}

function slotOf(atMs: number): number {
  return Math.floor(atMs / slotMs);
}

function readCell({ cells }: Entry, slot: number): Cell {
  const at = (slot % slotCount) * cellNumbers;
  return [cells[at] ?? 0, cells[at + 1] ?? 0, cells[at + 2] ?? 0, cells[at + 3] ?? 0];
}

function writeCell({ cells }: Entry, cell: Cell): void {
  cells.set(cell, (cell[0] % slotCount) * cellNumbers);
}

/** Of the last day; a cell that is older is of another day. */
function listCells(entry: Entry, slot: number): readonly Cell[] {
  const day = Array.from({ length: slotCount }, (_, index) => slot - slotCount + 1 + index);
  return day.map((at) => [at, readCell(entry, at)] as const).flatMap(([at, cell]) => (cell[0] === at ? [cell] : []));
}

function latencyOf(entry: LatencyEntry, slot: number): ReceiverHistory["latencies"][number] {
  sumUp(entry);
  const slots = listCells(entry, slot).map(([at, acknowledged, p50Ms, p99Ms]) => ({ fromMs: at * slotMs, acknowledged, p50Ms, p99Ms }));
  return { operation: entry.name, slots };
}

function limitOf(entry: Entry, slot: number): ReceiverHistory["limits"][number] {
  const [service = "", origin = ""] = entry.name.split(separator);
  const slots = listCells(entry, slot).map(([at, concurrencyMin, breakerOpenSeconds, retryAfterSeconds]) => {
    return { fromMs: at * slotMs, concurrencyMin, breakerOpenSeconds, retryAfterSeconds };
  });
  return { service, origin, slots };
}

/** #3 */
function bucketOf(tookMs: number): number {
  return Math.min(bucketCount - 1, Math.max(0, Math.ceil(Math.log(Math.max(1, tookMs)) / Math.log(bucketGrowth))));
}

/** Writes what the newest slot has so far. */
function sumUp(entry: LatencyEntry): void {
  const { buckets, newest } = entry;
  if (buckets === null) return;
  const total = buckets.reduce((sum, count) => sum + count, 0);
  writeCell(entry, [newest, total, percentile(buckets, total * 0.5), percentile(buckets, total * 0.99)]);
}

function percentile(buckets: Uint32Array, wanted: number): number {
  let seen = 0;
  const bucket = buckets.findIndex((count) => (seen += count) >= wanted);
  return Math.ceil(bucketGrowth ** Math.max(0, bucket) - 1e-9);
}
