// Masks what may be an account number in text that people or other systems wrote. This is the one rule for answers that
// are kept and for files that leave.
//
// #1 Numbers of five digits and more keep their last four, in any grouping and any script. So does a mix of letters and
//    digits, such as an IBAN.
// #2 The work is bounded for every input: the expressions pass over it once.

export const numberMask = "…";

export function maskNumbers(text: string): string {
  return toPrintable(text)
    .replaceAll(/[\p{L}\p{N}]+/gu, (run) => (run.length >= mixedCharactersMin && /\p{N}/u.test(run) ? keepEnding(run) : run))
    .replaceAll(/\p{N}(?:[^\p{L}\p{N}]{0,2}\p{N}){4,}/gu, (digits) => keepEnding(digits.replaceAll(/\P{N}/gu, "")));
}

/** Replaces control characters and blanks of every kind by single blanks. */
export function toPrintable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
}

/** Characters of the shortest account numbers that mix letters and digits. */
const mixedCharactersMin = 10;

function keepEnding(run: string): string {
  return `${numberMask}${run.slice(-4)}`;
}
