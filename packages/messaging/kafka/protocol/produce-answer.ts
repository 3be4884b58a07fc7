// What a broker answers to a Produce request, partition by partition.
//
// #1 A refusal is its partition's alone. kafkajs takes the first one for the answer to the whole request, so that one
//    partition with too few replicas would fail all that the broker leads (V).
// #2 Where a leader has moved, the request fails as a whole: kafkajs then asks for the leaders and repeats it under the
//    same sequence numbers, so that nothing is appended twice.

import type { Made, ProduceAnswer } from "kafkajs/src/protocol/requests/produce/index.js";

/** UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE and NOT_LEADER_FOR_PARTITION. */
const movedCodes: ReadonlySet<number> = new Set([3, 5, 6]);

type Response = Made["response"];

export function keepRefusals(response: Response): Response {
  return {
    ...response,
    async parse(answer) {
      // #2: kafkajs throws its own error for these.
      await response.parse(movedOf(answer));
      return answer;
    },
  };
}

function movedOf(answer: ProduceAnswer): ProduceAnswer {
  const topics = answer.topics.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.filter(({ errorCode }) => movedCodes.has(errorCode)),
  }));
  return { ...answer, topics };
}
