// What a process of Sluice says of itself, by its `/readyz` and its metrics.
//
// #1 A process of another release may say less or more: what is missing is not known, and is no failure.

import { findConfiguration, readMetrics, type MetricSample } from "@sluice/kernel";
import type { AskedProcess } from "@sluice/process";
import { formatInstant } from "../http/bank-answer.ts";

export interface ReadPartition {
  readonly topic: string;
  readonly partition: number;
  readonly position: bigint;
}

export function readProcess({ address, readiness, metrics, failure }: AskedProcess) {
  const said = parseObject(readiness ?? "");
  const samples = readMetrics(metrics);
  const build = samples.find(({ name }) => name === "sluice_build_info")?.labels ?? {};
  const skew = findValue(samples, "sluice_clock_skew_seconds");
  const startedAt = findValue(samples, "process_start_time_seconds");
  const service = textOf(said["service"]);
  return {
    view: {
      service,
      address,
      failure: failure ?? (service === null ? "what it answers is not the answer of a service" : null),
      isReady: said["isReady"] === true,
      reasons: listOf(said["reasons"]).filter((reason) => typeof reason === "string"),
      since: timeOf(said["since"]),
      startedAt: startedAt === null ? null : formatInstant(startedAt * 1_000),
      release: build["release"] ?? null,
      node: build["node"] ?? null,
      configuration: findConfiguration(samples),
      isConfigurationRefused: findValue(samples, "sluice_configuration_refused") === 1,
      skewMs: skew === null ? null : Math.round(skew * 1_000),
      rules: findRules(samples),
      appends: findAppends(samples),
      blocked: listOf(said["blocked"]).map(blockedView),
    },
    partitions: findPartitions(samples),
    topicDifferences: findTopicDifferences(samples),
    hasComparedTopics: findValue(samples, "sluice_topics_compared_timestamp_seconds") !== null,
    certificates: samples.flatMap(({ name, labels, value }) =>
      name === "sluice_delivery_certificate_ends_timestamp_seconds"
        ? [{ receiver: labels["receiver"] ?? "", endsAtMs: value * 1_000 }]
        : [],
    ),
  };
}

/** The versions of rules by which the process decides: of records, and of accounts with the dates of their data. */
function findRules(samples: readonly MetricSample[]) {
  const decisions = findValue(samples, "sluice_decision_rules_version");
  return [
    ...(decisions === null ? [] : [{ rule: "decisions", version: String(decisions), from: null, to: null }]),
    ...samples.flatMap(({ name, labels: { rule = "", version = "", from = "", to = "" } }) =>
      name === "sluice_account_rules" ? [{ rule, version, from: from === "" ? null : from, to: to === "" ? null : to }] : [],
    ),
  ];
}

/** How long the broker took to acknowledge the batches of a process, of all its producers since its start. */
function findAppends(samples: readonly MetricSample[]) {
  const bucketOf = ({ labels }: MetricSample): number => (labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]));
  const buckets = Map.groupBy(
    samples.filter(({ name }) => name === "sluice_log_append_seconds_bucket"),
    bucketOf,
  );
  const sums = [...buckets]
    .map(([bound, own]) => ({ bound, batches: own.reduce((sum, { value }) => sum + value, 0) }))
    .toSorted((a, b) => a.bound - b.bound);
  const batches = sums.at(-1)?.batches ?? 0;
  const bound = sums.find((one) => one.batches >= batches * 0.99)?.bound ?? Number.POSITIVE_INFINITY;
  return batches === 0 ? null : { batches, p99Ms: Number.isFinite(bound) ? Math.round(bound * 1_000) : null };
}

/** The partitions that a process owns, with the offset up to which all is done. */
function findPartitions(samples: readonly MetricSample[]): readonly ReadPartition[] {
  const keyOf = ({ labels }: MetricSample): string => `${labels["topic"]}/${labels["partition"]}`;
  const committed = samples.filter(({ name }) => name === "sluice_partition_committed_offset");
  const positions = new Map(committed.map((sample) => [keyOf(sample), sample.value]));
  return samples
    .filter(({ name, value }) => name === "sluice_partition_owned" && value === 1)
    .map((sample) => ({
      topic: sample.labels["topic"] ?? "",
      partition: Number(sample.labels["partition"]),
      position: BigInt(Math.trunc(positions.get(keyOf(sample)) ?? 0)),
    }))
    .toSorted((a, b) => (a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1));
}

/** How the topics that the process writes differ from its configuration. */
function findTopicDifferences(samples: readonly MetricSample[]) {
  return samples.flatMap(({ name, labels: { topic = "", what = "", wanted = "", found = "", dangerous = "" } }) =>
    name === "sluice_topic_difference" ? [{ topic, what, wanted, found, isDangerous: dangerous === "true" }] : [],
  );
}

function blockedView(given: unknown) {
  const { topic, partition, offset, key, receiver, since, why }: Readonly<Record<string, unknown>> = Object(given);
  return {
    topic: textOf(topic) ?? "",
    partition: typeof partition === "number" ? partition : 0,
    offset: /^\d+$/.test(textOf(offset) ?? "") ? String(offset) : "0",
    key: textOf(key) ?? "",
    receiver: textOf(receiver),
    since: timeOf(since),
    why: textOf(why) ?? "",
  };
}

function findValue(samples: readonly MetricSample[], wanted: string): number | null {
  return samples.find(({ name }) => name === wanted)?.value ?? null;
}

/** #1 */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function timeOf(value: unknown): string | null {
  const atMs = Date.parse(textOf(value) ?? "");
  return Number.isNaN(atMs) ? null : formatInstant(atMs);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
