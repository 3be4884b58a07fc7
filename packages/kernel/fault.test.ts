import { expect, test } from "vitest";
import { Fault, formatReason } from "./fault.ts";

test("a reason names the causes behind an error, at most five", () => {
  const cause = new Error("Broker not connected");
  const fault = new Fault("messaging.unavailable", "the identity is not known", { isRetryable: true, cause });
  expect(formatReason(fault)).toBe("the identity is not known: Broker not connected");
  expect([formatReason("a text"), formatReason(undefined), formatReason(7)]).toEqual(["a text", "undefined", "7"]);
  const endless = new Error("again");
  endless.cause = endless;
  expect(formatReason(endless)).toBe("again: again: again: again: again: again");
});
