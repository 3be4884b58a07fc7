// What a rule says of an account.

export type Result = "valid" | "invalid" | "not-verifiable" | "warning";

export type ReasonCode =
  | "not-numeric"
  | "zero"
  | "too-long"
  | "unknown-branch"
  | "no-rule"
  | "account-type"
  | "check-digit"
  | "direction"
  // Of an IBAN:
  | "format"
  | "country"
  | "length"
  | "national-check-digit";

export interface Judgement {
  readonly result: Result;
  /** Null where the result is `valid`. */
  readonly reason: ReasonCode | null;
}
