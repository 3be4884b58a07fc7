// The readers of `paymentScheme`. The table of schemes says which schemes a message may name, and which form of scheme
// data each asks; the forms are here. Another scheme is a 422, whatever its scheme data contains.

import { type CreditDataShape, type DebitDataShape, schemeIds, schemesWith } from "@sluice/domain/schemes";
import * as z from "zod";
import type { CreditPaymentScheme, PaymentScheme } from "../../generated/records.ts";
import { object, optional, requireScheme, matching, string } from "./message-fields.ts";

type Form<Read> = z.ZodType<Read> & z.core.$ZodTypeDiscriminable;
/** Each form as a function of the codes of the schemes that ask it. */
export type SchemeForms<Shape extends string, Read> = Readonly<Record<Shape, (schema: z.ZodEnum<Record<string, string>>) => Form<Read>>>;

const shortenedAccount = matching(/^[0-9]{11}$/, "11 digits").meta({
  description: "11 digits. Carried through, not checked against the account.",
});

const debitForms: SchemeForms<DebitDataShape, PaymentScheme> = {
  "statement-reference": (schema) =>
    object({
      schema,
      schemeData: object({
        userReference: matching(/^[ -~]{1,30}$/, "1 to 30 printable ASCII characters").meta({
          description:
            "What the payer reads on the statement, 1 to 30 printable ASCII characters. How it is laid out is the scheme's matter, and is not checked.",
        }),
        shortenedDebtorAccountNumber: optional(shortenedAccount),
        shortenedCreditorAccountNumber: optional(shortenedAccount),
      }),
    }),
};

const creditForms: SchemeForms<CreditDataShape, CreditPaymentScheme> = {
  "optional-references": (schema) =>
    object({
      schema,
      schemeData: optional(
        object({
          userReference: optional(string(140)),
          originatorEchoData: optional(string(140)),
          businessReference: optional(string(140)),
        }),
      ),
    }),
};

const debitSchemes = schemesWith("debits");

export const debitPaymentScheme = readByRow(debitSchemes, debitForms, {
  id: "DirectDebitPaymentScheme",
  description: `The scheme and what it asks of a debit. A scheme but ${debitSchemes.map(({ id }) => id).join(", ")}: 422.`,
});

export const creditPaymentScheme = readByRow(schemesWith("credits"), creditForms, {
  id: "CreditTransferPaymentScheme",
  description: "The scheme and what it adds to a credit. Another: 422.",
});

export const reportPaymentScheme: z.ZodType<PaymentScheme> = requireScheme(
  schemeIds,
  object({ schema: z.enum(schemeIds) })
    .transform(({ schema }) => ({ schema, schemeData: null }))
    .meta({ id: "PaymentStatusReportPaymentScheme", description: "The scheme of the debit or credit. Another: 422." }),
);

/** Reads the scheme by the form that its row names. */
export function readByRow<Shape extends string, Read>(
  rows: readonly { readonly id: string; readonly data: Shape }[],
  forms: SchemeForms<Shape, Read>,
  meta: { readonly id: string; readonly description: string },
): z.ZodType<Read> {
  const shapes = [...new Set(rows.map(({ data }) => data))];
  const [first, ...others] = shapes.map((shape) => forms[shape](z.enum(rows.filter(({ data }) => data === shape).map(({ id }) => id))));
  const ids = rows.map(({ id }) => id);
  if (first === undefined) return requireScheme(ids, z.never());
  const message = `must be ${ids.join(", ")}`;
  return requireScheme(ids, (others.length === 0 ? first : z.discriminatedUnion("schema", [first, ...others], message)).meta(meta));
}
