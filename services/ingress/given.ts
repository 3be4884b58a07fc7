// For tests: ingress over a memory log under a virtual clock, without a socket.

import { fixedSerde, topics, type AnyDecoded } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import { documentsApp } from "@sluice/documents";
import type { Connection } from "@sluice/http";
import { createMemoryLog, type ProduceFate } from "@sluice/messaging";
import { createMetrics, silentLog, type Log, type LogFields } from "@sluice/telemetry";
import {
  bodyOf,
  createVirtualTime,
  directDebit,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleScheme,
  sampleToken,
  seededRandom,
  type JsonObject,
} from "@sluice/testkit";
import { startIngress, type IngressAnswer, type IngressRequest } from "./service.ts";

/** 08:00 in the scheme's zone. */
export const startAtMs = Date.UTC(2026, 10, 20, 6);
export const lanes = 4;

/** Two banks, a connector of every scheme but ZA_RPP, and one of ZA_RPP alone. */
export const sampleParties: Configuration = sampleConfiguration({
  banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "250656" })],
  connectors: [sampleConnector({ schemes: ["ZA_EFT", "ZA_RTC"] }), sampleConnector({ id: "rapid", schemes: ["ZA_RPP"] })],
  schemes: [sampleScheme({ creditsFinal: "connector" }), sampleScheme({ id: "ZA_RTC" }), sampleScheme({ id: "ZA_RPP" })],
});

export async function givenIngress(configuration: Configuration = sampleParties) {
  const time = createVirtualTime({ startAtMs });
  const world: { fate: ProduceFate; lines: { event: string; fields: LogFields }[] } = { fate: { kind: "append" }, lines: [] };
  const messaging = createMemoryLog({
    time,
    random: seededRandom(1),
    topics: { [topics.journal]: lanes, [topics.probe]: 1 },
    hooks: { produce: () => world.fate },
  });
  const note = (event: string, fields: LogFields = {}): void => void world.lines.push({ event, fields });
  const log: Log = { ...silentLog, info: note, warn: note };
  const serde = fixedSerde();
  const metrics = createMetrics({ withProcess: false });
  const served = documentsApp();
  const documents = (request: Request): Promise<Response | null> => served.fetch(request);
  const ingress = startIngress({ time, random: seededRandom(2), log, metrics, messaging, serde, configuration, documents, lanes });
  await time.advance(50);

  function journal(): {
    readonly partition: number;
    readonly key: string;
    readonly headers: Record<string, string>;
    readonly decoded: AnyDecoded;
  }[] {
    return Array.from({ length: lanes }, (_, partition) => messaging.records({ topic: topics.journal, partition }))
      .flat()
      .map(({ partition, key, headers, value }) => ({
        partition,
        key: Buffer.from(key ?? []).toString(),
        headers: { ...headers },
        decoded: serde.decode(value ?? new Uint8Array()),
      }));
  }

  async function settled<T>(work: Promise<T>): Promise<T> {
    let done: { readonly value: T } | null = null;
    void work.then((value) => (done = { value }));
    await time.run({ until: () => done !== null, stepsMax: 100_000 });
    return done!.value;
  }

  const accept = (message: JsonObject | Uint8Array, request: Partial<IngressRequest> = {}): Promise<IngressAnswer> =>
    settled(
      ingress.accept({
        operation: "outboundDirectDebit",
        caller: "first",
        body: message instanceof Uint8Array ? message : bodyOf(message),
        ...request,
      }),
    );

  const requested = (path: string, init: RequestInit = {}, connection?: Connection): Promise<Response> =>
    settled(ingress.fetch(new Request(`http://ingress${path}`, init), connection));

  return { ingress, time, messaging, world, journal, accept, requested, settled };
}

/** A POST of the first bank; a header that is undefined is left out. */
export function post(body: Uint8Array, headers: Record<string, string | undefined> = {}): RequestInit {
  const all = {
    authorization: `Bearer ${sampleToken("first")}`,
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    ...headers,
  };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return { method: "POST", headers: given, body: Buffer.from(body) };
}

export function as(party: string): Record<string, string> {
  return { authorization: `Bearer ${sampleToken(party)}` };
}

export const aDebit = bodyOf(directDebit());
