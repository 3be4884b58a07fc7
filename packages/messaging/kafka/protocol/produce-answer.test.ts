import produceRequests, { type ProduceAnswer } from "kafkajs/src/protocol/requests/produce/index.js";
import { expect, test } from "vitest";
import "../kafkajs/kafkajs-repairs.ts";

const tooFewReplicas = 19;
const notLeader = 6;
const produced = { acks: -1, timeout: 1, compression: 0, producerId: "1", producerEpoch: 0, topicData: [] };
const { response } = produceRequests.protocol({ version: 7 })(produced);

function answer(codes: readonly number[]): ProduceAnswer {
  const partitions = codes.map((errorCode, partition) => ({ partition, errorCode, baseOffset: "5", logAppendTime: "9" }));
  return { topics: [{ topicName: "t", partitions }] };
}

test("V: a leader's refusal of one partition is its own, and the others are acknowledged", async () => {
  const mixed = answer([0, tooFewReplicas, 0]);
  expect(await response.parse(mixed)).toEqual(mixed);
});

test("V: where a leader has moved, the request fails as a whole, so that kafkajs asks for the leaders and repeats it", async () => {
  await expect(response.parse(answer([0, tooFewReplicas, notLeader]))).rejects.toMatchObject({ type: "NOT_LEADER_FOR_PARTITION" });
});
