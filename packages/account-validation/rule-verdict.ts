// The verdict of a rule on an account.

export type CheckResult = "valid" | "invalid" | "not-verifiable" | "warning";

export type ReasonCode =
  | "not-numeric"
  | "zero"
  | "too-long"
  | "unknown-branch"
  | "no-rule"
  | "account-type"
  | "check-digit"
  | "direction"
  // From here on: reasons of rule iban.
  | "format"
  | "country"
  | "length"
  | "national-check-digit";

export interface RuleVerdict {
  readonly result: CheckResult;
  /** Null if the result is `valid`. */
  readonly reason: ReasonCode | null;
}
