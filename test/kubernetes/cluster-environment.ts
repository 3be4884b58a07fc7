// The environment of the chart's test: the cluster of infra/kubernetes with the servers that Sluice needs, simulated
// banks and a connector beside the pods, and the chart as one release.
//
// #1 This process is in the cluster's network. Pods reach it at the node's address, and it reaches Services at theirs;
//    names of Services exist for pods alone.
// #2 A bank's token reaches the pods as a mounted Secret, the connector's as a variable: both ways of the chart.
// #3 The gate has opened with the clock, and the window is open from 08:00 to 20:00 in a zone in which it is about
//    noon: a debit goes through at once.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkHistory, type CheckReport } from "@sluice/checker";
import { createRegistrySerde } from "@sluice/contracts";
import {
  buildReferences,
  collectHistory,
  type EnvironmentBankAccess,
  type EnvironmentParties,
  loadDocuments,
  noonZone,
  openParties,
  readUetrs,
  renderConfiguration,
} from "@sluice/environment";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createKafkaMessaging } from "@sluice/messaging";
import { createMongoStore, type Store } from "@sluice/store";
import { createMemoryRecorder, type MemoryRecorder } from "@sluice/testkit";
import { applyObjects, helm, kubectl } from "./kubectl.ts";

/** The namespace of the release; pods in it keep the policy `restricted`. */
export const namespace = "sluice";
export const release = "sluice";
const nodeAddress = "10.244.0.1";
const podAddresses = "10.244.0.0/16";
const database = "sluice";
/** The addresses of infra/kubernetes/servers.yaml. */
const servers = {
  kafka: "10.96.0.20:9092",
  registry: "http://10.96.0.21:8080/apis/ccompat/v7",
  mongo: "mongodb://10.96.0.22:27017/?directConnection=true",
};
const inPods = {
  kafka: "kafka.data:9092",
  registry: "http://registry.data:8080/apis/ccompat/v7",
  mongo: "mongodb://mongo.data:27017/?directConnection=true",
};
const infra = (path: string): string => fileURLToPath(new URL(`../../infra/${path}`, import.meta.url));

const banks = [
  { id: "acacia", branch: "250655" },
  { id: "baobab", branch: "250656" },
] as const;

export interface ClusterEnvironment extends AsyncDisposable {
  readonly parties: EnvironmentParties;
  readonly recorded: MemoryRecorder;
  readonly ingressUrl: string;
  readonly store: Store;
  /** The configuration file of the release. */
  readonly configurationFile: string;
  bank(id: string): EnvironmentBankAccess;
  /** The words of `helm upgrade` that leave the release as it is. */
  upgradeWords(): readonly string[];
  /** Checks the whole history of the run. */
  check(): Promise<CheckReport>;
}

/** Brings the servers and the parties, and installs the chart; resolves when every pod is ready. */
export async function openClusterEnvironment(): Promise<ClusterEnvironment> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-kubernetes-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await kubectl("apply", "-f", infra("kubernetes/servers.yaml"));
  for (const name of ["kafka", "registry", "mongo"])
    await kubectl("-n", "data", "rollout", "status", `deployment/${name}`, "--timeout=180s");

  const recorded = createMemoryRecorder();
  const parties = await openParties(banks, { recorder: recorded, script: [], host: nodeAddress }, opened);
  const configurationFile = join(folder, "sluice.yaml");
  await writeFile(configurationFile, renderClusterConfiguration(parties));
  const valuesFile = join(folder, "values.yaml");
  await writeFile(valuesFile, JSON.stringify(buildValues()));
  await prepareNamespace(parties);
  const chart = [release, infra("chart"), "-n", namespace, "--values", valuesFile, "--set-file", `configuration=${configurationFile}`];
  await helm("install", ...chart, "--wait", "--timeout", "5m");
  const address = (await kubectl("get", "service", "sluice-ingress", "-n", namespace, "-o", "jsonpath={.spec.clusterIP}")).trim();
  const ingressUrl = `http://${address}:8080`;
  parties.callAt(ingressUrl);

  const connection = { brokers: [servers.kafka], clientId: "test" };
  const messaging = createKafkaMessaging({ connection, time: machineTime, logger: silentLogger });
  opened.defer(() => messaging.close());
  const serde = await createRegistrySerde({ url: servers.registry, time: machineTime });
  const store = createMongoStore({ url: servers.mongo, database, logger: silentLogger });
  opened.defer(() => store.close());
  const owned = opened.move();
  return {
    parties,
    recorded,
    ingressUrl,
    store,
    configurationFile,
    bank(id) {
      const found = parties.banks().find((bank) => bank.id === id);
      if (found === undefined) throw new Error(`there is no bank ${id}`);
      return found;
    },
    upgradeWords: () => ["upgrade", ...chart],
    async check() {
      const documents = await loadDocuments(store.transactions, await readUetrs(messaging));
      return checkHistory(await collectHistory({ messaging, serde, requests: recorded.requests, documents }));
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

interface ConfigurationFile {
  readonly banks: readonly Readonly<Record<string, unknown>>[];
  readonly connectors: readonly Readonly<Record<string, unknown>>[];
}

/** #2 */
function renderClusterConfiguration({ banks: accesses, connector }: EnvironmentParties): string {
  const windows = [{ opens: "08:00", closes: "20:00" }];
  const day = { zone: noonZone(machineTime.nowMs()), creditsFinal: "clock", version: 1, windows, reconciliation: "21:00" } as const;
  const file: ConfigurationFile = JSON.parse(renderConfiguration(day, accesses(), connector.access));
  // The parties share the processors with the cluster: a late answer of theirs is no reason to send a message twice.
  const reached = { allowedAddresses: [podAddresses], answerTimeout: "10s" };
  return JSON.stringify({
    ...file,
    topics: { replication: 1, minInsync: 1 },
    banks: file.banks.map((bank) => ({
      ...bank,
      bearerToken: undefined,
      ...reached,
      bearerTokenFile: `/etc/sluice/secrets/${String(bank["id"])}/token`,
    })),
    connectors: file.connectors.map((one) => ({ ...one, ...reached })),
  });
}

/**
 * The processor's requests are small, because all pods share one node. Rollouts go faster than by default, which leaves
 * a group less time between two joins.
 */
function buildValues(): object {
  const names = ["ingress", "validator", "scheduler", "dispatcher", "event-publisher", "console"];
  return {
    image: { repository: "sluice-local/sluice", tag: "kubernetes-1", pullPolicy: "Never" },
    tls: { endedBy: "test" },
    minReadySeconds: 2,
    secrets: banks.map(({ id }) => ({ name: id, secret: `sluice-${id}` })),
    environmentFrom: ["sluice-references"],
    kafka: { brokers: [inPods.kafka], fewReplicas: "allowed" },
    registry: { url: inPods.registry },
    mongo: { url: inPods.mongo, database },
    services: Object.fromEntries(names.map((name) => [name, { cpu: "50m" }])),
  };
}

async function prepareNamespace({ banks: accesses, connector }: EnvironmentParties): Promise<void> {
  const secret = (name: string, data: Readonly<Record<string, string>>): object => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    stringData: data,
  });
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  const service = { apiVersion: "v1", kind: "Service", spec: { ports: [{ port: 80 }] } };
  await applyObjects(
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } },
    // Kubernetes sets variables of these names in pods that have service links: they are those of the image's ports.
    { ...service, metadata: { name: "sluice-http", namespace } },
    { ...service, metadata: { name: "sluice-control", namespace } },
    secret("sluice-references", buildReferences([connector.access])),
    ...accesses().map(({ id, sluiceToken }) => secret(`sluice-${id}`, { token: sluiceToken })),
  );
}
