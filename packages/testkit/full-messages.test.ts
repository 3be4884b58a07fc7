import { readCreditTransfer, readDirectDebit, readStatusReport } from "@sluice/contracts";
import { describe, expect, it } from "vitest";
import { bodyOf, goodAccount, type JsonObject } from "./builders.ts";
import { fullCreditTransfer, fullDirectDebit, fullStatusReport } from "./full-messages.ts";
import { seededRandom } from "./seeded-random.ts";

const messages = 100;
const drawn = (make: (random: ReturnType<typeof seededRandom>) => JsonObject): JsonObject[] => {
  const random = seededRandom("full messages");
  return Array.from({ length: messages }, () => make(random));
};
const bytesMax = 256 * 1024;

describe("full messages", () => {
  it.each([
    ["direct debits", fullDirectDebit, readDirectDebit],
    ["credits", fullCreditTransfer, readCreditTransfer],
    ["reports", fullStatusReport, readStatusReport],
  ] as const)("%s are valid, every one, each different, and within the size of a body", (_, make, read) => {
    const all = drawn((random) => make(random));
    expect(all.map((message) => read(bodyOf(message))).filter(({ ok }) => !ok)).toEqual([]);
    const bodies = all.map((message) => JSON.stringify(message));
    expect(new Set(bodies).size).toBe(messages);
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBeLessThan(bytesMax);
  });

  it("have all that is optional, or nothing of it, where told so", () => {
    const all = fullDirectDebit(seededRandom(1), {}, 1);
    for (const member of ["supplementaryData", "mandateInformation", "intermediaryAgents", "remittanceInformation", "purpose"]) {
      expect(Object.keys(all)).toContain(member);
      expect(Object.keys(fullDirectDebit(seededRandom(1), {}, 0))).not.toContain(member);
    }
    const credit = Object.keys(fullCreditTransfer(seededRandom(1), {}, 1));
    expect(credit).toEqual(expect.arrayContaining(["tax", "previousInstructingAgents", "instructionForCreditorAgent"]));
    expect(Object.keys(fullStatusReport(seededRandom(1), {}, 1))).toContain("originalTransactionData");
  });

  it("are the same for the same seed, and go the way that their options say", () => {
    const options = { uetr: "0a0b0c0d-0000-4000-8000-000000000001", debtorBranch: "250656", debtorAccount: goodAccount(7), amount: "7.00" };
    const one = fullDirectDebit(seededRandom(5), options);
    expect(JSON.stringify(one)).toBe(JSON.stringify(fullDirectDebit(seededRandom(5), options)));
    expect(one).toMatchObject({
      transactionIdentifiers: { uetr: options.uetr },
      debtorAgent: { memberId: "250656", branch: { identification: "250656" } },
      debtorAccount: { identification: { value: goodAccount(7) } },
    });
    expect(fullCreditTransfer(seededRandom(5), { scheme: "ZA_RPP" })).toMatchObject({ paymentScheme: { schema: "ZA_RPP" } });
    expect(fullStatusReport(seededRandom(5), { outcome: "not-made" })).toMatchObject({ status: { code: "RJCT" } });
  });
});
