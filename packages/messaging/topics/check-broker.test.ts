import { expect, test } from "vitest";
import { describeUnsafe, requireSpoken } from "./check-broker.ts";

const versions = { 0: { minVersion: 3, maxVersion: 13 }, 1: { minVersion: 4, maxVersion: 18 } };

test("a broker with our versions of Produce and Fetch is accepted, a newer or older one is not, and both are named", () => {
  expect(() => requireSpoken(versions)).not.toThrow();
  expect(() => requireSpoken({ ...versions, 0: { minVersion: 8, maxVersion: 13 } })).toThrow(
    expect.objectContaining({
      code: "messaging.not-spoken",
      isRetryable: false,
      message: "the broker does not speak Produce 7 (it has 8 to 13)",
    }),
  );
  expect(() => requireSpoken({})).toThrow("the broker does not speak Produce 7 (it has none), Fetch 11 (it has none)");
});

test("I1: a topic that loses acknowledged records with one disk is named", () => {
  expect(describeUnsafe("t", 3, 2)).toEqual([]);
  expect(describeUnsafe("t", 5, 3)).toEqual([]);
  expect(describeUnsafe("t", 1, 1)).toEqual(["t has 1 replicas instead of 3 and min.insync.replicas 1 instead of 2"]);
  expect(describeUnsafe("t", 3, 1)).toEqual(["t has min.insync.replicas 1 instead of 2"]);
  expect(describeUnsafe("t", 3, null)).toEqual(["t has a number of in-sync replicas that it does not show us"]);
});
