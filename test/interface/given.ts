// Ingress on a real port over a memory log, with two banks and a connector of every scheme.

import type { Configuration } from "@sluice/config";
import { fixedSerde, topics, type AnyDecoded } from "@sluice/contracts";
import { listen, listenLimitsDefault, type ListenLimits } from "@sluice/http";
import { startIngress, type Ingress } from "@sluice/ingress";
import { createMemoryLog } from "@sluice/messaging";
import { machineRandom, machineTime } from "@sluice/runtime";
import { createMetrics, silentLog } from "@sluice/telemetry";
import { sampleBank, sampleConfiguration, sampleConnector, sampleScheme, seededRandom } from "@sluice/testkit";
import { expect, vi } from "vitest";

export interface GivenIngress extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly ingress: Ingress;
  /** Records of the journal, decoded. */
  journal(): readonly AnyDecoded[];
}

export interface GivenOptions {
  readonly configuration?: Configuration;
  readonly limits?: Partial<ListenLimits>;
}

/** Everybody may send as much as a test likes. */
export const interfaceConfiguration = sampleConfiguration({
  banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "250656" })],
  connectors: [sampleConnector()],
  schemes: [sampleScheme({ creditsFinal: "connector" }), sampleScheme({ id: "ZA_RTC" }), sampleScheme({ id: "ZA_RPP" })],
});

export async function givenIngress({ configuration = interfaceConfiguration, limits = {} }: GivenOptions = {}): Promise<GivenIngress> {
  await using stack = new AsyncDisposableStack();
  const time = machineTime;
  const messaging = createMemoryLog({ time, random: seededRandom(1), topics: { [topics.journal]: 1, [topics.probe]: 1 } });
  const serde = fixedSerde();
  const metrics = createMetrics({ withProcess: false });
  const ingress = startIngress({ time, random: machineRandom, log: silentLog, metrics, messaging, serde, configuration, lanes: 1 });
  stack.defer(() => ingress.stop());
  const listening = await listen({
    fetch: (request, connection) => ingress.fetch(request, connection),
    host: "127.0.0.1",
    port: 0,
    limits: { ...listenLimitsDefault, ...limits },
    log: silentLog,
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
