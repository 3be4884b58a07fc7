// Compares the topics that a service writes with the configuration, at its start and every quarter of an hour, and says
// in its metrics how they differ. The console shows what all services say: every topic is written by one of them.
//
// #1 A service has the right to the settings of the topics that it writes, and to no other (rights in contracts). So
//    the console needs no right of its own for it.
// #2 Nothing is changed, and nothing waits for it. What cannot be read is said in the log, and the last answer stays
//    until the connection is closed.

import type { ConfiguredTopics } from "@sluice/config";
import { type BrokerService, brokerTopicsOf } from "@sluice/contracts";
import { formatReason, type ListedSample, type Logger, type Metrics, type Time } from "@sluice/kernel";
import { buildTopicSpecs, type KafkaConnection, planTopics, type TopicsPlan } from "@sluice/messaging";

const everyMs = 15 * 60_000;
/** Differences that a service shows at most. */
const shownMax = 100;
const none: TopicsPlan = { missing: [], differences: [] };

export interface WatchTopicsPorts {
  readonly configuration: { readonly topics: ConfiguredTopics; readonly partitionCount: number };
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly opened: AsyncDisposableStack;
}

/** Returns at once. */
export function watchTopics(
  connection: KafkaConnection,
  service: BrokerService,
  { configuration, time, logger, metrics, opened }: WatchTopicsPorts,
  plan: typeof planTopics = planTopics,
): void {
  const { topics, partitionCount } = configuration;
  const written = new Set<string>(brokerTopicsOf(service).writes);
  const specs = buildTopicSpecs({ partitionCount, ...topics }).filter(({ topic }) => written.has(topic));
  const compared = metrics.gauge("sluice_topics_compared_timestamp_seconds", "When the topics were compared with the configuration.");
  let found = none;
  let timer: Disposable | null = null;
  let isStopped = false;

  async function look(): Promise<void> {
    try {
      const answer = await plan({ connection, specs, logger });
      if (isStopped) return;
      found = answer;
      compared.set(time.nowMs() / 1_000);
      for (const { topic, what, wanted, found: is, isDangerous } of found.differences)
        logger.warn("topics.differ", { topic, what, wanted, found: is, isDangerous });
    } catch (error) {
      logger.warn("topics.not-compared", { reason: formatReason(error) });
    }
    if (!isStopped) timer = time.after(everyMs, () => void look());
  }

  metrics.listed([difference], () => listSamples(found));
  opened.defer(() => {
    isStopped = true;
    found = none;
    timer?.[Symbol.dispose]();
  });
  void look();
}

const difference = {
  name: "sluice_topic_difference",
  help: "A topic differs from the configuration: which setting, what it is, and what it should be.",
  kind: "gauge",
  labels: ["topic", "what", "wanted", "found", "dangerous"],
} as const;

function listSamples({ differences }: TopicsPlan): readonly ListedSample[] {
  return differences.slice(0, shownMax).map(({ topic, what, wanted, found, isDangerous }) => ({
    name: difference.name,
    labels: { topic, what, wanted, found, dangerous: String(isDangerous) },
    value: 1,
  }));
}
