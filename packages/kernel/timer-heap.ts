// The timers of a clock that fires them itself, in the order in which they are due.

/** A timer of a clock that fires its timers itself. */
export interface ArmedTimer {
  readonly dueMs: number;
  /** Orders timers that are due at the same time; then their sequence does. */
  readonly draw: number;
  readonly sequence: number;
  readonly action: () => void;
  isCancelled: boolean;
}

function isBefore(a: ArmedTimer, b: ArmedTimer): boolean {
  if (a.dueMs !== b.dueMs) return a.dueMs < b.dueMs;
  if (a.draw !== b.draw) return a.draw < b.draw;
  return a.sequence < b.sequence;
}

/** A binary heap. Cancelled timers are skipped when they are due, and removed when they are the majority. */
export class TimerHeap {
  private heap: ArmedTimer[] = [];
  private cancelled = 0;

  size(): number {
    return this.heap.length - this.cancelled;
  }

  push(timer: ArmedTimer): void {
    this.heap.push(timer);
    this.rise(this.heap.length - 1);
  }

  peek(): ArmedTimer | undefined {
    while (this.heap[0]?.isCancelled === true) {
      this.removeTop();
      this.cancelled -= 1;
    }
    return this.heap[0];
  }

  pop(): void {
    if (this.peek() === undefined) return;
    // The timer has fired, so a later dispose must not count it as cancelled.
    this.heap[0]!.isCancelled = true;
    this.removeTop();
  }

  cancel(timer: ArmedTimer): void {
    if (timer.isCancelled) return;
    timer.isCancelled = true;
    this.cancelled += 1;
    if (this.cancelled < 1_000 || this.cancelled * 2 < this.heap.length) return;
    const live = this.heap.filter((kept) => !kept.isCancelled);
    this.heap = [];
    this.cancelled = 0;
    for (const kept of live) this.push(kept);
  }

  private removeTop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.sink(0);
  }

  private rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  private sink(from: number): void {
    let index = from;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      if (left >= this.heap.length) return;
      const child = right < this.heap.length && isBefore(this.heap[right]!, this.heap[left]!) ? right : left;
      if (!this.swapIfBefore(child, index)) return;
      index = child;
    }
  }

  private swapIfBefore(lower: number, upper: number): boolean {
    const a = this.heap[lower]!;
    const b = this.heap[upper]!;
    if (!isBefore(a, b)) return false;
    this.heap[lower] = b;
    this.heap[upper] = a;
    return true;
  }
}
