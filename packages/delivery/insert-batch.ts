// Parks messages in bulk: while one insert is under way, what comes meanwhile goes into the next.
//
// #1 At most one insert is under way, of at most `messagesMax` messages.
// #2 What is not wanted any more when its turn comes is not written.
// #3 Each caller learns its own insert's outcome and no more; a rejected one may have been written, and a duplicate is success.

import { Fault } from "@sluice/runtime";
import type { ParkedMessage, ParkedStore } from "@sluice/store";

interface Waiting {
  readonly message: ParkedMessage;
  isWanted(): boolean;
  resolve(): void;
  reject(error: unknown): void;
}

export class InsertBatch {
  readonly #store: Pick<ParkedStore, "insert">;
  readonly #messagesMax: number;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(store: Pick<ParkedStore, "insert">, messagesMax: number) {
    this.#store = store;
    this.#messagesMax = messagesMax;
  }

  insert(message: ParkedMessage, isWanted: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, isWanted, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const taken = this.#waiting.slice(0, this.#messagesMax);
      this.#waiting = this.#waiting.slice(taken.length);
      const batch = taken.filter((waiting) => waiting.isWanted());
      for (const waiting of taken)
        if (!batch.includes(waiting))
          waiting.reject(new Fault("delivery.not-wanted", "its lane may have gone on elsewhere", { isRetryable: true }));
      try {
        if (batch.length > 0) await this.#store.insert(batch.map(({ message }) => message));
        for (const waiting of batch) waiting.resolve();
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#isWriting = false;
  }
}
