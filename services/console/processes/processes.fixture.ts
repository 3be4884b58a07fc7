// For tests: what processes of Sluice answer at their operations ports.

import { topics } from "@sluice/contracts";
import type { Readiness } from "@sluice/kernel";
import type { AskedProcess } from "@sluice/process";
import { createMetrics, createOpsApp } from "@sluice/service";
import { consoleStartAtMs } from "../console.fixture.ts";

export interface DescribedProcess {
  readonly service: string;
  readonly readiness?: Readiness;
  readonly hash?: string;
  readonly release?: string;
  /** When client certificates end, epoch seconds, by receiver. */
  readonly certificates?: Readonly<Record<string, number>>;
  /** Versions of the data of the account rule za-cdv. */
  readonly accountRules?: readonly string[];
  /** Version of the rules by which records are decided. */
  readonly decisionRules?: number;
  /** How long the broker took to acknowledge each batch, in seconds. */
  readonly appendSeconds?: readonly number[];
  /** Differences of topics: name, setting, configured, found. */
  readonly topicDifferences?: readonly (readonly [string, string, string, string, "harmless"?])[];
  /** Committed offsets by partition of the journal. */
  readonly owned?: Readonly<Record<number, number>>;
}

/** What a process of this service answers at its operations port. */
export async function answerAs(described: DescribedProcess, address: string): Promise<AskedProcess> {
  const { service, hash = "aaaa", release = "1.4.0", owned = {}, readiness = { isReady: true, reasons: [] } } = described;
  const metrics = createMetrics({ withProcess: false });
  metrics.gauge("sluice_build_info", "h", ["release", "node"]).set(1, { release, node: "v26.0.0" });
  metrics.gauge("sluice_configuration_version", "h", ["version", "hash"]).set(1, { version: "7", hash });
  metrics.gauge("sluice_configuration_since_seconds", "h").set(consoleStartAtMs / 1_000);
  metrics.gauge("sluice_clock_skew_seconds", "h").set(-0.012);
  const ends = metrics.gauge("sluice_delivery_certificate_ends_timestamp_seconds", "h", ["receiver"]);
  for (const [receiver, atSeconds] of Object.entries(described.certificates ?? {})) ends.set(atSeconds, { receiver });
  const accountRules = metrics.gauge("sluice_account_rules", "h", ["rule", "version", "from", "to"]);
  for (const version of described.accountRules ?? []) accountRules.set(1, { rule: "za-cdv", version, from: "0001-01-01", to: "" });
  if (described.decisionRules !== undefined) metrics.gauge("sluice_decision_rules_version", "h").set(described.decisionRules);
  if (described.topicDifferences !== undefined) {
    metrics.gauge("sluice_topics_compared_timestamp_seconds", "h").set(consoleStartAtMs / 1_000);
    const differs = metrics.gauge("sluice_topic_difference", "h", ["topic", "what", "wanted", "found", "dangerous"]);
    for (const [topic, what, wanted, is, harmless] of described.topicDifferences)
      differs.set(1, { topic, what, wanted, found: is, dangerous: String(harmless === undefined) });
  }
  const appends = metrics.histogram("sluice_log_append_seconds", "h", ["producer"]);
  for (const [index, seconds] of (described.appendSeconds ?? []).entries()) appends.observe(seconds, { producer: `p-${index % 2}` });
  const [isOwned, committed] = ["sluice_partition_owned", "sluice_partition_committed_offset"].map((name) =>
    metrics.gauge(name, "h", ["topic", "partition"]),
  );
  for (const partition of [0, 1, 2]) {
    const labels = { topic: topics.journal, partition: String(partition) };
    isOwned?.set(partition in owned ? 1 : 0, labels);
    committed?.set(owned[partition] ?? 0, labels);
  }
  const ops = createOpsApp({ service, metrics, readiness: () => readiness, nowMs: () => consoleStartAtMs });
  const read = async (path: string): Promise<string> => await (await ops.fetch(new Request(`http://ops${path}`))).text();
  return { address, readiness: await read("/readyz"), metrics: await read("/metrics"), failure: null };
}

/** What the process says that did not answer. */
export function silentProcess(address: string, failure: string): AskedProcess {
  return { address, readiness: null, metrics: "", failure };
}
