// Commits the group's offset of a partition whose position is in the store. The offset is only for display (lag in
// Kafka's own tools), so it is committed seldom, and for all partitions of a consumer together.
//
// #1 It is committed at most `displayCommitMs` after it moved, and at a drain.
// #2 A commit that fails changes nothing: the next one has a later offset.

import type { SharedTimer } from "@sluice/kernel";

/** Milliseconds between two commits that are only for display. */
export const displayCommitMs = 5_000;

export interface DisplayCommitOptions {
  /** Shared by all partitions of a consumer. */
  readonly timer: SharedTimer;
  commit(nextOffset: bigint): Promise<void>;
  /** A commit has failed. */
  failed(reason: unknown): void;
}

export class DisplayCommit {
  readonly #options: DisplayCommitOptions;
  #nextOffset: bigint | null = null;
  #committedOffset: bigint | null = null;
  #waiting: Disposable | null = null;

  constructor(options: DisplayCommitOptions) {
    this.#options = options;
  }

  /** Notes that everything below `nextOffset` is done. */
  advance(nextOffset: bigint): void {
    this.#nextOffset = nextOffset;
    this.#waiting ??= this.#options.timer.wait(() => void this.flush());
  }

  /** Commits what is not yet committed. Never rejects. */
  async flush(): Promise<void> {
    this.stop();
    const nextOffset = this.#nextOffset;
    if (nextOffset === null || nextOffset === this.#committedOffset) return;
    try {
      await this.#options.commit(nextOffset);
      this.#committedOffset = nextOffset;
    } catch (error) {
      // #2
      this.#options.failed(error);
      this.advance(this.#nextOffset ?? nextOffset);
    }
  }

  stop(): void {
    this.#waiting?.[Symbol.dispose]();
    this.#waiting = null;
  }
}
