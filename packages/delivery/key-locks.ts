// One thing at a time per key: an attempt on a parked message, or its stop.

export function lockKey(bank: string, deliveryKey: string): string {
  return `${bank} ${deliveryKey}`;
}

export class KeyLocks {
  readonly #tails = new Map<string, Promise<void>>();

  isHeld(key: string): boolean {
    return this.#tails.size > 0 && this.#tails.has(key);
  }

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
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
