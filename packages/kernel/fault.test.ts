import { expect, test } from "vitest";
import { Fault, formatReason } from "./fault.ts";

test("a reason names the causes behind an error, at most five", () => {
  const cause = new Error("Broker not connected");
  const fault = new Fault("messaging.unavailable", "the identity is not known", { isRetryable: true, cause });
  expect(formatReason(fault)).toBe("the identity is not known: Broker not connected");
  expect([formatReason("a text"), formatReason(undefined), formatReason(7)]).toEqual(["a text", "undefined", "7"]);
  const many = Array.from({ length: 9 }).reduce<Error>(
    (behind, _, index) => new Error(`error ${8 - index}`, { cause: behind }),
    new Error("last"),
  );
  expect(formatReason(many)).toBe("error 0: error 1: error 2: error 3: error 4: error 5");
});

test("a cause that says the same again is not repeated, also not in a circle", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");
  const wrapped = new Error(refused.message, { cause: new Error(refused.message, { cause: refused }) });
  const fault = new Fault("store.unavailable", "banks.all: no server found", { isRetryable: true, cause: wrapped });
  expect(formatReason(fault)).toBe("banks.all: no server found: connect ECONNREFUSED 127.0.0.1:1");
  const endless = new Error("again");
  endless.cause = endless;
  expect(formatReason(endless)).toBe("again");
});
