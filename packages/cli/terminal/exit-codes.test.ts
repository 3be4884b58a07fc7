import { Fault } from "@sluice/kernel";
import { expect, test } from "vitest";
import { exitCodeFor } from "./exit-codes.ts";

test.for(["cli.bad-principal", "cli.leave-of-one", "cli.no-month", "cli.no-seal", "cli.no-uetr"])(
  "a word that a verb cannot use is wrong use, and no failure: %s",
  (code) => {
    expect(exitCodeFor(new Fault(code, "", { isRetryable: false }))).toBe(2);
  },
);

test("what is not known here is a failure", () => {
  expect([exitCodeFor(new Error("broken")), exitCodeFor(new Fault("store.unavailable", "", { isRetryable: true }))]).toEqual([1, 1]);
});
