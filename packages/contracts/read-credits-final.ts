// The declaration that the credits of a business day are final, from HTTP. Whether the date can be declared is ingress's to say.

import type * as z from "zod";
import type { Reading } from "./api.ts";
import { cannotProcess, date, members, text } from "./message-fields.ts";
import { creditSchemes } from "./read-credit-transfer.ts";
import { readMessage } from "./read-message.ts";

export interface CreditsFinal {
  readonly scheme: string;
  readonly businessDate: string;
}

const schemes: readonly string[] = creditSchemes;
const scheme = text(35, 1)
  .superRefine((given, context) => {
    if (!schemes.includes(given)) cannotProcess(context, `only ${schemes.join(", ")} are accepted here`);
  })
  .meta({ enum: [...creditSchemes], description: "Scheme. Another: 422." });

export const creditsFinal: z.ZodType<CreditsFinal> = members({
  scheme,
  businessDate: date.meta({ description: "The business day." }),
}).meta({
  id: "CreditsFinal",
  description: "The credit run of a business day is complete. It cannot be withdrawn; a past, non-working or unknown date: 422.",
});

export function readCreditsFinal(bytes: Uint8Array): Reading<CreditsFinal> {
  return readMessage(bytes, creditsFinal);
}
