import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson, hashMessage } from "./canonical-json.ts";
import { sortedJsonText, parseSample } from "./json.fixture.ts";
import { isJsonObject, type Json, parseJson, pointer } from "./json.ts";

function refusalFor(text: string | Uint8Array): string {
  const result = parseJson(typeof text === "string" ? new TextEncoder().encode(text) : text);
  return result.ok ? "read" : `${pointer(result.path)}: ${result.reason}`;
}

/** Returns what JSON.parse would return; numbers stay texts. */
function plain(json: Json): unknown {
  if (typeof json === "symbol") return Number(json.description);
  if (Array.isArray(json)) return json.map(plain);
  if (!isJsonObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, plain(value)]));
}

test("a text that JSON.parse reads is read to the same value", () => {
  const values = fc
    .jsonValue({ maxDepth: 6 })
    .filter((value) => !/[eE][+-]|__proto__|\\u00[01789]|\\ud[89a-f]/.test(JSON.stringify(value)));
  fc.assert(
    fc.property(values, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      if (/[\u007f-\u009f]|\\[bfnrt]/.test(text)) return;
      expect(plain(parseSample(text))).toEqual(JSON.parse(text));
    }),
    { numRuns: 200 },
  );
});

test("the letters of a UETR in either case make the same hashes, and no other letters do [D4 repeat] [D5.11]", () => {
  const hashes = (uetr: string, endToEnd = "e2e") =>
    hashMessage({ messageIdentifiers: { messageIdentification: "M" }, transactionIdentifiers: { uetr, endToEndIdentification: endToEnd } });
  const lower = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
  expect(hashes(lower.toUpperCase())).toEqual(hashes(lower));
  expect(hashes(lower, "E2E").substanceHash).not.toBe(hashes(lower).substanceHash);
});

test("a number keeps its text", () => {
  for (const text of ["0", "-0", "1250.50", "0.0000", "123456789012345678901234567890.10"])
    expect(sortedJsonText(parseSample(text))).toBe(text);
});

test.each([
  ["", "/: a value was expected at character 1"],
  ["   ", "/: a value was expected at character 4"],
  ["{", "/: a member name was expected at character 2"],
  ['{"a":1', "/: '}' was expected at character 7"],
  ['{"a":1,}', "/: a member name was expected at character 8"],
  ["[1,]", "/1: a value was expected at character 4"],
  ['{"a" 1}', "/a: ':' was expected at character 6"],
  ["{'a':1}", "/: a member name was expected at character 2"],
  ['{"a":{"b":[true,nul]}}', "/a/b/1: a value was expected at character 17"],
  ["1 2", "/: something follows the JSON value"],
  ['{"a":1}{"a":1}', "/: something follows the JSON value"],
  ["01", "/: a number is not written as JSON asks at character 2"],
  ["1.", "/: a number is not written as JSON asks at character 2"],
  [".5", "/: a value was expected at character 1"],
  ["+1", "/: a value was expected at character 1"],
  ["NaN", "/: a value was expected at character 1"],
  ["-Infinity", "/: a value was expected at character 1"],
  ['{"value":1e3}', "/value: a number has an exponent"],
  ['{"value":1.5E-3}', "/value: a number has an exponent"],
  ['"abc', "/: a string does not end at character 1"],
  ['"a\\"', "/: a string does not end at character 1"],
  ['"\\x"', "/: a string holds a wrong escape at character 1"],
  ['"\\u12"', "/: a string holds a wrong escape at character 1"],
  ['{"a":{"b":1,"b":1}}', "/a/b: this member is given twice"],
  ['{"a":1,"\\u0061":1}', "/a: this member is given twice"],
  ['{"__proto__":{"isAdmin":true}}', "/__proto__: this member name is not allowed"],
  ['{"\\u005f_proto__":1}', "/__proto__: this member name is not allowed"],
  ['{"a":"\\ud800"}', "/a: a string holds half of a surrogate pair"],
  ['{"a":"\\udc00\\ud800"}', "/a: a string holds half of a surrogate pair"],
  ['{"a":"\\u0000"}', "/a: a string holds a control character"],
  ['{"a":"x\\ny"}', "/a: a string holds a control character"],
  ['{"a":"x\ny"}', "/a: a string holds a control character"],
  ['{"a":"x\u0000y"}', "/a: a string holds a control character"],
  ['{"a":"x\u0085y"}', "/a: a string holds a control character"],
  ['{"a":"x\\u007fy"}', "/a: a string holds a control character"],
  ['{"a\\u0000":1}', "/: a string holds a control character"],
  ["\ufeff{}", "/: a value was expected at character 1"],
])("%j is refused with its place", (text, refusal) => {
  expect(refusalFor(text)).toBe(refusal);
});

test("bytes that are not UTF-8 are refused", () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xc0, 0x80, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ]) {
    expect(refusalFor(new Uint8Array(bytes))).toBe("/: not UTF-8");
  }
});

test("4,096 values are read, one more is refused, and so is the 101st member of an object [D10.23] [D10.24]", () => {
  const list = (count: number): string => `[${Array.from({ length: count }, () => "1").join(",")}]`;
  const members = (count: number): string => `{${Array.from({ length: count }, (_, number) => `"m${number}":1`).join(",")}}`;
  expect([refusalFor(list(4_095)), refusalFor(members(100))]).toEqual(["read", "read"]);
  expect(refusalFor(list(4_096))).toBe("/4095: more than 4096 values");
  expect(refusalFor(members(101))).toContain("more than 100 members");
});

test("32 levels are read, 33 are refused, and a hundred thousand levels do not overflow the stack [D10.9]", () => {
  expect(refusalFor("[".repeat(32) + "]".repeat(32))).toBe("read");
  expect(refusalFor("[".repeat(33) + "]".repeat(33))).toContain("more than 32 levels");
  expect(refusalFor('{"a":'.repeat(33))).toContain("more than 32 levels");
  expect(refusalFor("[".repeat(100_000))).toContain("more than 32 levels");
});

test("members with the names of Object.prototype are ordinary members", () => {
  const read = parseSample('{"constructor":1,"toString":"x","hasOwnProperty":{}}');
  expect(sortedJsonText(read)).toBe('{"constructor":1,"hasOwnProperty":{},"toString":"x"}');
  expect(refusalFor('{"constructor":1,"constructor":1}')).toContain("given twice");
});

test("a place in a refusal never shows what may be an account number or a name", () => {
  expect(pointer(["debtor", "62005551230"])).toBe("/debtor/*");
  expect(pointer(["supplementaryData", "Thandi"])).toBe("/supplementaryData/*");
  expect(pointer(["a b"])).toBe("/*");
  expect(pointer(["intermediaryAgents", 2, "addressLine7"])).toBe("/intermediaryAgents/2/addressLine7");
});

test("canonical JSON sorts members, has no white space, and writes numbers by decimal value [D4.17]", () => {
  expect(canonicalJson(parseSample(' { "b" : [ 1250.50 , -0.0, 10, 100.00 ] , "a" : { "é" : null, "d": true } } '))).toBe(
    '{"a":{"d":true,"é":null},"b":[1250.5,0,10,100]}',
  );
});

test("numbers that are one double are different content, and different texts of one decimal are the same [D4.18]", () => {
  const written = (text: string): string => canonicalJson(parseSample(text));
  expect(Number("9007199254740993")).toBe(Number("9007199254740992"));
  expect(written("9007199254740993")).not.toBe(written("9007199254740992"));
  expect(written("0.10000000000000000001")).not.toBe(written("0.1"));
  expect(written("0.100")).toBe(written("0.1"));
});

test("the content hash covers every member, the substance hash all but messageIdentifiers", () => {
  const hashes = (text: string) => {
    const json = parseSample(text);
    if (!isJsonObject(json)) throw new Error("no object");
    return hashMessage(json);
  };
  const first = hashes('{"messageIdentifiers":{"id":"A"},"amount":{"value":1.50},"nested":{"messageIdentifiers":1}}');
  const renamed = hashes('{"nested":{"messageIdentifiers":1},"amount":{"value":1.5},"messageIdentifiers":{"id":"B"}}');
  const changed = hashes('{"messageIdentifiers":{"id":"A"},"amount":{"value":1.51},"nested":{"messageIdentifiers":1}}');
  const nested = hashes('{"messageIdentifiers":{"id":"A"},"amount":{"value":1.50},"nested":{"messageIdentifiers":2}}');
  expect(renamed.substanceHash).toBe(first.substanceHash);
  expect(new Set([first, renamed, changed, nested].map(({ contentHash }) => contentHash)).size).toBe(4);
  expect(new Set([first, changed, nested].map(({ substanceHash }) => substanceHash)).size).toBe(3);
  expect(first.contentHash).toMatch(/^[0-9a-f]{64}$/);
});

test("both hashes are those of the members in order, written as JSON writes them", () => {
  const written = (value: Json): string => {
    if (typeof value === "symbol") return value.description ?? "";
    if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
    if (!isJsonObject(value)) return JSON.stringify(value);
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`).join(",")}}`;
  };
  const sha = (value: Json): string => createHash("sha256").update(written(value)).digest("hex");
  const text = fc.string({ unit: "binary", maxLength: 12 });
  const value = fc.oneof(
    text,
    fc.nat().map((number): Json => Symbol(String(number))),
    fc.boolean(),
    fc.array(text),
    fc.dictionary(text, text),
  );
  const names = fc.oneof(text, fc.constantFrom("messageIdentifiers", "amounts", "zone", "é", '"quoted"', "long".repeat(6_000)));
  fc.assert(
    fc.property(fc.dictionary(names, value, { maxKeys: 30 }), (message) => {
      const { messageIdentifiers: _own, ...substance } = message;
      expect(hashMessage(message)).toEqual({ contentHash: sha(message), substanceHash: sha(substance) });
    }),
    {
      numRuns: 60,
      examples: [[{}], [{ messageIdentifiers: "a" }], [{ messageIdentifiers: "a", z: "b" }], [{ a: "b", messageIdentifiers: "a" }]],
    },
  );
});
