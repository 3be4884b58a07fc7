// Formats values for the answers of the control API, everywhere alike.
//
// #1 An amount is decimal text with the digits of its currency, next to the currency; it never becomes a double. A sum
//    is an amount.
// #2 Times are UTC text. Of an account only the last four characters are shown, of a person nothing.

import { minorUnitDigits } from "@sluice/contracts";
import type { OperatorAction } from "@sluice/domain";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer } from "../http/control-handler.ts";

const scale = 4;

/** "1250.50" for 12_505_000n and ZAR; more digits only if the amount has them. */
export function formatAmount(tenThousandths: bigint, currency: string): string {
  const all = tenThousandths.toString().padStart(scale + 1, "0");
  const [whole, fraction] = [all.slice(0, -scale), all.slice(-scale)];
  const needed = Math.max(minorUnitDigits(currency) ?? 0, fraction.replace(/0+$/, "").length);
  return needed === 0 ? whole : `${whole}.${fraction.slice(0, needed)}`;
}

/** Parses a decimal text to ten-thousandths; null: it is not a decimal, or is more precise than that. */
export function parseAmount(text: string): bigint | null {
  const [, whole, fraction = ""] = /^(\d{1,14})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  return whole === undefined ? null : BigInt(`${whole}${fraction.padEnd(scale, "0")}`);
}

export function formatOptionalInstant(atMs: number | null): string | null {
  return atMs === null ? null : formatInstant(atMs);
}

/** Whole seconds until `atMs`, negative if it is past; null: one of the two is not known. */
export function wholeSecondsUntil(atMs: number | null, nowMs: number | null): number | null {
  return atMs === null || nowMs === null ? null : Math.round((atMs - nowMs) / 1_000);
}

export function actionView({ id, operator, person, confirmedBy, reason, requestedAtMs }: OperatorAction) {
  return { id, operator, person: person ?? operator, confirmedBy, reason, requestedAt: formatInstant(requestedAtMs) };
}

interface Note {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind: string;
  readonly action: OperatorAction;
  readonly result: string;
  readonly why: string | null;
}

/** Shows a decision and its result. */
export function decisionView({ offset, atMs, kind, action, result, why }: Note) {
  return { kind, result, why, at: formatInstant(atMs), offset, ...actionView(action) };
}

/** The answer 400, with a text that says what is wrong. */
export function invalidRequest(detail: string): ControlAnswer {
  return { kind: "refused", status: 400, message: "Not a question that can be answered", detail };
}

/** Epoch milliseconds of an instant with its offset; null: the text is none. */
export function parseInstant(text: string | null | undefined): number | null {
  try {
    return Temporal.Instant.from(text ?? "").epochMilliseconds;
  } catch {
    return null;
  }
}

/** True for the key of a day, such as `ZA_EFT:2026-11-20`. */
export function isDayKey(text: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,34}:\d{4}-\d\d-\d\d$/.test(text);
}
