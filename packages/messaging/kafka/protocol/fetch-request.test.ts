import * as fc from "fast-check";
import kafkajsRequest from "kafkajs/src/protocol/requests/fetch/v11/request.js";
import type { AskedFetch } from "kafkajs/src/protocol/requests/fetch/index.js";
import { expect, test } from "vitest";
import { writeFetchRequest } from "./fetch-request.ts";

const replicaId = -1;

async function fromKafkajs(asked: AskedFetch): Promise<Buffer> {
  return (await kafkajsRequest({ replicaId, ...asked }).encode()).buffer;
}

test("a request has exactly the bytes that kafkajs would write", async () => {
  const int32 = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  const partition = fc.record({
    partition: int32,
    fetchOffset: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    maxBytes: int32,
  });
  const topic = fc.record({ topic: fc.string({ unit: "grapheme" }), partitions: fc.array(partition, { maxLength: 14 }) });
  const asked = fc.record({
    maxWaitTime: int32,
    minBytes: int32,
    maxBytes: int32,
    isolationLevel: fc.constantFrom(0, 1),
    topics: fc.array(topic, { maxLength: 3 }),
    rackId: fc.constantFrom("", "rack-ü"),
  });
  await fc.assert(
    fc.asyncProperty(asked, async (one) => {
      expect(writeFetchRequest(one).equals(await fromKafkajs(one))).toBe(true);
    }),
    { numRuns: 100 },
  );
});
