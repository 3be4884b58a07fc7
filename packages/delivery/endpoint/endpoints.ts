// All endpoints that this process delivers to, and their health, which is kept over restarts.
//
// #1 There is one endpoint for each receiver and origin of its operations. A changed health is written at most once a
//    second over all endpoints, and when the process stops; it is read before the first partition is taken.
// #2 When a receiver changes, it gets new endpoints; the health of an address that stays is kept. Other receivers' are
//    not touched.
// #3 Health is advice (endpoint.ts #5): a failed write is repeated with the next change, and delivery goes on without
//    it.

import type { ConfiguredParty } from "@sluice/config";
import { formatReason, type Logger, type Time } from "@sluice/kernel";
import type { EndpointHealthStore, KeptCheck } from "@sluice/store";
import { deliveryOperations, findOperationAddress } from "./operation-addresses.ts";
import type { DeliveryMetrics } from "../metrics.ts";
import { Endpoint, type EndpointEvents } from "./endpoint.ts";
import type { ProcessLimit } from "./retry-places.ts";

export interface EndpointsOptions {
  readonly service: string;
  /** Banks and scheme connectors. */
  readonly receivers: readonly ConfiguredParty[];
  readonly endpointHealth: EndpointHealthStore;
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: DeliveryMetrics;
  readonly brokerClock: { nowMs(): number };
  readonly events: Omit<EndpointEvents, "changed">;
  readonly retryLimit: ProcessLimit;
}

const writeSpacingMs = 1_000;
const healthPerWriteMax = 1_000;
const answerTimeoutOfUnknownMs = 5_000;

interface ReceiverEndpoints {
  readonly all: readonly Endpoint[];
  readonly byOperation: ReadonlyMap<string, Endpoint>;
}

export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #byReceiver = new Map<string, ReceiverEndpoints>();
  readonly #changed = new Set<Endpoint>();
  #loading: Promise<void> | null = null;
  #timer: Disposable | null = null;
  #isStopped = false;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    for (const receiver of options.receivers) this.#byReceiver.set(receiver.id, this.#createAll(receiver));
  }

  /** A record from before operations were stored (null) uses the receiver's first endpoint. */
  forOperation(receiverId: string, operation: string | null): Endpoint {
    const { all, byOperation } = this.#endpointsFor(receiverId);
    const found = (operation === null ? undefined : byOperation.get(operation)) ?? all[0];
    if (found === undefined) throw new Error("a receiver has a destination");
    return found;
  }

  /** Has at least one endpoint. */
  forReceiver(receiverId: string): readonly Endpoint[] {
    return this.#endpointsFor(receiverId).all;
  }

  /** The operations that use the endpoint, null for records without one; null where all of its receiver do. */
  operationsOf(endpoint: Endpoint): readonly (string | null)[] | null {
    const { all, byOperation } = this.#endpointsFor(endpoint.receiverId);
    if (all.length === 1 && all[0] === endpoint) return null;
    const own = [...byOperation].flatMap(([operation, used]) => (used === endpoint ? [operation] : []));
    return all[0] === endpoint ? [...own, null] : own;
  }

  /**
   * #2. Replaces the endpoints of a receiver; null: it is no longer configured. What waits for it must be given the new
   * endpoints before `tryAll`.
   */
  replace(receiverId: string, receiver: ConfiguredParty | null): void {
    const before = this.#byReceiver.get(receiverId)?.all ?? [];
    for (const endpoint of before) {
      endpoint.stop();
      this.#changed.delete(endpoint);
      this.#options.metrics.forgetEndpoint(endpoint.labels);
    }
    this.#byReceiver.delete(receiverId);
    if (receiver === null) return;
    const made = this.#createAll(receiver);
    this.#byReceiver.set(receiverId, made);
    for (const endpoint of made.all) {
      const former = before.find(({ origin }) => origin !== null && origin === endpoint.origin);
      const health = former?.health(this.#options.service) ?? null;
      if (former === undefined || health === null) continue;
      const isUnlimited = health.concurrency >= former.slots.slotsMax;
      endpoint.restore({ ...health, concurrency: isUnlimited ? endpoint.slots.slotsMax : health.concurrency });
    }
  }

  /** False for an endpoint that was replaced: late answers of it say nothing about the one in its place. */
  isInUse(endpoint: Endpoint): boolean {
    return this.forReceiver(endpoint.receiverId).includes(endpoint);
  }

  /** Keeps what an operator's check brought, with the health of the endpoint, and in the list of its checks. */
  async recordCheck(endpoint: Endpoint, { operator, ...check }: KeptCheck): Promise<void> {
    endpoint.check = check;
    const health = endpoint.health(this.#options.service);
    this.#flushSoon(endpoint);
    if (health === null) return;
    try {
      await this.#options.endpointHealth.addCheck(health, { ...check, operator });
    } catch (error) {
      this.#options.logger.warn("endpoint-health.check-not-kept", {
        ...endpoint.labels,
        action: check.action,
        reason: formatReason(error),
      });
    }
  }

  /** Makes all that waits for the receiver due, or the next probe of an open breaker. */
  tryAll(receiverId: string): void {
    for (const endpoint of this.forReceiver(receiverId)) endpoint.retryWithNewCredentials();
  }

  /** #1. Rejects as the store does; a later call tries again. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = null;
      throw error;
    });
    return this.#loading;
  }

  /** Cancels all timers. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.[Symbol.dispose]();
    for (const endpoint of [...this.#byReceiver.values()].flatMap(({ all }) => all)) {
      endpoint.stop();
      endpoint.slots.stop();
    }
  }

  /** Writes the health that is not written yet. Never rejects. */
  async flush(): Promise<void> {
    const changed = [...this.#changed].slice(0, healthPerWriteMax);
    for (const endpoint of changed) this.#changed.delete(endpoint);
    const healthChanges = changed.flatMap((endpoint) => endpoint.health(this.#options.service) ?? []);
    if (healthChanges.length === 0) return;
    try {
      await this.#options.endpointHealth.write(healthChanges);
    } catch (error) {
      for (const endpoint of changed) this.#changed.add(endpoint);
      const reason = formatReason(error);
      this.#options.logger.warn("endpoint-health.not-written", { endpoints: healthChanges.length, reason });
    }
  }

  async #load(): Promise<void> {
    for (const health of await this.#options.endpointHealth.all(this.#options.service)) {
      const known = this.#byReceiver.get(health.receiverId)?.all.find(({ origin }) => origin === health.origin);
      known?.restore(health);
    }
  }

  #endpointsFor(receiverId: string): ReceiverEndpoints {
    const known = this.#byReceiver.get(receiverId);
    if (known !== undefined) return known;
    // A receiver that is not configured has no address; one attempt at a time finds that out.
    const none = this.#create(receiverId, null, { connections: 1, concurrency: "fixed", answerTimeoutMs: answerTimeoutOfUnknownMs });
    const made = { all: [none], byOperation: new Map<string, Endpoint>() };
    this.#byReceiver.set(receiverId, made);
    return made;
  }

  #createAll(receiver: ConfiguredParty): ReceiverEndpoints {
    const byAddress = new Map<string | null, Endpoint>();
    const byOperation = new Map<string, Endpoint>();
    for (const operation of deliveryOperations) {
      const address = findOperationAddress(receiver, operation)?.origin ?? null;
      const known = byAddress.get(address) ?? this.#create(receiver.id, address, receiver);
      byAddress.set(address, known);
      byOperation.set(operation, known);
    }
    return { all: [...byAddress.values()], byOperation };
  }

  #create(
    receiverId: string,
    address: string | null,
    party: Pick<ConfiguredParty, "connections" | "concurrency" | "answerTimeoutMs">,
  ): Endpoint {
    const { time, logger, metrics, brokerClock, events, retryLimit } = this.#options;
    return new Endpoint({
      retryLimit,
      receiverId,
      origin: address,
      connections: party.connections,
      isLearning: party.concurrency === "learnt",
      attemptTimeoutMs: party.answerTimeoutMs,
      time,
      logger,
      metrics,
      brokerClock,
      events: {
        suspended: (endpoint) => events.suspended(endpoint),
        released: (endpoint, isAllDue) => events.released(endpoint, isAllDue),
        probe: (endpoint) => events.probe(endpoint),
        changed: (endpoint) => this.#flushSoon(endpoint),
      },
    });
  }

  #flushSoon(endpoint: Endpoint): void {
    this.#changed.add(endpoint);
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = this.#options.time.after(writeSpacingMs, () => void this.#flushNow());
  }

  async #flushNow(): Promise<void> {
    await this.flush();
    this.#timer = null;
    const [next] = this.#changed;
    if (next !== undefined) this.#flushSoon(next);
  }
}
