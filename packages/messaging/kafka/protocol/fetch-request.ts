// Writes a Fetch request (version 11) into a reused buffer. kafkajs makes an encoder with a zeroed buffer for each
// partition, and a service that waits asks for all of its partitions several times a second.
//
//   request:   replica −1, most milliseconds to wait, least bytes, most bytes, isolation level 1, session id,
//              session epoch −1, topics [name, partitions], forgotten topics, rack
//   partition: number, leader epoch −1, offset 8, start of the follower's log −1 in 8, most bytes
//
// #1 The request is a buffer of its own, because another one may be written before it is sent.
// #2 There is no session: the broker keeps nothing of a fetch, and each request names all partitions.

import type { AskedFetch } from "kafkajs/src/protocol/requests/fetch/index.js";
import { WireWriter } from "./wire-writer.ts";

const request = new WireWriter();
const noReplica = -1;
const noSession = 0;
const outsideSession = -1;
const anyLeaderEpoch = -1;
const noFollower = -1n;

export function writeFetchRequest({ maxWaitTime, minBytes, maxBytes, isolationLevel, topics, rackId = "" }: AskedFetch): Buffer {
  request.clear();
  request.int32(noReplica);
  request.int32(maxWaitTime);
  request.int32(minBytes);
  request.int32(maxBytes);
  request.int8(isolationLevel);
  request.int32(noSession);
  request.int32(outsideSession);
  request.int32(topics.length);
  for (const { topic, partitions } of topics) {
    request.text(topic);
    request.int32(partitions.length);
    for (const { partition, fetchOffset, maxBytes: partitionBytes } of partitions) {
      request.int32(partition);
      request.int32(anyLeaderEpoch);
      request.int64(BigInt(fetchOffset));
      request.int64(noFollower);
      request.int32(partitionBytes);
    }
  }
  request.int32(0);
  request.text(rackId);
  // #1
  const own = Buffer.allocUnsafeSlow(request.length);
  request.bytes.copy(own, 0, 0, request.length);
  return own;
}
