import { type Records, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { buildDeadLetter } from "./dead-letters.ts";

test("a dead letter keeps its record's bytes, place, key and partition", () => {
  const record = {
    topic: topics.journal,
    partition: 7,
    offset: 9_007_199_254_740_993n,
    appendedAtMs: 1_800_000_000_000,
    key: Buffer.from("k"),
    value: Buffer.from([0, 255, 1]),
    headers: { "sluice-type": "Größe" },
  };
  const encoded: unknown[] = [];
  const serde = {
    encode: <N extends keyof Records>(name: N, value: Records[N]): Uint8Array => {
      encoded.push([name, value]);
      return Buffer.from("bytes");
    },
  };
  const letter = buildDeadLetter({ record, reason: "contracts.unreadable", service: "scheduler" }, serde);
  expect(letter).toMatchObject({ topic: topics.deadLetters, partition: 7, key: record.key, headers: { "sluice-type": "DeadLetter" } });
  const { headers: _headers, ...place } = record;
  const headers = { "sluice-type": Buffer.from("Größe", "utf8") };
  expect(encoded).toEqual([
    ["DeadLetter", { ...place, headers, reason: "contracts.unreadable", service: "scheduler", operator: null, actionId: null }],
  ]);
});
