import type { AnyDecodedRecord, Serde } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { readOrLearn } from "./record-reader.ts";

const record: AnyDecodedRecord = { name: "DayVoid", value: { id: "v", scheme: "ZA_EFT", businessDate: "2026-11-20" } as never };
const unknown = new Fault("contracts.unknown-schema", "schema 7 is not known here", { isRetryable: true });
const unreadable = new Fault("contracts.unreadable", "DayVoid: truncated", { isRetryable: false });
const value = new Uint8Array([0, 0, 0, 0, 7]);

/** A serde that answers each decoding with the next of these, and counts what it learnt. */
function createAnswers(...answers: readonly (AnyDecodedRecord | Fault)[]) {
  const left = [...answers];
  const learnt: Uint8Array[] = [];
  const serde: Pick<Serde, "decode" | "learn"> = {
    decode() {
      const answer = left.shift();
      if (answer instanceof Fault || answer === undefined) throw answer ?? new Error("asked too often");
      return answer;
    },
    learn: (bytes) => Promise.resolve(void learnt.push(bytes)),
  };
  return { serde, learnt };
}

test("a record of a known schema is read without learning", async () => {
  const { serde, learnt } = createAnswers(record);
  expect([await readOrLearn({ value, headers: {} }, serde), learnt]).toEqual([record, []]);
});

test("#1: an unknown schema is learnt once; a record whose schema cannot be fetched rejects with a retryable Fault", async () => {
  const { serde, learnt } = createAnswers(unknown, record);
  expect([await readOrLearn({ value, headers: {} }, serde), learnt]).toEqual([record, [value]]);
  await expect(readOrLearn({ value, headers: {} }, createAnswers(unknown, unknown).serde)).rejects.toBe(unknown);
  const away = { ...createAnswers(unknown).serde, learn: () => Promise.reject(unknown) };
  await expect(readOrLearn({ value, headers: {} }, away)).rejects.toBe(unknown);
});

test("#2: the bytes of a batch that could not be read are no record, whatever they look like", async () => {
  const { serde, learnt } = createAnswers(record);
  const named = { "sluice-unreadable-batch": "120-139" };
  expect([await readOrLearn({ value, headers: named }, serde), learnt]).toEqual(["it was in a batch that could not be read", []]);
});

test("#3: unreadable bytes give their reason, also behind a schema that was just learnt", async () => {
  expect(await readOrLearn({ value: null, headers: {} }, createAnswers().serde)).toBe("no value");
  expect(await readOrLearn({ value, headers: {} }, createAnswers(unreadable).serde)).toBe("DayVoid: truncated");
  expect(await readOrLearn({ value, headers: {} }, createAnswers(unknown, unreadable).serde)).toBe("DayVoid: truncated");
});

test("an error that is no Fault is thrown on", async () => {
  await expect(readOrLearn({ value, headers: {} }, createAnswers().serde)).rejects.toThrow("asked too often");
});
