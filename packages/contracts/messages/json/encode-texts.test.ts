import { expect, test } from "vitest";
import { encodeTexts } from "./encode-texts.ts";

const utf8 = new TextEncoder();

test("I3: texts one behind the other have the bytes of their joined text, however long they are", () => {
  for (const texts of [[], [""], ["a", "", "é"], ["{", "€ 𝕏", "}"], ["\ud800", "x"], ["é".repeat(60_000), "}"]]) {
    expect(Buffer.compare(encodeTexts(...texts), utf8.encode(texts.map((text) => text.toWellFormed()).join("")))).toBe(0);
  }
});

test("bytes that were given stay as they are when others are made", () => {
  const first = encodeTexts("first");
  encodeTexts("other");
  expect(new TextDecoder().decode(first)).toBe("first");
});
