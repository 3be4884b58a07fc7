import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { getCountrySpecifications } from "ibantools";
import { expect, test } from "vitest";
import { ibanVersion, checkIban, mod97 } from "./iban.ts";

function asked(account: string): string {
  const { result, reason } = checkIban(account);
  return reason === null ? result : `${result} ${reason}`;
}

function withCheckDigits(country: string, bban: string): string {
  return `${country}${String(98 - mod97(`${country}00${bban}`)).padStart(2, "0")}${bban}`;
}

// Examples that the IBAN registry publishes.
test.each([
  "GB29NWBK60161331926819",
  "DE89370400440532013000",
  "FR1420041010050500013M02606",
  "NL91ABNA0417164300",
  "NO9386011117947",
  "BE68539007547034",
  "ES9121000418450200051332",
  "IT60X0542811101000000123456",
  "MT84MALT011000012345MTLCAST001S",
  "SC18SSCB11010000000000001497USD",
  "MU17BOMM0101101030300200000MUR",
])("a published example is valid: %s [D6 iban]", (iban) => {
  expect(asked(iban)).toBe("valid");
});

test("format, country, length, check digits and a country's own check digits each have their reason", () => {
  expect(asked("")).toBe("invalid format");
  expect(asked("GB")).toBe("invalid format");
  expect(asked("GB2ANWBK60161331926819")).toBe("invalid format");
  expect(asked("GB29-NWBK-60161331926819")).toBe("invalid format");
  expect(asked("GB29NWBK6016133192681X")).toBe("invalid format");
  expect(asked("ＧＢ29NWBK60161331926819")).toBe("invalid format");
  expect(asked("XX29NWBK60161331926819")).toBe("invalid country");
  expect(asked("GB29NWBK6016133192681")).toBe("invalid length");
  expect(asked("GB30NWBK60161331926819")).toBe("invalid check-digit");
  expect(asked(withCheckDigits("NO", "86011117948"))).toBe("invalid national-check-digit");
});

test("an IBAN of a country outside the registry is refused only for wrong check digits", () => {
  expect(asked(withCheckDigits("ZA", "12345678901"))).toBe("not-verifiable no-rule");
  expect(asked("ZA0012345678901")).toBe("invalid check-digit");
});

test("groups and small letters are read as the electronic form", () => {
  expect(asked("GB29 NWBK 6016 1331 9268 19")).toBe("valid");
  expect(asked("gb29nwbk60161331926819")).toBe("valid");
});

test("one wrong character, or two neighbours swapped, is found", () => {
  const iban = "GB29NWBK60161331926819";
  const positions = fc.integer({ min: 8, max: iban.length - 1 });
  const wrong = fc.property(positions, fc.integer({ min: 0, max: 9 }), (position, digit) => {
    const other = `${iban.slice(0, position)}${digit}${iban.slice(position + 1)}`;
    return other === iban || asked(other) === "invalid check-digit";
  });
  const swapped = fc.property(fc.integer({ min: 8, max: iban.length - 2 }), (position) => {
    const other = `${iban.slice(0, position)}${iban[position + 1]}${iban[position]}${iban.slice(position + 2)}`;
    return other === iban || asked(other) === "invalid check-digit";
  });
  expect(() => fc.assert(wrong)).not.toThrow();
  expect(() => fc.assert(swapped)).not.toThrow();
});

test("any text gets an answer for every country, and is valid only with the right check digits and length", () => {
  const countries = Object.entries(getCountrySpecifications());
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 50 }),
    fc
      .tuple(fc.constantFrom(...countries.map(([country]) => country)), fc.stringMatching(/^[A-Z0-9]{1,30}$/))
      .map(([country, bban]) => withCheckDigits(country, bban)),
    fc
      .tuple(fc.constantFrom(...countries.filter(([, { chars }]) => chars !== null)), fc.stringMatching(/^\d{30}$/))
      .map(([[country, { chars }], digits]) => withCheckDigits(country, digits.slice(0, chars! - 4))),
  );
  const property = fc.property(text, (account) => {
    const { result, reason } = checkIban(account);
    if (result !== "valid") return reason !== null;
    const iban = account.replaceAll(" ", "").toUpperCase();
    return reason === null && mod97(iban) === 1 && iban.length === getCountrySpecifications()[iban.slice(0, 2)]?.chars;
  });
  expect(() => fc.assert(property, { numRuns: 3_000 })).not.toThrow();
});

test("the rule's version is that of the library", () => {
  const workspace = readFileSync(new URL("../../../pnpm-workspace.yaml", import.meta.url), "utf8");
  expect(ibanVersion).toBe(`ibantools-${/ibantools: (\S+)/.exec(workspace)?.[1]}`);
});
