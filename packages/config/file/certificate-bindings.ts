// The client certificates of a caller, as the file names them.

import type { CertificateBinding } from "@sluice/kernel";
import { z } from "zod";

const form = "either sha256, or uri or dns together with authoritySha256";
/** As `openssl x509 -fingerprint -sha256` prints it, or without colons. */
const sha256 = z
  .string()
  .regex(/^([0-9a-fA-F]{64}|[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){31})$/, "SHA-256 of the certificate, 64 hex digits with or without colons");

const certificate = z
  .strictObject({
    sha256: sha256.optional(),
    uri: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9+.-]*:[\x21-\x7e]{1,1000}$/, "a URI, such as spiffe://example/bank")
      .optional(),
    dns: z
      .string()
      .regex(/^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,251}[a-zA-Z0-9])?$/, "a name without a wildcard, such as client.bank.example")
      .optional(),
    authoritySha256: sha256.optional(),
  })
  .refine((given) => buildBinding(given) !== null, form);

/** A member of every caller. */
export const certificateMembers = {
  certificates: z.array(certificate).min(1, "at least one").max(10).nullable().default(null),
};

type CertificateInFile = Readonly<Partial<Record<"sha256" | "uri" | "dns" | "authoritySha256", string | undefined>>>;

export function toBindings(certificates: readonly CertificateInFile[] | null): readonly CertificateBinding[] | null {
  return certificates?.flatMap((given) => buildBinding(given) ?? []) ?? null;
}

/** Null: it is no certificate of the file's form. */
export function readBinding(given: unknown): CertificateBinding | null {
  const read = certificate.safeParse(given);
  return read.success ? buildBinding(read.data) : null;
}

/** One text for each binding, equal for equal ones. */
export function formatBinding(binding: CertificateBinding): string {
  if (binding.kind === "sha256") return `sha256 ${binding.sha256}`;
  return `${binding.kind} ${binding.name} of ${binding.authoritySha256}`;
}

/** Null: the members do not fit together. */
function buildBinding({ sha256: own, uri, dns, authoritySha256: authority }: CertificateInFile): CertificateBinding | null {
  const isNamed = uri !== undefined || dns !== undefined;
  if (own !== undefined) return isNamed || authority !== undefined ? null : { kind: "sha256", sha256: toPlainHex(own) };
  if (authority === undefined || (uri === undefined) === (dns === undefined)) return null;
  const named = uri === undefined ? ({ kind: "dns", name: (dns ?? "").toLowerCase() } as const) : ({ kind: "uri", name: uri } as const);
  return { ...named, authoritySha256: toPlainHex(authority) };
}

function toPlainHex(hex: string): string {
  return hex.replaceAll(":", "").toLowerCase();
}
