import { expect, test } from "vitest";
import { readIdentityAnswer, writeIdentityRequest } from "./topic-identity.ts";

/** Length as the protocol writes it, and the text. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.of(value.length + 1), Buffer.from(value)]);
}

const topicId = Buffer.from("000102030405060708090a0b0c0d0e0f", "hex");

function answer({ error = 0, id = topicId, topics = 1 } = {}): Buffer {
  const broker = Buffer.concat([Buffer.of(0, 0, 0, 1), text("127.0.0.1"), Buffer.of(0, 0, 35, 132, 0), Buffer.of(1, 9, 2, 7, 7)]);
  const head = [Buffer.of(0), Buffer.of(0, 0, 0, 0), Buffer.of(2), broker, text("cluster-1"), Buffer.of(0, 0, 0, 1)];
  return Buffer.concat([...head, Buffer.of(topics + 1), Buffer.of(0, error), text("t"), id]);
}

test("the ids of cluster and topic are read behind the brokers, whatever tags they carry", () => {
  expect(readIdentityAnswer(answer())).toEqual({ clusterId: "cluster-1", topicId: topicId.toString("base64url") });
});

test.each([{ error: 3 }, { topics: 0 }, { id: Buffer.alloc(16) }])("a topic that the broker does not know has no identity: %j", (given) => {
  expect(readIdentityAnswer(answer(given))).toBeNull();
});

test("an answer that is cut off is an error, not another identity", () => {
  expect(() => readIdentityAnswer(answer().subarray(0, -4))).toThrow("beyond the end");
});

test("the request names the topic alone and creates none", () => {
  expect(writeIdentityRequest("t").toString("hex")).toBe(`0002${"00".repeat(16)}027400000000`);
});
