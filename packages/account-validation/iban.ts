// Rule iban: form, length, country, mod 97, and the check digits of a country's own account number where the library has them.
//
// #1 Of a country without an entry in the IBAN registry nothing is known but mod 97: a wrong one is invalid, a right one is
//    not verifiable. A code that is no country's is invalid.
// #2 Printed form (groups, small letters) is read as the electronic one.

import { getCountrySpecifications, validateIBAN, ValidationErrorsIBAN } from "ibantools";
import type { Judgement } from "./judgement.ts";

/** The rule's version is its library's: a test holds the two together. */
export const ibanVersion = "ibantools-4.5.4";

const reasons = [
  [ValidationErrorsIBAN.WrongBBANLength, "length"],
  [ValidationErrorsIBAN.WrongBBANFormat, "format"],
  [ValidationErrorsIBAN.WrongIBANChecksum, "check-digit"],
  [ValidationErrorsIBAN.WrongAccountBankBranchChecksum, "national-check-digit"],
] as const;

const countries = getCountrySpecifications();

export function judgeIban(account: string): Judgement {
  const iban = account.replaceAll(" ", "").toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{1,30}$/.test(iban)) return { result: "invalid", reason: "format" };
  const country = countries[iban.slice(0, 2)];
  if (country === undefined) return { result: "invalid", reason: "country" };
  if (!country.IBANRegistry)
    return mod97(iban) === 1 ? { result: "not-verifiable", reason: "no-rule" } : { result: "invalid", reason: "check-digit" };
  const { valid, errorCodes } = validateIBAN(iban);
  if (valid) return { result: "valid", reason: null };
  const reason = reasons.find(([code]) => errorCodes.includes(code))?.[1] ?? "format";
  return { result: "invalid", reason };
}

/** 1 where the check digits are right (ISO 13616). */
export function mod97(iban: string): number {
  const turned = `${iban.slice(4)}${iban.slice(0, 4)}`;
  return [...turned].reduce((rest, character) => {
    const value = Number.parseInt(character, 36);
    return (rest * (value > 9 ? 100 : 10) + value) % 97;
  }, 0);
}
