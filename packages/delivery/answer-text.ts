// What is kept of a bank's answer: short, and with nothing in it that names a person or an account.
//
// #1 Of a body only the `message` of an ErrorDetail is kept, which by the interface never repeats an account number or a name;
//    digits are masked nevertheless, to the last four of a run.

import type { BankAnswer } from "./port.ts";

export const answerTextCharactersMax = 140;

/** Null where the answer said nothing that may be kept. */
export function answerText(answer: BankAnswer): string | null {
  if (answer.kind === "silent") return answer.reason.slice(0, answerTextCharactersMax);
  const message = errorMessage(answer.body);
  return message === null ? null : masked(message);
}

function errorMessage(body: Uint8Array): string | null {
  if (body.byteLength === 0) return null;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof value !== "object" || value === null || Reflect.get(value, "schema") !== "ErrorDetail") return null;
    const message: unknown = Reflect.get(value, "message");
    return typeof message === "string" ? message : null;
  } catch {
    return null;
  }
}

function masked(text: string): string {
  return text
    .replaceAll(/\p{C}+/gu, " ")
    .replaceAll(/\d(?:[ -]?\d){4,}/g, (digits) => `…${digits.replaceAll(/\D/g, "").slice(-4)}`)
    .slice(0, answerTextCharactersMax);
}
