// What is kept of a receiver's answer: short, and with nothing in it that names a person or an account.
//
// #1 Of an ErrorDetail the `message`, which by the interface never repeats an account number or a name, as it is; its `detail` as #2.
// #2 Of anything else (an error page, other JSON, text): the words that name nothing (`answer-words.ts`), short numbers and punctuation. Names
//    cannot be known, so every other word is `…`. Nothing is kept where no such word is left.
// #3 Numbers are masked to the last four digits, however they are grouped and in whatever script; so is what mixes letters and digits, as an IBAN.
// #4 Whatever comes, the work is bounded: 4 KiB of a body that is no ErrorDetail are looked at, by expressions that go over it once.

import { answerWords } from "./answer-words.ts";
import type { BankAnswer } from "./port.ts";

export const answerTextCharactersMax = 1_024;
const bodyBytesRead = 4_096;
const mask = "…";

/** Null where the answer said nothing that may be kept. */
export function answerText(answer: BankAnswer): string | null {
  if (answer.kind === "silent") return short(answer.reason);
  if (answer.body.byteLength === 0) return null;
  return errorDetail(answer.body) ?? knownWords(answer.body);
}

/** #1 */
function errorDetail(body: Uint8Array): string | null {
  const given = objectIn(body);
  const [message, detail] = [given?.get("message"), given?.get("detail")];
  if (given?.get("schema") !== "ErrorDetail" || typeof message !== "string") return null;
  const known = typeof detail === "string" ? knownWords(new TextEncoder().encode(detail)) : null;
  return short(known === null ? masked(message) : `${masked(message)}: ${known}`);
}

function objectIn(body: Uint8Array): ReadonlyMap<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : null;
  } catch {
    return null;
  }
}

/** #2 */
function knownWords(body: Uint8Array): string | null {
  const isCut = body.byteLength > bodyBytesRead;
  const text = printable(new TextDecoder().decode(body.subarray(0, bodyBytesRead)).replaceAll(/<[^<>]*>/g, " "));
  let isAnyKnown = false;
  const kept = text.replaceAll(/[\p{L}\p{M}\p{N}]+|[^ -~]+/gu, (run: string, at: number) => {
    if (isCut && at + run.length === text.length) return mask;
    if (/^\p{N}+$/u.test(run)) return run;
    const isKnown = isReasonCode(run) || partsOf(run).every((part) => answerWords.has(part.toLowerCase()));
    isAnyKnown ||= isKnown;
    return isKnown ? run : mask;
  });
  return isAnyKnown ? short(masked(kept).replaceAll(/…(?:[^\p{L}\p{N}]{0,3}…)+/gu, mask)) : null;
}

/** Of ISO 20022, such as AC02. */
function isReasonCode(run: string): boolean {
  return /^[A-Z]{2}\d\d$/.test(run);
}

/** `debtorAccount`: debtor, Account. */
function partsOf(run: string): readonly string[] {
  return run.split(/(?<=\p{Ll})(?=\p{Lu})/u);
}

/** #3 */
function masked(text: string): string {
  return printable(text)
    .replaceAll(/[\p{L}\p{N}]+/gu, (run) => (run.length >= mixedCharactersMin && /\p{N}/u.test(run) ? ending(run) : run))
    .replaceAll(/\p{N}(?:[^\p{L}\p{N}]{0,2}\p{N}){4,}/gu, (digits) => ending(digits.replaceAll(/\P{N}/gu, "")));
}

/** As long as the shortest account numbers with letters in them. */
const mixedCharactersMin = 10;

function ending(run: string): string {
  return `${mask}${run.slice(-4)}`;
}

function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
}

function short(text: string): string {
  return text.slice(0, answerTextCharactersMax).toWellFormed();
}
