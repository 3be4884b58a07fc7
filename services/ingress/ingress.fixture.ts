// Test environment: ingress over a memory journal under a virtual clock, without a socket.

import { createFixedSerde, partitionFor, type Serde, topics, type AnyDecodedRecord } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import { createDocumentsApp } from "@sluice/documents";
import { type ClientConnection, createMetrics } from "@sluice/service";
import { createMemoryBroker, type MemoryBroker, type ProduceFate } from "@sluice/messaging";
import { silentLogger, type Logger, type LogFields } from "@sluice/kernel";
import {
  encodeBody,
  createVirtualTime,
  buildDirectDebit,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleScheme,
  sampleToken,
  seededRandom,
  type MessageObject,
} from "@sluice/testkit";
import { createDataKeys, createSealingSerde, type KeyService } from "@sluice/secrecy";
import { startIngress, type IngressAnswer, type IngressPorts, type IngressRequest } from "./service.ts";

/** The start of the clock: 08:00 in the scheme's zone. */
export const ingressStartAtMs = Date.UTC(2026, 10, 20, 6);
export const partitionCount = 4;

/** Two banks, a connector of every scheme except ZA_RPP, and a connector of ZA_RPP only. */
export const sampleParties: Configuration = sampleConfiguration({
  banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "250656" })],
  connectors: [sampleConnector({ schemes: ["ZA_EFT", "ZA_RTC"] }), sampleConnector({ id: "rapid", schemes: ["ZA_RPP"] })],
  schemes: [sampleScheme({ creditsFinal: "connector" }), sampleScheme({ id: "ZA_RTC" }), sampleScheme({ id: "ZA_RPP" })],
});

/** With a key service it can seal. `ports` replaces some of what ingress is started with, such as the virtual clock. */
export async function startTestIngress(
  configuration: Configuration = sampleParties,
  service: KeyService | null = null,
  ports: Partial<Pick<IngressPorts, "time" | "tokenPorts">> = {},
) {
  const virtualTime = createVirtualTime({ startAtMs: ingressStartAtMs });
  const { time } = { time: virtualTime, ...ports };
  const environment: { fate: ProduceFate; auditFate: ProduceFate; lines: { event: string; fields: LogFields }[] } = {
    fate: { kind: "append" },
    auditFate: { kind: "append" },
    lines: [],
  };
  const messaging = createMemoryBroker({
    time,
    random: seededRandom(1),
    topics: { [topics.journal]: partitionCount, [topics.audit]: partitionCount, [topics.probe]: 1 },
    hooks: { produce: (_, [record]) => (record?.topic === topics.audit ? environment.auditFate : environment.fate) },
  });
  const note = (event: string, fields: LogFields = {}): void => void environment.lines.push({ event, fields });
  const logger: Logger = { ...silentLogger, info: note, warn: note, error: note };
  const serde = createSealingSerde({ serde: createFixedSerde(), keys: service === null ? null : createDataKeys({ service, time }) });
  const metrics = createMetrics({ withProcess: false });
  const ingress = startIngress({
    time,
    random: seededRandom(2),
    logger,
    metrics,
    messaging,
    serde,
    configuration,
    documents: createDocumentsApp(),
    partitionCount,
    ...ports,
  });
  await virtualTime.advance(50);

  const journal = () => readJournal(messaging, serde);

  /** The entries of the audit: kind and content. */
  const audit = (): readonly (readonly [string, unknown])[] =>
    messaging.records({ topic: topics.audit, partition: partitionFor("audit", partitionCount) }).map(({ value }) => {
      const { name, value: entry } = serde.decode(value ?? new Uint8Array());
      if (name !== "AuditEntry") throw new Error(name);
      const content: unknown = JSON.parse(entry.content);
      return [entry.kind, content];
    });

  const settled = virtualTime.finish;

  const accept = (message: MessageObject | Uint8Array, request: Partial<IngressRequest> = {}): Promise<IngressAnswer> =>
    settled(
      ingress.accept({
        operation: "outboundDirectDebit",
        caller: "first",
        body: message instanceof Uint8Array ? message : encodeBody(message),
        ...request,
      }),
    );

  const requested = (path: string, init: RequestInit = {}, connection?: ClientConnection): Promise<Response> =>
    settled(ingress.fetch(new Request(`http://ingress${path}`, init), connection));

  return { ingress, time: virtualTime, messaging, environment, journal, audit, accept, requested, settled };
}

interface JournalRecord {
  readonly partition: number;
  readonly key: string;
  readonly headers: Record<string, string>;
  readonly decoded: AnyDecodedRecord;
}

function readJournal(messaging: MemoryBroker, serde: Serde): readonly JournalRecord[] {
  return Array.from({ length: partitionCount }, (_, partition) => messaging.records({ topic: topics.journal, partition }))
    .flat()
    .map(({ partition, key, headers, value }) => ({
      partition,
      key: Buffer.from(key ?? []).toString(),
      headers: { ...headers },
      decoded: serde.decode(value ?? new Uint8Array()),
    }));
}

/** A POST by the first bank; a header that is undefined is left out. */
export function postBody(body: Uint8Array, headers: Record<string, string | undefined> = {}): RequestInit {
  const all = {
    authorization: `Bearer ${sampleToken("first")}`,
    "content-type": "application/json",
    "content-length": String(body.byteLength),
    ...headers,
  };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as [string, string]]));
  return { method: "POST", headers: given, body: Buffer.from(body) };
}

export function authorizationFor(party: string): Record<string, string> {
  return { authorization: `Bearer ${sampleToken(party)}` };
}

export const debitBody = encodeBody(buildDirectDebit());
