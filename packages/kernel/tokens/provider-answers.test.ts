import { expect, test } from "vitest";
import {
  discoveryAddress,
  isErrorCode,
  providerCharactersMax,
  readEndpointAddress,
  readProviderMembers,
  readSafeAddress,
} from "./provider-answers.ts";

test.each([
  ["https://login.example/token", "https://login.example/token"],
  ["http://127.0.0.1:8083/token", "http://127.0.0.1:8083/token"],
  ["http://[::1]:8083/", "http://[::1]:8083/"],
  ["http://localhost/", "http://localhost/"],
  ["http://login.example/token", null],
  ["http://127.0.0.1.login.example/", null],
  ["https://somebody@login.example/", null],
  ["https://:word@login.example/", null],
  ["javascript:alert(1)", null],
  ["/token", null],
  [7, null],
  [undefined, null],
])("the address %s is safe as %s", (given, expected) => {
  expect(readSafeAddress(given)).toBe(expected);
});

test("an endpoint has no fragment, and what a person opens may have one", () => {
  const given = "https://login.example/#/device";
  expect([readEndpointAddress(given), readSafeAddress(given)]).toEqual([null, given]);
  expect(readEndpointAddress("https://login.example/token")).toBe("https://login.example/token");
});

test("an answer has its members up to the bound, and none if it is no object", () => {
  const ofLength = (length: number): string => JSON.stringify({ a: "x".repeat(length - JSON.stringify({ a: "" }).length) });
  expect(Object.keys(readProviderMembers(ofLength(providerCharactersMax)))).toEqual(["a"]);
  expect(readProviderMembers(ofLength(providerCharactersMax + 1))).toEqual({});
  expect(["null", "7", "<html>", ""].map(readProviderMembers)).toEqual([{}, {}, {}, {}]);
});

test("only a code of the standard's form is repeated", () => {
  expect(["invalid_grant", "a".repeat(40)].every(isErrorCode)).toBe(true);
  expect(["", "a".repeat(41), "eyJhbGciOi", "invalid grant", "\u001b[2J", 7, null].some(isErrorCode)).toBe(false);
});

test("a description is below the issuer, with one slash", () => {
  const address = "https://login.example/realm/.well-known/openid-configuration";
  expect(["https://login.example/realm", "https://login.example/realm/"].map(discoveryAddress)).toEqual([address, address]);
});
