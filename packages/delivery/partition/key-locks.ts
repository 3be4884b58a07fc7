// Runs one piece of work at a time per key: an attempt on a message, its stop, or its redrive.

export function lockKey(receiverId: string, deliveryKey: string): string {
  return `${receiverId} ${deliveryKey}`;
}

export class KeyLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Where nothing is locked, which is the usual case, no key is made. */
  isLocked(receiverId: string, deliveryKey: string): boolean {
    return this.#tails.size > 0 && this.#tails.has(lockKey(receiverId, deliveryKey));
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const { promise: mine, resolve: release } = Promise.withResolvers<void>();
    this.#tails.set(key, mine);
    await before;
    try {
      return await work();
    } finally {
      if (this.#tails.get(key) === mine) this.#tails.delete(key);
      release();
    }
  }
}
