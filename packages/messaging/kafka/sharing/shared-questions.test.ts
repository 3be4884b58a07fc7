import { Fault } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import type { LogIdentity, PartitionEnds, TopicPartition } from "../../port.ts";
import { shareQuestions } from "./shared-questions.ts";

const place = (topic: string, partition: number): TopicPartition => ({ topic, partition });

function given() {
  const time = createVirtualTime({ startAtMs: 0 });
  const asked: string[] = [];
  const refuseAbsent = (topic: string): void => {
    if (topic === "absent") throw new Fault("messaging.unknown-topic", "there is none", { isRetryable: false });
  };
  const shared = shareQuestions(
    {
      async ends(places): Promise<readonly PartitionEnds[]> {
        asked.push(`ends ${places.map(({ topic, partition }) => `${topic}/${partition}`).join()}`);
        for (const { topic } of places) refuseAbsent(topic);
        return places.map(({ partition }) => ({ logStart: 0n, logEnd: BigInt(partition) }));
      },
      async identity(topic): Promise<LogIdentity> {
        asked.push(`identity ${topic}`);
        refuseAbsent(topic);
        return { clusterId: "c", topicId: topic };
      },
    },
    time,
  );
  return { time, asked, shared };
}

test("I15: partitions that ask at the same moment share one request, and each has its own answer", async () => {
  const { time, asked, shared } = given();
  const answers = await time.finish(
    Promise.all([
      shared.ends([place("a", 1), place("a", 2)]),
      shared.ends([]),
      shared.ends([place("b", 3)]),
      shared.identity("a"),
      shared.identity("b"),
      shared.identity("a"),
    ]),
  );
  expect(asked).toEqual(["ends a/1,a/2,b/3", "identity a", "identity b"]);
  expect(answers).toEqual([
    [
      { logStart: 0n, logEnd: 1n },
      { logStart: 0n, logEnd: 2n },
    ],
    [],
    [{ logStart: 0n, logEnd: 3n }],
    { clusterId: "c", topicId: "a" },
    { clusterId: "c", topicId: "b" },
    { clusterId: "c", topicId: "a" },
  ]);
});

test("a question that comes later goes to the broker again: no answer is older than its question", async () => {
  const { time, asked, shared } = given();
  await time.finish(shared.identity("a"));
  await time.finish(shared.identity("a"));
  expect(asked).toEqual(["identity a", "identity a"]);
});

test("I14: what is wrong with one question is its caller's alone", async () => {
  const { time, shared } = given();
  const answers = await time.finish(
    Promise.allSettled([shared.ends([place("a", 1)]), shared.ends([place("absent", 1)]), shared.identity("absent"), shared.identity("a")]),
  );
  expect(answers).toMatchObject([
    { status: "fulfilled", value: [{ logEnd: 1n }] },
    { status: "rejected", reason: { code: "messaging.unknown-topic" } },
    { status: "rejected", reason: { code: "messaging.unknown-topic" } },
    { status: "fulfilled", value: { topicId: "a" } },
  ]);
});
