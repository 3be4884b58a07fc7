// The way between a client and the memory log: latencies, an absent broker, a client cut off, a client killed.
//
// #1 Every answer comes through `time.after`, with a latency from the seed.
// #2 Nothing reaches a killed client: its promises stay open for ever, as those of a process that is gone.

import type { Random, Time } from "@sluice/runtime";
import { unavailable } from "./faults.ts";

export interface MemoryNetworkOptions {
  readonly time: Time;
  readonly random: Random;
  /** One way. */
  readonly latencyMinMs: number;
  readonly latencyMaxMs: number;
  /** How long a request waits for a broker that is down. */
  readonly unavailableAfterMs: number;
}

export interface MemoryNetwork {
  connect(client: string): Link;
  setBroker(isUp: boolean): void;
  latencyMs(): number;
}

/** One client's way to the broker. */
export interface Link {
  readonly client: string;
  readonly isDead: boolean;
  /** Monotonic time since which the broker cannot be reached; null while it can. */
  readonly unreachableSinceMs: number | null;
  /** Carries a request to the broker, acts there, and carries the answer back. Rejects with `messaging.unavailable` while the broker is down. */
  call<T>(act: () => T): Promise<T>;
  /** One way to the broker. Resolves also for a client killed meanwhile: what has left a process arrives. */
  arrive(): Promise<void>;
  /** One way back. */
  back(): Promise<void>;
  /** Nothing passes for this long; what waits passes afterwards. */
  cut(durationMs: number): void;
  kill(): void;
}

export function createMemoryNetwork(options: MemoryNetworkOptions): MemoryNetwork {
  const { time, random } = options;
  let downSinceMs: number | null = null;
  let waiting: (() => void)[] = [];

  function latencyMs(): number {
    return options.latencyMinMs + random.fraction() * (options.latencyMaxMs - options.latencyMinMs);
  }

  function brokerUp(): Promise<void> {
    if (downSinceMs === null) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const limit = time.after(options.unavailableAfterMs, () => reject(unavailable("the broker does not answer")));
    waiting.push(() => {
      limit[Symbol.dispose]();
      resolve();
    });
    return promise;
  }

  return {
    connect: (client) => new MemoryLink(client, time, { latencyMs, brokerUp, downSinceMs: () => downSinceMs }),
    latencyMs,
    setBroker(isUp) {
      if (isUp === (downSinceMs === null)) return;
      downSinceMs = isUp ? null : time.monotonicMs();
      const released = isUp ? waiting : [];
      if (isUp) waiting = [];
      for (const resolve of released) resolve();
    },
  };
}

interface Far {
  latencyMs(): number;
  brokerUp(): Promise<void>;
  downSinceMs(): number | null;
}

class MemoryLink implements Link {
  readonly client: string;
  readonly #time: Time;
  readonly #far: Far;
  #isDead = false;
  #cut: { readonly sinceMs: number; readonly untilMs: number } | null = null;

  constructor(client: string, time: Time, far: Far) {
    this.client = client;
    this.#time = time;
    this.#far = far;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get unreachableSinceMs(): number | null {
    const downSinceMs = this.#far.downSinceMs();
    if (this.#cut === null || this.#cut.untilMs <= this.#time.monotonicMs()) return downSinceMs;
    return Math.min(this.#cut.sinceMs, downSinceMs ?? this.#cut.sinceMs);
  }

  /** Passes when the client is not cut off; what is outward also when it is dead. */
  #pass(delayMs: number, isOutward: boolean): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        if (this.#isDead && !isOutward) return;
        const waitMs = (this.#cut?.untilMs ?? 0) - this.#time.monotonicMs();
        if (waitMs > 0 && !this.#isDead) this.#time.after(waitMs, go);
        else resolve();
      };
      this.#time.after(delayMs, go);
    });
  }

  async arrive(): Promise<void> {
    await this.#pass(this.#far.latencyMs(), true);
    await this.#far.brokerUp();
  }

  async back(): Promise<void> {
    await this.#pass(this.#far.latencyMs(), false);
  }

  async call<T>(act: () => T): Promise<T> {
    try {
      await this.arrive();
      return act();
    } finally {
      await this.back();
    }
  }

  cut(durationMs: number): void {
    const nowMs = this.#time.monotonicMs();
    const going = this.#cut !== null && this.#cut.untilMs > nowMs ? this.#cut : { sinceMs: nowMs, untilMs: nowMs };
    this.#cut = { sinceMs: going.sinceMs, untilMs: Math.max(going.untilMs, nowMs + durationMs) };
  }

  kill(): void {
    this.#isDead = true;
  }
}
