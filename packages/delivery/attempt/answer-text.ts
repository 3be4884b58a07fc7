// Keeps a short text of a receiver's answer that names no person and no account.
//
// #1 Of an ErrorDetail the `message` is kept as it is, because by the interface it never repeats an account number or a
//    name; its `detail` is treated as #2.
// #2 Of anything else (an error page, other JSON, text) only words that name nothing (answer-words.ts), short numbers
//    and punctuation are kept. Names cannot be recognized, so every other word becomes `…`. Without one known word
//    nothing is kept.
// #3 Numbers are masked to the last four digits (`maskNumbers`).
// #4 The work is bounded for every input: of a body that is no ErrorDetail 4 KiB are read, by expressions that pass
//    over it once.

import { maskNumbers, numberMask as mask, toPrintable } from "@sluice/kernel";
import { answerWords } from "./answer-words.ts";
import type { ReceiverAnswer } from "../port.ts";

export const answerTextCharactersMax = 1_024;
const bodyBytesRead = 4_096;

/** The text to keep; null where the answer has none. */
export function answerText(answer: ReceiverAnswer): string | null {
  if (answer.kind === "silent") return shorten(answer.reason);
  if (answer.body.byteLength === 0) return null;
  return errorDetail(answer.body) ?? knownWords(answer.body);
}

/** #1 */
function errorDetail(body: Uint8Array): string | null {
  const given = parseObject(body);
  const [message, detail] = [given?.get("message"), given?.get("detail")];
  if (given?.get("schema") !== "ErrorDetail" || typeof message !== "string") return null;
  const known = typeof detail === "string" ? knownWords(new TextEncoder().encode(detail)) : null;
  return shorten(known === null ? maskNumbers(message) : `${maskNumbers(message)}: ${known}`);
}

function parseObject(body: Uint8Array): ReadonlyMap<string, unknown> | null {
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
  const text = toPrintable(new TextDecoder().decode(body.subarray(0, bodyBytesRead)).replaceAll(/<[^<>]*>/g, " "));
  let isAnyKnown = false;
  const kept = text.replaceAll(/[\p{L}\p{M}\p{N}]+|[^ -~]+/gu, (run: string, at: number) => {
    if (isCut && at + run.length === text.length) return mask;
    if (/^\p{N}+$/u.test(run)) return run;
    const isKnown = isReasonCode(run) || splitWord(run).every((part) => answerWords.has(part.toLowerCase()));
    isAnyKnown ||= isKnown;
    return isKnown ? run : mask;
  });
  return isAnyKnown ? shorten(maskNumbers(kept).replaceAll(/…(?:[^\p{L}\p{N}]{0,3}…)+/gu, mask)) : null;
}

/** Tells whether it is a reason code of ISO 20022, such as AC02. */
function isReasonCode(run: string): boolean {
  return /^[A-Z]{2}\d\d$/.test(run);
}

/** Splits a compound word: `debtorAccount` becomes debtor and Account. */
function splitWord(run: string): readonly string[] {
  return run.split(/(?<=\p{Ll})(?=\p{Lu})/u);
}

function shorten(text: string): string {
  return text.slice(0, answerTextCharactersMax).toWellFormed();
}
