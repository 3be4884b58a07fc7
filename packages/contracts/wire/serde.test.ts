import { Fault } from "@sluice/kernel";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { avroType } from "./avro-types.ts";
import { recordNames, type Records, schemaVersions } from "../generated/records.ts";
import { buildSample } from "./schema-compatibility.ts";
import { createFixedSerde, readSchemaId, createSerde } from "./serde.ts";

const serde = createFixedSerde();
const release = { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: "first" };
const deadLetter = {
  topic: "t",
  partition: 3,
  offset: 2n ** 63n - 1n,
  appendedAtMs: 1_763_600_000_000,
  key: null,
  value: new Uint8Array([1, 2, 3]),
  headers: { a: new Uint8Array([9]) },
  reason: "r",
  operator: null,
  person: null,
  confirmedBy: null,
  actionId: null,
  service: "s",
};

function faultCode(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

test.each(recordNames)("%s is decoded to the value that was encoded", (name) => {
  for (const isFull of [true, false]) {
    const sample = buildSample(JSON.parse(schemaVersions[name].at(-1) ?? ""), isFull) as Records[typeof name];
    expect(serde.decode(serde.encode(name, sample))).toEqual({ name, value: sample });
  }
});

test.each([0n, 1n, -1n, -(2n ** 52n) - 1n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 63n - 1n])("the long %d is exact", (offset) => {
  expect(serde.decode(serde.encode("DeadLetter", { ...deadLetter, offset })).value).toMatchObject({ offset });
});

test("any long is exact, is written as avsc writes it, and is read from any number of bytes", () => {
  const long = avroType('"long"');
  const edges = [51n, 52n, 53n, 62n].flatMap((power) => [-1n, 0n, 1n].flatMap((step) => [2n ** power + step, -(2n ** power) + step]));
  const any = fc.oneof(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.maxSafeInteger().map(BigInt), fc.constantFrom(...edges));
  fc.assert(
    fc.property(any, (value) => {
      const bytes = long.toBuffer(value);
      const zigzag = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
      const groups = Array.from({ length: bytes.length }, (_, at) => Number((zigzag >> BigInt(7 * at)) & 0x7fn));
      expect([...bytes]).toEqual(groups.map((group, at) => (at < bytes.length - 1 ? group | 0x80 : group)));
      expect(zigzag >> BigInt(7 * bytes.length)).toBe(0n);
      expect(long.fromBuffer(bytes)).toBe(value);
    }),
    { numRuns: 500 },
  );
  const zeros = Buffer.from([0x83, ...Array.from({ length: 300 }, () => 0x80), 0]);
  expect(long.fromBuffer(zeros)).toBe(-2n);
});

test("a value that is not a long is refused", () => {
  for (const offset of [2n ** 63n, -(2n ** 63n) - 1n, 5, "5", null]) {
    expect(() => serde.encode("DeadLetter", { ...deadLetter, offset: offset as bigint })).toThrow("at offset");
  }
});

test("bytes share the memory that they are read from, and consecutive records do not overwrite each other", () => {
  const lengths = [...Array.from({ length: 200 }, (_, index) => index * 45), 20_000, 40_000, 70];
  const buildValue = (index: number): Uint8Array => new Uint8Array(lengths[index] ?? 0).fill(index);
  const written = lengths.map((_, index) => serde.encode("DeadLetter", { ...deadLetter, value: buildValue(index) }));
  for (const [index, bytes] of written.entries()) {
    const decoded = serde.decode(bytes);
    const read = decoded.name === "DeadLetter" ? decoded.value.value : null;
    expect(read !== null && Buffer.compare(read, buildValue(index))).toBe(0);
    expect(read?.buffer === bytes.buffer).toBe(true);
  }
  const kept = written.filter(({ length }) => length < 8_000).map(({ buffer }) => buffer.byteLength);
  expect(Math.max(...kept)).toBeLessThanOrEqual(32 * 1024);
});

test("bytes are Uint8Array, not Buffer, and a map's keys have no special meaning", () => {
  const decoded = serde.decode(serde.encode("DeadLetter", { ...deadLetter, headers: { constructor: new Uint8Array([1]) } }));
  expect(decoded.value).toMatchObject({ value: new Uint8Array([1, 2, 3]), headers: { constructor: new Uint8Array([1]) } });
  expect(decoded.name === "DeadLetter" && Buffer.isBuffer(decoded.value.value)).toBe(false);
});

test("a record larger than a chunk is encoded too, and encoded bytes are never shared", () => {
  const large = serde.encode("DeadLetter", { ...deadLetter, value: new Uint8Array(900 * 1024).fill(7) });
  const small = serde.encode("Release", release);
  serde.encode("Release", { ...release, bank: "other" });
  expect(serde.decode(large).value).toMatchObject({ value: new Uint8Array(900 * 1024).fill(7) });
  expect(serde.decode(small).value).toEqual(release);
});

test("the wire format is 0x00, the id as int32, Avro", () => {
  const upToIt = recordNames.slice(0, recordNames.indexOf("Release") + 1);
  const id = upToIt.reduce((count, name) => count + schemaVersions[name].length, 0);
  expect([...serde.encode("Release", release).subarray(0, 5)]).toEqual([0, 0, 0, 0, id]);
  const largeId = createSerde([], new Map([["Release", 0x7a8b9cad]]), () => Promise.reject(new Error("unused"))).encode("Release", release);
  expect([...largeId.subarray(0, 5)]).toEqual([0, 0x7a, 0x8b, 0x9c, 0xad]);
  expect(readSchemaId(largeId)).toBe(0x7a8b9cad);
});

test("corrupt bytes are unreadable and not retryable", () => {
  const good = serde.encode("Release", release);
  const wrongStart = good.with(0, 1);
  const bad = [new Uint8Array(), good.subarray(0, 4), wrongStart, good.subarray(0, -1), new Uint8Array([...good, 0])];
  for (const bytes of bad) expect(faultCode(() => serde.decode(bytes))).toBe("contracts.unreadable");
  expect(faultCode(() => serde.decode(null as unknown as Uint8Array))).toBe("contracts.unreadable");
});

test("a record cut short or with a changed byte is decoded or a Fault, and takes no noticeable time", () => {
  const good = serde.encode("DayPlanned", buildSample(JSON.parse(schemaVersions.DayPlanned.at(-1) ?? ""), true) as Records["DayPlanned"]);
  for (let at = 5; at < good.length; at += 1) {
    expect(faultCode(() => serde.decode(good.subarray(0, at)))).toBe("contracts.unreadable");
    for (const value of [0, 1, 0x7f, 0x80, 0xff])
      expect([null, "contracts.unreadable"]).toContain(faultCode(() => serde.decode(good.with(at, value))));
  }
});

test("a block that claims more entries than there are bytes is refused at once", () => {
  const arrays =
    '{"type":"record","name":"Release","namespace":"sluice","fields":[{"name":"gone","type":{"type":"array","items":"string"}}]}';
  for (const claim of [
    [0xfe, 0xff, 0xff, 0xff, 0xff, 0x0f],
    [0xfd, 0xff, 0xff, 0xff, 0x0f, 2],
  ]) {
    const counted = new Uint8Array([...claim, 0]);
    expect(() => avroType(arrays).fromBuffer(Buffer.from(counted))).toThrow(/block/);
    const dropping = avroType(arrays.replace('[{"name":"gone","type":{"type":"array","items":"string"}}]', "[]"));
    expect(() => dropping.fromBuffer(Buffer.from(counted), dropping.createResolver(avroType(arrays)))).toThrow(/block/);
  }
});

test("an unknown id is retryable, and after learning it the same bytes are read", async () => {
  const older = JSON.stringify({
    ...JSON.parse(schemaVersions.Release.at(-1) ?? ""),
    fields: JSON.parse(schemaVersions.Release.at(-1) ?? "").fields.toReversed(),
  });
  const asked: number[] = [];
  const learner = createSerde([], new Map(), (id) => {
    asked.push(id);
    return Promise.resolve(older);
  });
  const bytes = new Uint8Array([0, 0, 0, 1, 0, ...avroType(older).toBuffer(release)]);
  expect(faultCode(() => learner.decode(bytes))).toBe("contracts.unknown-schema");
  await Promise.all([learner.learn(bytes), learner.learn(bytes)]);
  await learner.learn(bytes);
  expect(asked).toEqual([256]);
  expect(learner.decode(bytes)).toEqual({ name: "Release", value: release });
});

test("a failed look-up can be retried; a schema of an unknown record stays a retryable Fault", async () => {
  const answers = [
    () => Promise.reject(new Fault("contracts.registry-unavailable", "x", { isRetryable: true })),
    () => Promise.resolve('{"name":"sluice.Other"}'),
  ];
  const learner = createSerde([], new Map(), () => (answers.shift() ?? (() => Promise.resolve(schemaVersions.Release.at(-1) ?? "")))());
  const bytes = new Uint8Array([0, 0, 0, 0, 9, ...avroType(schemaVersions.Release.at(-1) ?? "").toBuffer(release)]);
  await expect(learner.learn(bytes)).rejects.toMatchObject({ code: "contracts.registry-unavailable", isRetryable: true });
  await expect(learner.learn(bytes)).rejects.toMatchObject({ code: "contracts.unknown-record", isRetryable: true });
  await learner.learn(bytes);
  expect(learner.decode(bytes).value).toEqual(release);
});

test("a writer with another scale is unreadable, not off by powers of ten", () => {
  const newest = schemaVersions.TransactionStateEvent.at(-1) ?? "";
  const other = newest.replace('"scale":4', '"scale":2');
  expect(other).not.toBe(newest);
  const reader = createSerde([{ id: 1, name: "TransactionStateEvent", schema: other }], new Map(), () =>
    Promise.reject(new Error("unused")),
  );
  const bytes = new Uint8Array([0, 0, 0, 0, 1, ...avroType(other).toBuffer(buildSample(JSON.parse(other), true))]);
  expect(faultCode(() => reader.decode(bytes))).toBe("contracts.unreadable");
});

test("a value that does not fit the schema is a programming error that names the member, never the value", () => {
  const broken = { ...release, bank: 62005551230 as unknown as string };
  expect(() => serde.encode("Release", broken)).toThrow("Release does not fit its schema at bank");
  expect(() => serde.encode("DayClosed", {} as Records["DayClosed"])).toThrow("DayClosed does not fit its schema at day");
});

test.each([
  0n,
  1n,
  -1n,
  127n,
  128n,
  -128n,
  -129n,
  255n,
  256n,
  2n ** 47n - 1n,
  2n ** 47n,
  -(2n ** 47n),
  -(2n ** 47n) - 1n,
  10n ** 22n - 1n,
  -(10n ** 22n) + 1n,
])("the decimal %d is exact", (value) => {
  const type = avroType('{"type":"bytes","logicalType":"decimal","precision":22,"scale":4}');
  expect(type.fromBuffer(type.toBuffer(value))).toBe(value);
  expect(type.isValid(10n ** 22n)).toBe(false);
});

test.each([
  ["1970-01-01", 0],
  ["1969-12-31", -1],
  ["2026-11-20", 20_777],
  ["2028-02-29", 21_243],
])("the date %s is %d days since 1970", (text, days) => {
  const [date, int] = [avroType('{"type":"int","logicalType":"date"}'), avroType('"int"')];
  expect(int.fromBuffer(date.toBuffer(text))).toBe(days);
  expect(date.fromBuffer(date.toBuffer(text))).toBe(text);
});

test("dates that are written in turns, and again after one that is none, come back as they were", () => {
  const type = avroType('{"type":"int","logicalType":"date"}');
  const back = (text: string): unknown => type.fromBuffer(type.toBuffer(text));
  const dates = ["1970-01-01", "2026-11-20", "2026-11-20", "2026-11-23", "1969-12-31", "2026-11-20"];
  expect(dates.map(back)).toEqual(dates);
  expect(() => type.toBuffer("2026-02-30")).toThrow(/invalid/);
  expect(dates.map(back)).toEqual(dates);
});

test.each(["2026-02-30", "2026-11-2", "20261120", "2026-11-20T00:00:00Z", ""])("%j is no date, and is not written as one", (text) => {
  expect(() => avroType('{"type":"int","logicalType":"date"}').toBuffer(text)).toThrow(/invalid/);
});

test("a decimal with more digits than its precision is unreadable, not a larger sum", () => {
  const [wide, narrow] = [23, 22].map((precision) =>
    avroType(JSON.stringify({ type: "bytes", logicalType: "decimal", precision, scale: 4 })),
  );
  const written = wide?.toBuffer(10n ** 22n) ?? Buffer.alloc(0);
  expect(() => narrow?.fromBuffer(written)).toThrow("more than 22 digits");
  expect(() => narrow?.fromBuffer(Buffer.from([0]))).toThrow("no bytes");
});
