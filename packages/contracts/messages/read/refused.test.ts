import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyCreditTransfer, anyCreditsFinal, anyDirectDebit, anyRefused, anyStatusReport, requiredMembers } from "./messages.fixture.ts";
import { readCreditTransfer } from "./read-credit-transfer.ts";
import { readCreditsFinal } from "./read-credits-final.ts";
import { readDirectDebit } from "./read-direct-debit.ts";
import { readStatusReport } from "./read-status-report.ts";

test.each([
  { kind: "debit", good: anyDirectDebit, required: requiredMembers.DirectDebit, read: readDirectDebit },
  { kind: "credit", good: anyCreditTransfer, required: requiredMembers.CreditTransfer, read: readCreditTransfer },
  { kind: "report", good: anyStatusReport, required: requiredMembers.PaymentStatusReport, read: readStatusReport },
  { kind: "declaration", good: anyCreditsFinal, required: requiredMembers.CreditsFinal, read: readCreditsFinal },
])("I2: a $kind with one mistake is refused with the status of the mistake", ({ good, required, read }) => {
  fc.assert(
    fc.property(anyRefused(good, required), ({ mistake, status, bytes }) => {
      const reading = read(bytes);
      expect([mistake, reading.ok ? "accepted" : reading.status]).toEqual([mistake, status]);
    }),
    { numRuns: 150 },
  );
});
