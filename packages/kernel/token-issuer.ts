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

/** Signature algorithms of ID tokens. RS256 is not among the defaults; many providers have nothing else. */
export const signInAlgorithms = [...tokenAlgorithms, "RS256"] as const;
export type SignInAlgorithm = (typeof signInAlgorithms)[number];

/** A provider of OpenID Connect at which operators sign in. */
export interface SignInProvider {
  /** Its identifier, as `iss` has it. */
  readonly issuer: string;
  /** What it knows the console as. */
  readonly clientId: string;
  /** PEM file of the private key that proves the console to it (`private_key_jwt`). */
  readonly keyFile: string;
  /** Name of that key at the provider; null: the provider finds it without. */
  readonly keyId: string | null;
  /** Origin of the console as browsers know it. */
  readonly origin: string;
  readonly algorithms: readonly SignInAlgorithm[];
  /** A person counts only with one of these in `acr`. */
  readonly acrValues: readonly string[];
  /** Claim with the roles that a person has now, at most those of the operator; null: all of the operator. */
  readonly rolesClaim: string | null;
  /** Claim with the bank that is all that a person sees now; null: what the operator sees. */
  readonly bankClaim: string | null;
  /** Claim with the schemes that are all that a person sees now; null: what the operator sees. */
  readonly schemesClaim: string | null;
  /** Client under which operators sign in on a command line; null: none does. Its tokens are the issuer's above. */
  readonly commandLineClient: string | null;
  /** PEM file of the authorities of the provider's addresses; null: the machine's. */
  readonly caFile: string | null;
  /** Whether the pages also take an operator's token. */
  readonly takesTokens: boolean;
}
