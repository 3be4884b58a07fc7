import { checkAccount, isRefusal, shippedRules } from "@sluice/account-validation";
import { describe, expect, it } from "vitest";
import { badAccount, bodyOf, directDebit, goodAccount, uetrFrom } from "./builders.ts";
import { sampleBranch } from "./sample-configuration.ts";
import { seededRandom } from "./seeded-random.ts";

describe("builders", () => {
  it("write an amount with the digits given", () => {
    expect(new TextDecoder().decode(bodyOf(directDebit({ amount: "100.00" })))).toContain('"value":100.00,');
  });

  it("leave a member out when it is set to undefined", () => {
    const text = new TextDecoder().decode(bodyOf(directDebit({ members: { creditor: undefined, sequenceType: "FRST" } })));
    expect(text).not.toContain('"creditor":');
    expect(text).toContain('"sequenceType":"FRST"');
  });

  it("make the published account of the branch range, and others like it", () => {
    expect(goodAccount(187_244)).toBe("62001872440");
    expect(new Set(Array.from({ length: 100 }, (_, number) => goodAccount(number))).size).toBe(100);
    expect(badAccount(7)).not.toBe(goodAccount(7));
    expect(badAccount(7)).toHaveLength(11);
  });

  it("make version 4 UETRs", () => {
    const random = seededRandom(1);
    for (let count = 0; count < 50; count += 1) {
      expect(uetrFrom(random)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
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

  it("that are good are valid, every one, and bad ones are refused", () => {
    for (let number = 0; number < 500; number += 1) {
      expect(answerFor(goodAccount(number)).result).toBe("valid");
      expect(isRefusal(answerFor(badAccount(number)))).toBe(true);
    }
  });
});
