// What TLS is spoken with, here and there, and the certificates that callers may show.

/** What every connection is made with, whatever Node's own options say. */
export const tlsSettings = {
  minVersion: "TLSv1.2",
  /** Those of TLS 1.3, and of TLS 1.2 those that BCP 195 recommends (RFC 9325, 4.2): each has forward secrecy. */
  ciphers: [
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_AES_128_GCM_SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
  ].join(":"),
} as const;

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
