import { expect, test } from "vitest";
import { connectRefusals } from "./connect-refusals.ts";
import { classify, leavesOpen } from "./retry-law.ts";

test("where we refused to speak, it is about the address, and nobody has taken the message", () => {
  for (const reason of connectRefusals) {
    const answer = { kind: "silent", reason } as const;
    expect([reason, classify(answer, () => false), leavesOpen(answer, () => false)]).toEqual([reason, "address", false]);
  }
});
