/** A certificate that a caller may show. */
export type CertificateBinding =
  | {
      readonly kind: "sha256";
      /** SHA-256 of the certificate, hex in lower case. */
      readonly sha256: string;
    }
  | {
      /** A certificate with this name among its alternative names, from an authority. */
      readonly kind: "uri" | "dns";
      readonly name: string;
      /** SHA-256 of the authority's certificate, hex in lower case. */
      readonly authoritySha256: string;
    };
