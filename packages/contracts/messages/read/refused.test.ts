import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../json/json.ts";
import { anyCreditTransfer, anyCreditsFinal, anyDirectDebit, anyRefused, anyStatusReport, requiredMembers } from "./messages.fixture.ts";
import { misfit, readCompiled } from "./compiled-reader.ts";
import { creditTransferSchema, readCreditTransfer } from "./read-credit-transfer.ts";
import { creditsFinalSchema, readCreditsFinal } from "./read-credits-final.ts";
import { directDebitSchema, readDirectDebit } from "./read-direct-debit.ts";
import { paymentStatusReportSchema, readStatusReport } from "./read-status-report.ts";

const { DirectDebit, CreditTransfer, PaymentStatusReport, CreditsFinal } = requiredMembers;
const kinds = [
  { kind: "debit", good: anyDirectDebit, required: DirectDebit, read: readDirectDebit, schema: directDebitSchema },
  { kind: "credit", good: anyCreditTransfer, required: CreditTransfer, read: readCreditTransfer, schema: creditTransferSchema },
  { kind: "report", good: anyStatusReport, required: PaymentStatusReport, read: readStatusReport, schema: paymentStatusReportSchema },
  { kind: "declaration", good: anyCreditsFinal, required: CreditsFinal, read: readCreditsFinal, schema: creditsFinalSchema },
];

test.each(kinds)(
  "a $kind that zod accepts is read without it, to the same value; what zod refuses is not read",
  ({ good, required, schema }) => {
    const asZodReads = (value: unknown): void => {
      const byZod = schema.safeParse(value);
      expect(readCompiled<unknown>(schema, value)).toEqual(byZod.success ? byZod.data : misfit);
    };
    fc.assert(fc.property(good, asZodReads), { numRuns: 150 });
    const parsed = (bytes: Uint8Array): unknown => {
      const found = parseJson(bytes);
      return found.ok ? found.value : null;
    };
    fc.assert(
      fc.property(anyRefused(good, required), ({ bytes }) => asZodReads(parsed(bytes))),
      { numRuns: 300 },
    );
  },
);

test.each(kinds)("I2: a $kind with one mistake is refused with the status of the mistake", ({ good, required, read }) => {
  fc.assert(
    fc.property(anyRefused(good, required), ({ mistake, status, bytes }) => {
      const reading = read(bytes);
      expect([mistake, reading.ok ? "accepted" : reading.status]).toEqual([mistake, status]);
    }),
    { numRuns: 150 },
  );
});
