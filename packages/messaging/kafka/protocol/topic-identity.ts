// Asks for the ids of the cluster and of a topic: Metadata, version 12. kafkajs speaks an older version, which does not
// have the topic's id.
//
//   request:  header tags | topics [topic id 16, name, tags], auto creation 1, authorized operations 1, tags
//   answer:   header tags | throttle time 4, brokers [node 4, host, port 4, rack, tags], cluster id, controller 4,
//             topics [error 2, name, topic id 16, …]
//
// #1 In this form a length is an unsigned varint and one more than what follows; 0 stands for null.

import type { LogIdentity } from "../../port.ts";

export const metadataApi = { key: 3, version: 12 } as const;
const noTopicId = Buffer.alloc(16);

/** Builds the request for one topic, with the tags that end its header. */
export function writeIdentityRequest(topic: string): Buffer {
  const name = Buffer.from(topic);
  const isCreated = 0;
  return Buffer.concat([
    Buffer.of(0, ...unsigned(2)),
    noTopicId,
    Buffer.of(...unsigned(name.length + 1)),
    name,
    Buffer.of(0, isCreated, 0, 0),
  ]);
}

/** Reads the answer; null if the broker does not know the topic, or not yet. */
export function readIdentityAnswer(payload: Buffer): LogIdentity | null {
  const reader = new FlexibleReader(payload);
  reader.skipTags();
  reader.skip(4);
  for (let left = reader.unsigned() - 1; left > 0; left -= 1) {
    reader.skip(4);
    reader.text();
    reader.skip(4);
    reader.text();
    reader.skipTags();
  }
  const clusterId = reader.text();
  reader.skip(4);
  if (reader.unsigned() - 1 < 1) return null;
  const error = reader.take(2).readInt16BE(0);
  reader.text();
  const topicId = reader.take(16);
  if (error !== 0 || clusterId === null || topicId.equals(noTopicId)) return null;
  return { clusterId, topicId: topicId.toString("base64url") };
}

function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

class FlexibleReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(count: number): Buffer {
    const from = this.#at;
    if (count < 0 || from + count > this.#bytes.length) throw new Error("a length that reaches beyond the end");
    this.#at += count;
    return this.#bytes.subarray(from, this.#at);
  }

  skip(count: number): void {
    this.take(count);
  }

  unsigned(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.take(1)[0] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw new Error("a number of more than 32 bits");
  }

  /** #1 */
  text(): string | null {
    const length = this.unsigned();
    return length === 0 ? null : this.take(length - 1).toString("utf8");
  }

  skipTags(): void {
    for (let left = this.unsigned(); left > 0; left -= 1) {
      this.unsigned();
      this.skip(this.unsigned());
    }
  }
}
