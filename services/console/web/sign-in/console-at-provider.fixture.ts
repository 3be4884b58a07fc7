// For tests: the console on a port, over memory, and a real provider at which its operators sign in. The clock is the
// machine's, because the provider has no other.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Configuration } from "@sluice/config";
import { createFixedSerde, partitionedTopics, topics } from "@sluice/contracts";
import { type LogFields, machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { createMemoryBroker } from "@sluice/messaging";
import { signInPorts } from "@sluice/process";
import { createMetrics, listen, listenLimitsDefault } from "@sluice/service";
import { createMemoryStore } from "@sluice/store";
import {
  createClientKey,
  sampleBank,
  sampleConfiguration,
  sampleOperator,
  signInByProvider,
  twoFactors,
  type Visitor,
} from "@sluice/testkit";
import { type ProvidedPerson, startOperatorProvider } from "@sluice/testkit/operator-provider";
import { startConsole } from "../../service.ts";

const partitionCount = 3;
const people: readonly ProvidedPerson[] = [
  { subject: "s-thandi", name: "Thandi", claims: { sluice_roles: ["read", "act", "approve"] } },
  { subject: "s-sipho", name: "Sipho", claims: { sluice_roles: ["read"] } },
  { subject: "s-stranger", name: "Stranger", claims: { sluice_roles: ["read", "act", "approve"] } },
];

export type ConsoleAtProvider = Awaited<ReturnType<typeof openConsoleAtProvider>>;

/** Operators are `thandi`, who may read and act, and `sipho`, who may all that the provider leaves. */
export async function openConsoleAtProvider(over: Partial<Configuration> = {}) {
  const time = machineTime;
  const folder = mkdtempSync(join(tmpdir(), "sluice-sign-in-"));
  const keyFile = join(folder, "key.pem");
  const clientKeyPem = createClientKey();
  writeFileSync(keyFile, clientKeyPem, { mode: 0o600 });
  let desk: Awaited<ReturnType<typeof startConsole>> | null = null;
  const listener = await listen({
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
    fetch: async (request, connection) => (await desk?.fetchControl(request, connection)) ?? new Response(null, { status: 503 }),
  });
  const origin = `http://localhost:${listener.port}`;
  const provider = await startOperatorProvider({ port: 0, tls: null, clientId: "console", clientKeyPem, origins: [origin], people });
  const configuration = buildConfiguration({ issuer: provider.issuer, keyFile, origin }, over);
  const lines: { event: string; fields: LogFields }[] = [];
  const note = (event: string, fields: LogFields = {}): void => void lines.push({ event, fields });
  const random = machineRandom;
  const counts = Object.fromEntries(partitionedTopics.map((topic) => [topic, partitionCount]));
  const messaging = createMemoryBroker({ time, random, topics: { ...counts, [topics.probe]: 1 } });
  const serde = createFixedSerde();
  const metrics = createMetrics({ withProcess: false });
  const logger = { ...silentLogger, info: note, warn: note, error: note };
  const ports = { time, random, logger, metrics, messaging, serde, configuration, partitionCount };
  await using opened = new AsyncDisposableStack();
  const opening = {
    name: "console",
    environment: {},
    configuration,
    time,
    random,
    logger,
    metrics,
    stopping: new AbortController().signal,
  };
  const reaching = await signInPorts.open({ ...opening, opened });
  const started = await startConsole({ ...ports, store: createMemoryStore({ time, random }), signInPorts: reaching });
  desk = started;

  return {
    origin,
    provider,
    configuration,
    lines,
    metrics,
    auditEntries: () => readAuditEntries(messaging),
    replaceConfiguration: (next: Configuration) => started.replaceConfiguration(next),
    async [Symbol.asyncDispose]() {
      await started.stop();
      await listener.close(100);
      await provider.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function buildConfiguration(
  at: { readonly issuer: string; readonly keyFile: string; readonly origin: string },
  over: Partial<Configuration>,
) {
  const operatorSignIn = {
    ...at,
    clientId: "console",
    keyId: null,
    algorithms: ["ES256"],
    acrValues: [twoFactors],
    rolesClaim: "sluice_roles",
    bankClaim: null,
    schemesClaim: null,
    commandLineClient: null,
    caFile: null,
    takesTokens: false,
  } as const;
  return sampleConfiguration({
    banks: [sampleBank({ id: "first" })],
    operators: [
      sampleOperator({ id: "thandi", tokens: [], subject: "s-thandi", roles: ["read", "act"] }),
      sampleOperator({ id: "sipho", subject: "s-sipho" }),
    ],
    operatorSignIn,
    ...over,
  });
}

interface FoundEntry {
  readonly kind: string;
  readonly content: Readonly<Record<string, unknown>>;
}

function readAuditEntries({ records }: Pick<ReturnType<typeof createMemoryBroker>, "records">): readonly FoundEntry[] {
  const serde = createFixedSerde();
  const partitions = Array.from({ length: partitionCount }, (_, partition) => partition);
  return partitions
    .flatMap((partition) => records({ topic: topics.audit, partition }))
    .flatMap(({ value }) => {
      const decoded = value === null ? null : serde.decode(value);
      if (decoded?.name !== "AuditEntry") return [];
      const content: unknown = JSON.parse(decoded.value.content);
      return [{ kind: decoded.value.kind, content: typeof content === "object" ? { ...content } : {} }];
    });
}

/** Signs a person in, and returns what the console answers to the address at which the provider sends it back. */
export async function signInAt({ origin }: ConsoleAtProvider, visitor: Visitor, subject: string, factors: 1 | 2 = 2, next = "/") {
  return await signInByProvider(visitor, origin, { subject, factors, next });
}
