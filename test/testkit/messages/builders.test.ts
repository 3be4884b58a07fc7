import { checkAccount, isRefusal, shippedRules } from "@sluice/account-validation";
import { describe, expect, it } from "vitest";
import { invalidAccount, encodeBody, buildDirectDebit, validAccount, drawUetr } from "./builders.ts";
import { sampleBranch } from "../sample-configuration.ts";
import { seededRandom } from "../seeded-random.ts";

describe("builders", () => {
  it("write an amount with the given digits", () => {
    expect(new TextDecoder().decode(encodeBody(buildDirectDebit({ amount: "100.00" })))).toContain('"value":100.00,');
  });

  it("leave out a member that is set to undefined", () => {
    const text = new TextDecoder().decode(encodeBody(buildDirectDebit({ members: { creditor: undefined, sequenceType: "FRST" } })));
    expect(text).not.toContain('"creditor":');
    expect(text).toContain('"sequenceType":"FRST"');
  });

  it("build the published account of the branch range, and others that pass the same test", () => {
    expect(validAccount(187_244)).toBe("62001872440");
    expect(new Set(Array.from({ length: 100 }, (_, number) => validAccount(number))).size).toBe(100);
    expect(invalidAccount(7)).not.toBe(validAccount(7));
    expect(invalidAccount(7)).toHaveLength(11);
  });

  it("draw UETRs of version 4", () => {
    const random = seededRandom(1);
    for (let count = 0; count < 50; count += 1) {
      expect(drawUetr(random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });
});

describe("accounts", () => {
  const answerFor = (account: string) =>
    checkAccount(
      {
        rule: "za-cdv",
        branch: sampleBranch,
        account,
        accountTypeCode: "CACC",
        direction: "debit",
        refuseOn: "high",
        onDate: "2026-11-20",
      },
      shippedRules,
    );

  it("pass the check if they are valid ones, and fail it if they are invalid ones", () => {
    for (let number = 0; number < 500; number += 1) {
      expect(answerFor(validAccount(number)).result).toBe("valid");
      expect(isRefusal(answerFor(invalidAccount(number)))).toBe(true);
    }
  });
});
