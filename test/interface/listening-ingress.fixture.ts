// Starts ingress on a real port with a memory broker, two banks and a connector of every scheme.

import type { Configuration } from "@sluice/config";
import { createFixedSerde, topics, type AnyDecodedRecord } from "@sluice/contracts";
import { createMetrics, listen, type ListenLimits, listenLimitsDefault } from "@sluice/service";
import { startIngress, type Ingress } from "@sluice/ingress";
import { createMemoryBroker } from "@sluice/messaging";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { sampleBank, sampleConfiguration, sampleConnector, sampleScheme, seededRandom } from "@sluice/testkit";
import { expect, vi } from "vitest";

export interface ListeningIngress extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly ingress: Ingress;
  /** Returns the decoded records of the journal. */
  journal(): readonly AnyDecodedRecord[];
}

export interface ListeningIngressOptions {
  readonly configuration?: Configuration;
  readonly limits?: Partial<ListenLimits>;
  /** The public origins; none by default. */
  readonly origins?: readonly string[];
}

/** A configuration whose callers may send as much as a test needs. */
export const interfaceConfiguration = sampleConfiguration({
  banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "250656" })],
  connectors: [sampleConnector()],
  schemes: [sampleScheme({ creditsFinal: "connector" }), sampleScheme({ id: "ZA_RTC" }), sampleScheme({ id: "ZA_RPP" })],
});

export async function startListeningIngress({
  configuration = interfaceConfiguration,
  limits = {},
  origins = [],
}: ListeningIngressOptions = {}): Promise<ListeningIngress> {
  await using stack = new AsyncDisposableStack();
  const time = machineTime;
  const messaging = createMemoryBroker({
    time,
    random: seededRandom(1),
    topics: { [topics.journal]: 1, [topics.audit]: 1, [topics.probe]: 1 },
  });
  const serde = createFixedSerde();
  const metrics = createMetrics({ withProcess: false });
  const ingress = startIngress({
    time,
    random: machineRandom,
    logger: silentLogger,
    metrics,
    messaging,
    serde,
    configuration,
    partitionCount: 1,
    tokenPorts: { loadKeySet: () => Promise.reject(new Error("no test has an issuer of tokens")), origins },
  });
  stack.defer(() => ingress.stop());
  const listening = await listen({
    fetch: (request, connection) => ingress.fetch(request, connection),
    direct: ingress.direct,
    host: "127.0.0.1",
    port: 0,
    limits: { ...listenLimitsDefault, ...limits },
    logger: silentLogger,
  });
  stack.defer(() => listening.close(0));
  await vi.waitFor(() => expect(ingress.readiness().isReady).toBe(true));
  const running = stack.move();
  return {
    port: listening.port,
    url: `http://127.0.0.1:${listening.port}`,
    ingress,
    journal: () => messaging.records({ topic: topics.journal, partition: 0 }).map(({ value }) => serde.decode(value ?? new Uint8Array())),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
