/** Signature algorithms of access tokens and of proofs. All are asymmetric: no key that verifies can sign. */
export const tokenAlgorithms = ["PS256", "ES256", "EdDSA", "Ed25519"] as const;
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** An authorization server whose access tokens count. */
export interface TokenIssuer {
  /** Its identifier, as `iss` has it. */
  readonly issuer: string;
  /** What `aud` of a token must name: us. */
  readonly audience: string;
  readonly algorithms: readonly TokenAlgorithm[];
  /** Where its public keys are: a JSON Web Key Set (RFC 7517). */
  readonly keys:
    | { readonly kind: "file"; readonly path: string }
    | {
        readonly kind: "url";
        readonly url: string;
        /** PEM file of the authorities of that address; null: the machine's. */
        readonly caFile: string | null;
      };
}

/** The client of an authorization server whose access tokens are those of a caller. */
export interface TokenClient {
  readonly issuer: string;
  /** `client_id` of its tokens. */
  readonly clientId: string;
}
