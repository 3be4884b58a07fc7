// listTopics and showTopic: the topics, who writes and reads their records, and every field of the newest schema of a
// record.
//
// #1 It is what this release was made with, and the retentions are as configured. What the brokers have may differ:
//    `./sluice provision --check` says so.

import type { Configuration } from "@sluice/config";
import { describeTopics, type TopicDescription } from "@sluice/documents";
import { refuseWith } from "../decisions/decision.ts";
import type { ControlHandler } from "../http/control-handler.ts";

interface TopicsPorts {
  readonly configuration: Pick<Configuration, "topics">;
  readonly partitionCount: number;
}

const dayMs = 86_400_000;

export function listTopics(ports: TopicsPorts): ControlHandler {
  return async () => {
    const rows = describe(ports).map((topic) => ({
      ...topicView(topic),
      records: topic.records.map(({ fields: _fields, ...record }) => record),
    }));
    return await Promise.resolve({ kind: "found", body: { schema: "Topics", rows } });
  };
}

export function showTopic(ports: TopicsPorts): ControlHandler {
  return async ({ path }) => {
    const found = describe(ports).find(({ topic }) => topic === path["topic"]);
    if (found === undefined) return await Promise.resolve(refuseWith(404, "Not known", "No topic of Sluice has this name."));
    return { kind: "found", body: { schema: "Topic", ...topicView(found), records: found.records } };
  };
}

function describe({ configuration, partitionCount }: TopicsPorts): readonly TopicDescription[] {
  return describeTopics({ partitionCount, retentionMs: configuration.topics.retentionMs });
}

function topicView({ topic, text, partitions, retentionMs, isCompacted }: TopicDescription) {
  return { topic, text, partitions, retentionDays: retentionMs === null ? null : retentionMs / dayMs, isCompacted };
}
