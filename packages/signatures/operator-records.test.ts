import { expect, it } from "vitest";
import {
  createRecordJudge,
  findOwnKeyId,
  operatorSignatureHeader,
  type OperatorSignatures,
  readSigningKey,
  type SignedRecord,
  signRecord,
} from "./index.ts";
import { type CallerKey, callerKeys, messageKey, nowMs } from "./signed.fixture.ts";

const ownKey = ({ pair }: CallerKey) => readSigningKey(pair.privateKey.export({ format: "pem", type: "pkcs8" }));
const own = ownKey(callerKeys.ed25519);
const settings: OperatorSignatures = {
  requiredFromMs: nowMs,
  keys: [messageKey("console-1", callerKeys.ed25519), messageKey("console-0", callerKeys.ec, nowMs + 10)],
};
const record: SignedRecord = { topic: "sluice.journal.v1", key: Buffer.from("bank:first"), value: Buffer.from("a pause"), headers: {} };

interface Judging {
  readonly now?: OperatorSignatures | null;
  readonly atMs?: number;
}

function judge(given: SignedRecord, signature: string | null, { now = settings, atMs = nowMs }: Judging = {}) {
  const headers = signature === null ? given.headers : { ...given.headers, [operatorSignatureHeader]: signature };
  return createRecordJudge(() => now)({ ...given, headers, appendedAtMs: atMs });
}

const signed = (given: SignedRecord = record): string => signRecord(own, "console-1", given);

it("a record counts with a signature by a key of the configuration", () => {
  expect(judge(record, signed())).toBeNull();
  expect(judge(record, signRecord(ownKey(callerKeys.ec), "console-0", record))).toBeNull();
});

it("a signature is for one topic, key, value and use", () => {
  const changed: readonly SignedRecord[] = [
    { ...record, topic: "sluice.dispatch.v1" },
    { ...record, key: Buffer.from("bank:second") },
    { ...record, key: null },
    { ...record, value: Buffer.from("a resume") },
    { ...record, headers: { "sluice-skip": "requested" } },
    { ...record, headers: { "sluice-quarantined-from": "1" } },
  ];
  expect(changed.map((one) => judge(one, signed()))).toEqual(changed.map(() => "signature-wrong"));
  const replayed = { ...record, headers: { traceparent: "00-1-1-01", "sluice-dead-letter": "0:7" } };
  expect(judge(replayed, signed())).toBeNull();
});

it("a record does not count without one, by another key, or by a key under another name", () => {
  expect(judge(record, null)).toBe("not-signed");
  for (const text of ["", "console-1", "console-1=", "=AAAA", "console-1=!"]) expect(judge(record, text)).toBe("not-signed");
  expect(judge(record, signRecord(own, "console-9", record))).toBe("key-unknown");
  expect(judge(record, signRecord(own, "console-0", record))).toBe("signature-wrong");
  expect(judge(record, signRecord(ownKey(callerKeys.rsa), "console-1", record))).toBe("signature-wrong");
});

it("when it was appended decides: nothing is asked of what is older than the rule, and a key counts up to its end", () => {
  expect(judge(record, null, { atMs: nowMs - 1 })).toBeNull();
  expect(judge(record, null, { now: null })).toBeNull();
  const byOld = signRecord(ownKey(callerKeys.ec), "console-0", record);
  expect(judge(record, byOld, { atMs: nowMs + 10 })).toBeNull();
  expect(judge(record, byOld, { atMs: nowMs + 11 })).toBe("key-ended");
});

it("other settings count at once", () => {
  let now: OperatorSignatures | null = { ...settings, keys: [] };
  const judgeNow = createRecordJudge(() => now);
  const given = { ...record, headers: { [operatorSignatureHeader]: signed() }, appendedAtMs: nowMs };
  expect(judgeNow(given)).toBe("key-unknown");
  now = settings;
  expect(judgeNow(given)).toBeNull();
  now = null;
  expect(judgeNow({ ...given, headers: {} })).toBeNull();
});

it("a key of the console is found by itself, whatever it is called", () => {
  expect(findOwnKeyId(own, settings)).toBe("console-1");
  expect(findOwnKeyId(ownKey(callerKeys.rsa), settings)).toBeNull();
});
