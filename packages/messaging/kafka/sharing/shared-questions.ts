// What the partitions of a process ask the broker at the same moment, such as when it takes them over, goes in one
// request for each topic.
//
// #1 A question is asked of the broker after its caller has asked it, so no answer is older than its caller's question.
// #2 Where the question of all fails, each is asked alone: a topic that does not exist is refused for its own caller
//    only, and so is a partition without a leader.

import { gatherCalls, type Time } from "@sluice/kernel";
import type { LogIdentity, Messaging, PartitionEnds, TopicPartition } from "../../port.ts";

type Questions = Pick<Messaging, "ends" | "identity">;

/** Partitions of one request. */
const partitionsMax = 1_000;
/** Milliseconds that a question waits at most behind one that is under way. */
const behindMaxMs = 10;
/** Callers that one answer serves. */
const callersMax = 1_000;

export function shareQuestions(questions: Questions, time: Time): Questions {
  const ends = gatherCalls<readonly TopicPartition[], readonly PartitionEnds[]>({
    time,
    itemsMax: partitionsMax,
    sizeOf: (asked) => asked.length,
    behindMaxMs,
    isRepeatedAlone: true,
    async call(all) {
      const found = await questions.ends(all.flat());
      let from = 0;
      return all.map((asked) => found.slice(from, (from += asked.length)));
    },
  });
  const identity = gatherCalls<string, LogIdentity>({
    time,
    itemsMax: callersMax,
    behindMaxMs,
    isRepeatedAlone: true,
    async call(topics) {
      const distinct = [...new Set(topics)];
      const found = await Promise.all(distinct.map((topic) => questions.identity(topic)));
      return topics.map((topic) => found[distinct.indexOf(topic)]!);
    },
  });
  return { ends, identity };
}
