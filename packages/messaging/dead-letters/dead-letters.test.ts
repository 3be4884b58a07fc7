import { createHash } from "node:crypto";
import { createFixedSerde, type Records, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { buildDeadLetter } from "./dead-letters.ts";
import type { ReceivedRecord } from "../port.ts";

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
    [
      "DeadLetter",
      {
        ...place,
        headers,
        reason: "contracts.unreadable",
        service: "scheduler",
        operator: null,
        person: null,
        confirmedBy: null,
        actionId: null,
      },
    ],
  ]);
});

test("I16: the letter of a record as large as a producer may send is small, and names length and hash of what it lacks", () => {
  const serde = createFixedSerde();
  const record = { topic: topics.journal, partition: 1, offset: 5n, appendedAtMs: 0, key: Buffer.from("k"), headers: {} };
  const build = (over: Partial<ReceivedRecord>) =>
    buildDeadLetter({ record: { ...record, value: null, ...over }, reason: "r", service: "scheduler" }, serde);
  const value = Buffer.alloc(999_900, 7);
  const sha256 = createHash("sha256").update(value).digest("hex");
  const large = [build({ value }), build({ key: value }), build({ headers: { name: value.toString("latin1") } })];
  for (const { key, value: bytes } of large) expect((key?.length ?? 0) + (bytes?.length ?? 0)).toBeLessThan(1_000);
  expect(large[0]?.headers).toMatchObject({ "sluice-omitted-bytes": `999900 bytes, SHA-256 ${sha256}` });
  const whole = build({ value: value.subarray(0, 800_000) });
  expect(whole.headers).toEqual({ "sluice-type": "DeadLetter" });
  expect(whole.value?.length).toBeGreaterThan(800_000);
});
