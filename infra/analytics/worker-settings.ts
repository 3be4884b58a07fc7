// The settings of the Connect worker and of its connectors, one for each table, as property files.
//
// #1 A worker that was killed is replaced within seconds: its membership and its open transaction end soon. Connect's
//    own defaults keep both for a minute.
// #2 A record that cannot be read stops its connector. Nothing is skipped.
// #3 What a new version of a schema adds becomes a column.

import { lakeNamespace, type LakeTable } from "./tables.ts";

export interface WorkerPlace {
  readonly kafkaBrokers: string;
  /** Address of the registry's own API, not of the Confluent-compatible one. */
  readonly registryUrl: string;
  readonly restPort: number;
  /** Folder of the worker's own files. */
  readonly directory: string;
  /** Folder of the catalog. */
  readonly lake: string;
  /** Milliseconds between two commits of a table. */
  readonly commitIntervalMs: number;
}

/** Where workers agree about commits; compacted by age. */
export const controlTopic = "sluice-lake-control";

/** #1 Milliseconds. */
const sessionTimeoutMs = 10_000;
const transactionTimeoutMs = 10_000;
const commitTimeoutMs = 15_000;
/** A topic that is created later is seen within this time, in milliseconds. */
const metadataMaxAgeMs = 5_000;
const commitFailuresMax = 10;

export function workerSettings({ kafkaBrokers, registryUrl, restPort, directory }: WorkerPlace): Readonly<Record<string, string>> {
  const converter = {
    "": "io.apicurio.registry.utils.converter.AvroConverter",
    ".apicurio.registry.url": registryUrl,
    // The wire format of Confluent: a zero and four bytes with the id of the content.
    ".apicurio.registry.as-confluent": "true",
    ".apicurio.registry.use-id": "contentId",
    ".apicurio.registry.headers.enabled": "false",
  };
  return {
    "bootstrap.servers": kafkaBrokers,
    listeners: `http://127.0.0.1:${restPort}`,
    "offset.storage.file.filename": `${directory}/offsets`,
    "offset.flush.interval.ms": "5000",
    "key.converter": "org.apache.kafka.connect.storage.StringConverter",
    ...Object.fromEntries(Object.entries(converter).map(([name, value]) => [`value.converter${name}`, value])),
    "plugin.discovery": "only_scan",
    "consumer.auto.offset.reset": "earliest",
    "consumer.session.timeout.ms": String(sessionTimeoutMs),
    "consumer.heartbeat.interval.ms": String(sessionTimeoutMs / 5),
    "consumer.metadata.max.age.ms": String(metadataMaxAgeMs),
  };
}

export function connectorName({ name }: LakeTable): string {
  return `lake-${name}`;
}

export function connectorSettings(table: LakeTable, place: WorkerPlace): Readonly<Record<string, string>> {
  const { kafkaBrokers, lake, commitIntervalMs } = place;
  return {
    name: connectorName(table),
    "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
    "tasks.max": "1",
    topics: table.topic,
    "errors.tolerance": "none",
    "iceberg.catalog.type": "hadoop",
    "iceberg.catalog.warehouse": `file://${lake}`,
    "iceberg.tables": `${lakeNamespace}.${table.name}`,
    "iceberg.tables.auto-create-enabled": "true",
    "iceberg.tables.evolve-schema-enabled": "true",
    "iceberg.tables.default-partition-by": table.partitionBy,
    "iceberg.control.topic": controlTopic,
    "iceberg.control.commit.interval-ms": String(commitIntervalMs),
    "iceberg.control.commit.timeout-ms": String(commitTimeoutMs),
    "iceberg.control.commit.max-consecutive-failures": String(commitFailuresMax),
    "iceberg.kafka.bootstrap.servers": kafkaBrokers,
    "iceberg.kafka.transaction.timeout.ms": String(transactionTimeoutMs),
    "iceberg.kafka.session.timeout.ms": String(sessionTimeoutMs),
    "iceberg.kafka.heartbeat.interval.ms": String(sessionTimeoutMs / 5),
  };
}

export function propertiesText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/** Returns the address of the registry's own API. Null: it is no registry of the kind that the converter asks. */
export function registryApi(schemaRegistryUrl: string): string | null {
  const [base, path] = schemaRegistryUrl.split("/apis/");
  return path?.startsWith("ccompat/") === true ? `${base}/apis/registry/v2` : null;
}
