// Reads the declaration that the credits of a business day are final. Ingress decides whether the date can be declared.

import { isSchemeId, schemeIds } from "@sluice/domain/schemes";
import type * as z from "zod";
import type { ReadResult } from "../../api.ts";
import { cannotProcess, isoDate, object, string } from "./message-fields.ts";
import { parseMessage } from "./parse-message.ts";

export interface CreditsFinalMessage {
  readonly scheme: string;
  readonly businessDate: string;
}

const scheme = string(35, 1)
  .superRefine((given, context) => {
    if (!isSchemeId(given)) cannotProcess(context, `only ${schemeIds.join(", ")} are accepted here`);
  })
  .meta({ enum: [...schemeIds], description: "Scheme. Another: 422." });

export const creditsFinalSchema: z.ZodType<CreditsFinalMessage> = object({
  scheme,
  businessDate: isoDate.meta({ description: "The business day." }),
}).meta({
  id: "CreditsFinal",
  description: "The credit run of a business day is complete. It cannot be withdrawn; a past, non-working or unknown date: 422.",
});

export function readCreditsFinal(bytes: Uint8Array): ReadResult<CreditsFinalMessage> {
  return parseMessage(bytes, creditsFinalSchema);
}
