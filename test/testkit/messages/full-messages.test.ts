import { readCreditTransfer, readDirectDebit, readStatusReport } from "@sluice/contracts";
import { describe, expect, it } from "vitest";
import { encodeBody, validAccount, type MessageObject } from "./builders.ts";
import { drawFullCreditTransfer, drawFullDirectDebit, drawFullStatusReport } from "./full-messages.ts";
import { seededRandom } from "../seeded-random.ts";

const messages = 100;
const drawn = (make: (random: ReturnType<typeof seededRandom>) => MessageObject): MessageObject[] => {
  const random = seededRandom("full messages");
  return Array.from({ length: messages }, () => make(random));
};
const bytesMax = 256 * 1024;

describe("full messages", () => {
  it.each([
    ["direct debits", drawFullDirectDebit, readDirectDebit],
    ["credits", drawFullCreditTransfer, readCreditTransfer],
    ["reports", drawFullStatusReport, readStatusReport],
  ] as const)("%s are valid, every one, each different, and within the size of a body", (_, make, read) => {
    const all = drawn((random) => make(random));
    expect(all.map((message) => read(encodeBody(message))).filter(({ ok }) => !ok)).toEqual([]);
    const bodies = all.map((message) => JSON.stringify(message));
    expect(new Set(bodies).size).toBe(messages);
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).toBeLessThan(bytesMax);
  });

  it("have all optional members with a share of 1, and none with a share of 0", () => {
    const all = drawFullDirectDebit(seededRandom(1), {}, 1);
    for (const member of ["supplementaryData", "mandateInformation", "intermediaryAgents", "remittanceInformation", "purpose"]) {
      expect(Object.keys(all)).toContain(member);
      expect(Object.keys(drawFullDirectDebit(seededRandom(1), {}, 0))).not.toContain(member);
    }
    const credit = Object.keys(drawFullCreditTransfer(seededRandom(1), {}, 1));
    expect(credit).toEqual(expect.arrayContaining(["tax", "previousInstructingAgents", "instructionForCreditorAgent"]));
    expect(Object.keys(drawFullStatusReport(seededRandom(1), {}, 1))).toContain("originalTransactionData");
  });

  it("are the same for the same seed, and take the path of their options", () => {
    const options = {
      uetr: "0a0b0c0d-0000-4000-8000-000000000001",
      debtorBranch: "250656",
      debtorAccount: validAccount(7),
      amount: "7.00",
    };
    const one = drawFullDirectDebit(seededRandom(5), options);
    expect(JSON.stringify(one)).toBe(JSON.stringify(drawFullDirectDebit(seededRandom(5), options)));
    expect(one).toMatchObject({
      transactionIdentifiers: { uetr: options.uetr },
      debtorAgent: { memberId: "250656", branch: { identification: "250656" } },
      debtorAccount: { identification: { value: validAccount(7) } },
    });
    expect(drawFullCreditTransfer(seededRandom(5), { scheme: "ZA_RPP" })).toMatchObject({ paymentScheme: { schema: "ZA_RPP" } });
    expect(drawFullStatusReport(seededRandom(5), { outcome: "not-made" })).toMatchObject({ status: { code: "RJCT" } });
  });
});
