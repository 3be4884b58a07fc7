// Rule iban: form, length, country, mod 97, and the check digits of a country's own account number where the library
// has them.
//
// #1 For a country without an entry in the IBAN registry only mod 97 is known: a wrong IBAN is invalid, a right one is
//    not verifiable. A code that is no country's is invalid.
// #2 The printed form (groups, small letters) is read as the electronic one.

import { getCountrySpecifications, validateIBAN, ValidationErrorsIBAN } from "ibantools";
import type { RuleVerdict } from "../rule-verdict.ts";
import type { StepListener } from "../check-steps.ts";

/** The rule's version is that of its library; a test compares the two. */
export const ibanVersion = "ibantools-4.5.4";

const reasons = [
  [ValidationErrorsIBAN.WrongBBANLength, "length"],
  [ValidationErrorsIBAN.WrongBBANFormat, "format"],
  [ValidationErrorsIBAN.WrongIBANChecksum, "check-digit"],
  [ValidationErrorsIBAN.WrongAccountBankBranchChecksum, "national-check-digit"],
] as const;

const countries = getCountrySpecifications();

export function checkIban(account: string, note: StepListener = null): RuleVerdict {
  const iban = account.replaceAll(" ", "").toUpperCase();
  note?.({ step: "number", given: account, digits: iban });
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/.test(iban)) return { result: "invalid", reason: "format" };
  const country = countries[iban.slice(0, 2)];
  if (country === undefined) return { result: "invalid", reason: "country" };
  const isRight = mod97(iban) === 1;
  note?.({ step: "finding", text: `mod 97 leaves ${mod97(iban)}${isRight ? "" : ", not 1"}` });
  if (!country.IBANRegistry)
    return isRight ? { result: "not-verifiable", reason: "no-rule" } : { result: "invalid", reason: "check-digit" };
  const { valid, errorCodes } = validateIBAN(iban);
  note?.({
    step: "finding",
    text: `${iban.slice(0, 2)}: ${valid ? "length, format and check digits fit" : findWrongParts(errorCodes).join(", ")}`,
  });
  if (valid) return { result: "valid", reason: null };
  return { result: "invalid", reason: findWrongParts(errorCodes)[0] ?? "format" };
}

/** Returns 1 if the check digits are right (ISO 13616). Letters count as two digits, A = 10 … Z = 35. */
export function mod97(iban: string): number {
  const turned = `${iban.slice(4)}${iban.slice(0, 4)}`;
  let rest = 0;
  for (let index = 0; index < turned.length; index += 1) {
    const value = Number.parseInt(turned.charAt(index), 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

function findWrongParts(errorCodes: readonly ValidationErrorsIBAN[]) {
  return reasons.filter(([code]) => errorCodes.includes(code)).map(([, reason]) => reason);
}
