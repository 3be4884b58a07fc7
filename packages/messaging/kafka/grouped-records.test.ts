import groupMessagesPerPartition from "kafkajs/src/producer/groupMessagesPerPartition.js";
import { expect, test } from "vitest";
import { GroupedRecords } from "./grouped-records.ts";
import type { OutgoingRecord } from "../port.ts";

test("P: kafkajs groups these records as it groups a plain array", () => {
  const records = [2, 0, 2, 11, 0, 2].map((partition, index): OutgoingRecord => ({
    topic: "t",
    partition,
    key: null,
    value: Buffer.from(String(index)),
    headers: {},
  }));
  const grouped = new GroupedRecords();
  for (const record of records) grouped.push(record);
  const asked = { topic: "t", partitionMetadata: [{}], partitioner: ({ message }: { message: OutgoingRecord }) => message.partition };
  const theirs = groupMessagesPerPartition({ ...asked, messages: records });
  const ours = groupMessagesPerPartition({ ...asked, messages: grouped });
  expect(Object.entries(ours)).toEqual(Object.entries(theirs));
  expect(grouped.map(({ partition }) => partition)).toEqual([2, 0, 2, 11, 0, 2]);
});
