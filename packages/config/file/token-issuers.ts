// Authorization servers whose access tokens count, and the clients of callers, as the file names them.

import { tokenAlgorithms, type TokenIssuer } from "@sluice/kernel";
import { z } from "zod";

const text = z.string().min(1, "must not be empty").max(1_024, "at most 1024 characters");
/** Compared as it is with `iss`, to the last slash. */
const issuer = text.regex(/^https?:\/\/[\x21-\x7e]+$/, "an address, as `iss` of its tokens has it");
const clientsMax = 4;

export const tokenIssuerSchema = z.strictObject({
  issuer,
  audience: text,
  algorithms: z
    .array(z.enum(tokenAlgorithms))
    .min(1, "at least one")
    .default([...tokenAlgorithms]),
  jwksUrl: text
    .regex(/^https?:\/\/[\x21-\x7e]+$/, "an http or https address")
    .nullable()
    .default(null),
  jwksFile: text.nullable().default(null),
  caFile: text.nullable().default(null),
});

/** Members of banks and connectors. */
export const clientMembers = {
  clients: z
    .array(z.strictObject({ issuer, clientId: text.max(256, "at most 256 characters") }))
    .max(clientsMax)
    .default([]),
};

export type TokenIssuerInFile = z.infer<typeof tokenIssuerSchema>;

export function toTokenIssuer({ jwksUrl, jwksFile, caFile, ...same }: TokenIssuerInFile): TokenIssuer {
  return { ...same, keys: jwksFile === null ? { kind: "url", url: jwksUrl ?? "", caFile } : { kind: "file", path: jwksFile } };
}
