import { describe, expect, it } from "vitest";
import { commonTextBytesMax, findCommonText } from "./repeated-texts.ts";

function decodeAll(texts: readonly string[]): readonly string[] {
  const bytes = Buffer.from(texts.join(""));
  let at = 0;
  return texts.map((text) => findCommonText(bytes, at, (at += Buffer.byteLength(text))));
}

describe("short texts that come again and again", () => {
  it("I3: decodes every text as its bytes say, whatever came before it", () => {
    // Anagrams and one-letter differences fall on the same places.
    const texts = [
      "sluice-type",
      "sluice-tpye",
      "bank-0001",
      "bank-0010",
      "bank-1000",
      "",
      "é",
      "e\u0301",
      "€uro",
      "x".repeat(commonTextBytesMax),
    ];
    const many = Array.from({ length: 5_000 }, (_, number) => `receiver-${(number * 7_919) % 5_000}`);
    const asked = [...texts, ...many, ...texts, ...many.toReversed(), ...texts];
    expect(decodeAll(asked)).toEqual(asked);
  });

  it("I3: keeps its own copy of the bytes, because a fetched buffer may be used again", () => {
    const bytes = Buffer.from("PaymentReceived");
    expect(findCommonText(bytes, 0, bytes.length)).toBe("PaymentReceived");
    bytes.write("PaymentRefused!");
    expect(findCommonText(bytes, 0, bytes.length)).toBe("PaymentRefused!");
    expect(decodeAll(["PaymentReceived"])).toEqual(["PaymentReceived"]);
  });
});
