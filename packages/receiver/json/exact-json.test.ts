import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ExactNumber, minorUnits, parseExact, type ExactJson } from "./exact-json.ts";
import { utf8 } from "../signature/signed.fixture.ts";

function readValue(text: string): ExactJson {
  const read = parseExact(utf8(text));
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

test("a number keeps its digits and is written as it came", () => {
  const text = '{"a":1250.50,"b":[0.10,12345678901234567.89,-0,1e400,9007199254740993],"c":"1250.50","d":null,"e":true}';
  const value = readValue(text);
  expect(JSON.stringify(value)).toBe(text);
  expect(value).toMatchObject({ a: new ExactNumber("1250.50"), c: "1250.50" });
  expect(String(new ExactNumber("1250.50"))).toBe("1250.50");
});

test("any JSON comes back as the same text", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(readValue(text))).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("no bytes make it throw, and what is accepted is JSON", () => {
  const fragment = fc.constantFrom("{", "}", "[", "]", '"', "\\", ",", ":", "1", ".", "e", "null", "__proto__", "\u0000", "é");
  const hostile = fc.oneof(
    fc.uint8Array(),
    fc.array(fragment).map((parts) => utf8(parts.join(""))),
  );
  fc.assert(
    fc.property(hostile, (given) => {
      const isJson = isTaken(() => void JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(given)));
      expect(parseExact(given).ok).toBe(isJson);
    }),
  );
});

function isTaken(read: () => void): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

test("invalid UTF-8, a byte order mark, and more than 64 levels are refused; brackets in texts are not levels", () => {
  const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
  expect(parseExact(Uint8Array.of(0x22, 0xff, 0x22)).ok).toBe(false);
  expect(parseExact(utf8("\ufeff{}")).ok).toBe(false);
  expect(parseExact(utf8(deep(64))).ok).toBe(true);
  expect(parseExact(utf8(deep(65)))).toEqual({ ok: false, reason: "more than 64 levels" });
  expect(parseExact(utf8(deep(500_000))).ok).toBe(false);
  expect(parseExact(utf8(JSON.stringify(`\\"${"[".repeat(100)}`))).ok).toBe(true);
});

test("a member called __proto__ is a member, not the prototype", () => {
  const value = readValue('{"__proto__":{"class":"TRANSACTION_STATE"},"a":1}');
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.keys(value as object)).toEqual(["__proto__", "a"]);
});

test.each([
  ["1250.50", 2, 125_050n],
  ["1250.5", 2, 125_050n],
  ["1250", 2, 125_000n],
  ["1250.500", 2, 125_050n],
  ["1250.505", 2, null],
  ["0.10", 2, 10n],
  ["-3.25", 2, -325n],
  ["100", 0, 100n],
  ["12345678901234567.89", 2, 1_234_567_890_123_456_789n],
  ["1e3", 2, null],
])("%s with %i digits is %s minor units", (text, digits, expected) => {
  expect(minorUnits(new ExactNumber(text), digits)).toBe(expected);
});
