// The listeners of the matrix over TLS on real ports: ingress, both sides of the console and the operations port, over
// one memory broker and one memory store.
//
// #1 Each request runs in an asynchronous context of its own, so that what it reads of the store is known as its own,
//    beside what the services read by themselves.
// #2 The clocks of rates and sessions can be moved ahead between two addresses, so that no caller is refused for its
//    rate.

import { AsyncLocalStorage } from "node:async_hooks";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startConsole } from "@sluice/console";
import { createFixedSerde, partitionedTopics, partitionFor, sha256Hex, topics } from "@sluice/contracts";
import { createDocumentsApp, readDocument } from "@sluice/documents";
import { createPartitionView, decide, extendRules } from "@sluice/domain";
import { startIngress } from "@sluice/ingress";
import { machineRandom, machineTime, silentLogger, type Time } from "@sluice/kernel";
import { createMemoryBroker } from "@sluice/messaging";
import { createMetrics, createOpsApp, listen, listenLimitsDefault, type ListenOptions, type ServedRoute } from "@sluice/service";
import { createMemoryStore, noSearchTerms } from "@sluice/store";
import { sampleUetr, seededRandom } from "@sluice/testkit";
import { expect, vi } from "vitest";
import { createMatrixCallers, publicOrigin } from "./matrix-callers.fixture.ts";

const partitionCount = 2;
/** The scheduler has read everything, so that what it does not know is not known. */
const farPosition = 1_000_000n;
const startAtMs = Date.UTC(2026, 10, 20, 6);
/** Names a request, so that its reads can be found (#1). */
export const cellHeader = "x-matrix-cell";

interface MatrixListenerPort {
  readonly port: number;
  readonly routes: readonly ServedRoute[];
}

export async function openMatrixListeners() {
  await using stack = new AsyncDisposableStack();
  const clock = { aheadMs: 0 };
  const begunMs = machineTime.nowMs();
  const time: Time = {
    nowMs: () => startAtMs + machineTime.nowMs() - begunMs,
    monotonicMs: () => machineTime.monotonicMs() + clock.aheadMs,
    after: (delayMs, action) => machineTime.after(delayMs, action),
  };
  const cells = new AsyncLocalStorage<string>();
  const reads = new Map<string, string[]>();
  const noteRead = (operation: string): void => {
    const cell = cells.getStore();
    if (cell !== undefined) reads.set(cell, [...(reads.get(cell) ?? []), operation]);
  };
  const callers = await createMatrixCallers(() => time.nowMs());
  const { configuration } = callers;
  const perPartition = Object.fromEntries(partitionedTopics.map((topic) => [topic, partitionCount]));
  const messaging = createMemoryBroker({ time, random: seededRandom("log"), topics: { ...perPartition, [topics.probe]: 1 } });
  const store = createMemoryStore({
    time,
    random: seededRandom("store"),
    hooks: { latencyMs: [0, 0], observe: ({ operation }) => noteRead(operation) },
  });
  await store.transactions.write([{ document: buildDocument(), expectedVersion: 0 }]);
  for (const partition of Array.from({ length: partitionCount }).keys()) {
    const held = await store.partitions.takeOver("scheduler", partition);
    await store.partitions.write("scheduler", partition, held, farPosition);
  }
  const serde = createFixedSerde();
  const ports = (name: string) => ({
    time,
    random: machineRandom,
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
    messaging: messaging.client(name),
    serde,
    configuration,
    partitionCount,
    tokenPorts: { loadKeySet: async () => await Promise.resolve(callers.keySet), origins: [publicOrigin] },
  });
  const helpFolder = await mkdtemp(join(tmpdir(), "sluice-matrix-"));
  await writeFile(join(helpFolder, "index.html"), "<!doctype html><title>Help</title>");
  const ingress = startIngress({ ...ports("ingress"), documents: createDocumentsApp() });
  stack.defer(() => ingress.stop());
  const desk = await startConsole({ ...ports("console"), store, controlDocument: readDocument("control"), helpFolder });
  stack.defer(() => desk.stop());
  const operations = createOpsApp({
    service: "ingress",
    readiness: () => ({ isReady: true, reasons: [] }),
    metrics: createMetrics({ withProcess: false }),
    nowMs: () => time.nowMs(),
  });

  async function serve(fetch: ListenOptions["fetch"], direct: NonNullable<ListenOptions["direct"]> = () => null): Promise<number> {
    const { certificatePem, keyPem } = callers.listener;
    const listener = await listen({
      fetch: (request, connection) => cells.run(request.headers.get(cellHeader) ?? "none", () => fetch(request, connection)),
      direct(method, path) {
        const handler = direct(method, path);
        if (handler === null) return null;
        return (request, connection) => cells.run(request.header(cellHeader) ?? "none", () => handler(request, connection));
      },
      host: "127.0.0.1",
      port: 0,
      limits: listenLimitsDefault,
      logger: silentLogger,
      tls: {
        clientCertificates: "asked",
        current: () => ({ certificate: Buffer.from(certificatePem), key: Buffer.from(keyPem), clientAuthorities: [callers.authority] }),
        onRenewal: () => ({ [Symbol.dispose]: () => {} }),
      },
    });
    stack.defer(() => listener.close(0));
    return listener.port;
  }

  const control = await serve((request, connection) => desk.fetchControl(request, connection));
  const listeners: Readonly<Record<string, MatrixListenerPort>> = {
    ingress: { port: await serve((request, connection) => ingress.fetch(request, connection), ingress.direct), routes: ingress.routes },
    banks: { port: await serve((request, connection) => desk.fetch(request, connection)), routes: desk.routes.banks },
    control: { port: control, routes: desk.routes.control },
    pages: { port: control, routes: desk.routes.pages },
    operations: { port: await serve((request) => operations.fetch(request)), routes: operations.routes },
  };
  await vi.waitFor(() => expect([ingress.readiness().isReady, desk.readiness().reasons]).toEqual([true, []]), { timeout: 20_000 });
  const running = stack.move();
  const logged = partitionedTopics.filter((topic) => topic !== topics.audit);
  return {
    callers,
    listeners,
    readsOf: (cell: string) => reads.get(cell) ?? [],
    /** Counts what is in the log, without the audit and the probes of the clock. */
    countRecords: () =>
      logged.reduce(
        (sum, topic) =>
          sum +
          Array.from({ length: partitionCount }, (_, partition) => messaging.records({ topic, partition }).length).reduce((a, b) => a + b),
        0,
      ),
    /** #2 */
    moveAhead: (ms: number) => void (clock.aheadMs += ms),
    close: () => running.disposeAsync(),
  };
}

/** A debit of the first bank. */
function buildDocument() {
  const message = { sender: "first", messageIdentification: "M-1", contentHash: "c", substanceHash: "s" };
  const fact = {
    kind: "DirectDebitReceived",
    flow: "on-us",
    uetr: sampleUetr,
    message,
    bank: null,
    receivedAtMs: startAtMs,
    reconciliationDay: "ZA_EFT:2026-11-20",
    closesAtMs: startAtMs,
    scheme: "ZA_EFT",
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
  } as const;
  const partition = partitionFor(sampleUetr, partitionCount);
  const view = createPartitionView(partition, []);
  const { transaction } = decide(sampleUetr, null, fact, { offset: 0n, appendedAtMs: startAtMs }, view, sha256Hex);
  if (transaction === null) throw new Error("a received debit is a transaction");
  const kept = { acceptedMessage: new Uint8Array(), verdict: null, finalReport: null, traceparent: null };
  return { ...kept, transaction, search: noSearchTerms, rules: extendRules(null, 1) };
}
