// The network between clients and the memory broker: latencies, a broker that is down, clients that are cut off or
// killed.
//
// #1 Every answer arrives through `time.after`, with a latency from the seed.
// #2 Nothing reaches a killed client. Its promises never settle, like those of a dead process.

import type { Random, Time } from "@sluice/kernel";
import { brokerUnavailable } from "../faults.ts";

export interface MemoryNetworkOptions {
  readonly time: Time;
  readonly random: Random;
  /** Latency of one way, in milliseconds. */
  readonly latencyMinMs: number;
  readonly latencyMaxMs: number;
  /** How long a request waits for a broker that is down. */
  readonly unavailableAfterMs: number;
}

export interface MemoryNetwork {
  connect(client: string): NetworkLink;
  setBroker(isUp: boolean): void;
  latencyMs(): number;
}

/** One client's connection to the broker. */
export interface NetworkLink {
  readonly client: string;
  readonly isDead: boolean;
  /** Monotonic time since which the broker is unreachable; null while it is reachable. */
  readonly unreachableSinceMs: number | null;
  /**
   * Carries a request to the broker, acts there and carries the answer back. Rejects with `messaging.unavailable` while
   * the broker is down.
   */
  call<T>(act: () => T): Promise<T>;
  /**
   * Carries a request to the broker. It also arrives if the client is killed meanwhile, because it has left the
   * process.
   */
  arrive(): Promise<void>;
  /** Carries an answer back. */
  back(): Promise<void>;
  /** Blocks all traffic for this long; blocked traffic passes afterwards. */
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
    const limit = time.after(options.unavailableAfterMs, () => reject(brokerUnavailable("the broker does not answer")));
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

interface BrokerSide {
  latencyMs(): number;
  brokerUp(): Promise<void>;
  downSinceMs(): number | null;
}

class MemoryLink implements NetworkLink {
  readonly client: string;
  readonly #time: Time;
  readonly #broker: BrokerSide;
  #isDead = false;
  #cut: { readonly sinceMs: number; readonly untilMs: number } | null = null;

  constructor(client: string, time: Time, broker: BrokerSide) {
    this.client = client;
    this.#time = time;
    this.#broker = broker;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get unreachableSinceMs(): number | null {
    const downSinceMs = this.#broker.downSinceMs();
    if (this.#cut === null || this.#cut.untilMs <= this.#time.monotonicMs()) return downSinceMs;
    return Math.min(this.#cut.sinceMs, downSinceMs ?? this.#cut.sinceMs);
  }

  /** Resolves once the client is not cut off. Outward traffic passes even if the client is dead. */
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
    await this.#pass(this.#broker.latencyMs(), true);
    await this.#broker.brokerUp();
  }

  async back(): Promise<void> {
    await this.#pass(this.#broker.latencyMs(), false);
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
