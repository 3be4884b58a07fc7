// All addresses that this process delivers to, and what is kept of them over restarts.
//
// #1 One destination for each receiver and origin of its operations. What is learnt of it is written when it changes, at most once a second
//    over all, and when the process stops; read before the first lane is taken.
// #2 It is advice (destination.ts #5): a write that fails is made again with the next change, and delivery goes on without it.

import type { Party } from "@sluice/config";
import type { Time } from "@sluice/runtime";
import type { AddressStore } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import { operations, addressOf } from "./addresses.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import { Destination, type DestinationEvents } from "./destination.ts";

export interface DestinationsOptions {
  readonly service: string;
  /** Banks and scheme connectors. */
  readonly receivers: readonly Party[];
  readonly addresses: AddressStore;
  readonly time: Time;
  readonly log: Log;
  readonly metrics: DeliveryMetrics;
  readonly agreed: { nowMs(): number };
  readonly events: Omit<DestinationEvents, "changed">;
}

const writeSpacingMs = 1_000;
const standingsPerWrite = 1_000;
const answerTimeoutOfUnknownMs = 5_000;

interface OfReceiver {
  readonly all: readonly Destination[];
  readonly byOperation: ReadonlyMap<string, Destination>;
}

export class Destinations {
  readonly #options: DestinationsOptions;
  readonly #byReceiver = new Map<string, OfReceiver>();
  readonly #changed = new Set<Destination>();
  #loading: Promise<void> | null = null;
  #timer: Disposable | null = null;
  #isStopped = false;

  constructor(options: DestinationsOptions) {
    this.#options = options;
    for (const receiver of options.receivers) this.#byReceiver.set(receiver.id, this.#madeFor(receiver));
  }

  /** Of a record from before operations were kept (null), the first one. */
  of(bank: string, operation: string | null): Destination {
    const { all, byOperation } = this.#ofReceiver(bank);
    const found = (operation === null ? undefined : byOperation.get(operation)) ?? all[0];
    if (found === undefined) throw new Error("a receiver has a destination");
    return found;
  }

  /** At least one. */
  ofBank(bank: string): readonly Destination[] {
    return this.#ofReceiver(bank).all;
  }

  /** #1. Rejects as the store does; then it is to be called again. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** No timer fires any more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
    for (const { all } of this.#byReceiver.values()) for (const destination of all) destination.stop();
  }

  /** Writes what is not written yet. Never rejects. */
  async keep(): Promise<void> {
    const changed = [...this.#changed].slice(0, standingsPerWrite);
    for (const destination of changed) this.#changed.delete(destination);
    const standings = changed.flatMap((destination) => destination.standing(this.#options.service) ?? []);
    if (standings.length === 0) return;
    try {
      await this.#options.addresses.write(standings);
    } catch (error) {
      for (const destination of changed) this.#changed.add(destination);
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.log.warn("addresses.not-kept", { addresses: standings.length, reason });
    }
  }

  async #load(): Promise<void> {
    for (const standing of await this.#options.addresses.all(this.#options.service)) {
      const known = this.#byReceiver.get(standing.bank)?.all.find(({ address }) => address === standing.address);
      known?.restore(standing);
    }
  }

  #ofReceiver(bank: string): OfReceiver {
    const known = this.#byReceiver.get(bank);
    if (known !== undefined) return known;
    // A receiver that is not configured has no address: one attempt at a time finds that out.
    const none = this.#made(bank, null, { connections: 1, concurrency: "fixed", answerTimeoutMs: answerTimeoutOfUnknownMs });
    const made = { all: [none], byOperation: new Map<string, Destination>() };
    this.#byReceiver.set(bank, made);
    return made;
  }

  #madeFor(receiver: Party): OfReceiver {
    const byAddress = new Map<string | null, Destination>();
    const byOperation = new Map<string, Destination>();
    for (const operation of operations) {
      const address = addressOf(receiver, operation)?.origin ?? null;
      const known = byAddress.get(address) ?? this.#made(receiver.id, address, receiver);
      byAddress.set(address, known);
      byOperation.set(operation, known);
    }
    return { all: [...byAddress.values()], byOperation };
  }

  #made(bank: string, address: string | null, party: Pick<Party, "connections" | "concurrency" | "answerTimeoutMs">): Destination {
    const { time, log, metrics, agreed, events } = this.#options;
    return new Destination({
      bank,
      address,
      connections: party.connections,
      isLearning: party.concurrency === "learnt",
      attemptTimeoutMs: party.answerTimeoutMs,
      time,
      log,
      metrics,
      agreed,
      events: {
        held: (destination) => events.held(destination),
        released: (destination, isAllDue) => events.released(destination, isAllDue),
        probe: (destination) => events.probe(destination),
        changed: (destination) => this.#keepSoon(destination),
      },
    });
  }

  #keepSoon(destination: Destination): void {
    this.#changed.add(destination);
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = this.#options.time.after(writeSpacingMs, () => void this.#keepNow());
  }

  async #keepNow(): Promise<void> {
    await this.keep();
    this.#timer = null;
    const [next] = this.#changed;
    if (next !== undefined) this.#keepSoon(next);
  }
}
