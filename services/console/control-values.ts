// How values look in the answers of the control API, everywhere alike.
//
// #1 Amounts are decimal text with the digits of their currency, beside the currency; no double touches one. A sum is an amount.
// #2 Times are UTC text. Of an account the last four characters alone, of a person nothing.

import { minorUnitsOf } from "@sluice/contracts";
import type { OperatorAction } from "@sluice/domain";
import { instantText } from "./answer.ts";
import type { ControlAnswer } from "./control-handler.ts";

const scale = 4;

/** "1250.50" of 12_505_000n and ZAR; more digits only where the amount has them. */
export function moneyText(tenThousandths: bigint, currency: string): string {
  const all = tenThousandths.toString().padStart(scale + 1, "0");
  const [whole, fraction] = [all.slice(0, -scale), all.slice(-scale)];
  const needed = Math.max(minorUnitsOf(currency) ?? 0, fraction.replace(/0+$/, "").length);
  return needed === 0 ? whole : `${whole}.${fraction.slice(0, needed)}`;
}

/** Ten-thousandths of a decimal text; null: it is none, or finer than that. */
export function moneyIn(text: string): bigint | null {
  const [, whole, fraction = ""] = /^(\d{1,14})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  return whole === undefined ? null : BigInt(`${whole}${fraction.padEnd(scale, "0")}`);
}

export function timeText(atMs: number | null): string | null {
  return atMs === null ? null : instantText(atMs);
}

/** Whole seconds from now until then, negative when it is past; null: one of the two is not known. */
export function secondsUntil(atMs: number | null, nowMs: number | null): number | null {
  return atMs === null || nowMs === null ? null : Math.round((atMs - nowMs) / 1_000);
}

export function actionView({ id, operator, reason, requestedAtMs }: OperatorAction) {
  return { id, operator, reason, requestedAt: instantText(requestedAtMs) };
}

interface Note {
  readonly offset: bigint;
  readonly atMs: number;
  readonly kind: string;
  readonly action: OperatorAction;
  readonly result: string;
  readonly why: string | null;
}

/** What an operator asked for, and what came of it. */
export function decisionView({ offset, atMs, kind, action, result, why }: Note) {
  return { kind, result, why, at: instantText(atMs), offset, ...actionView(action) };
}

/** 400. */
export function invalid(detail: string): ControlAnswer {
  return { kind: "refused", status: 400, message: "Not a question that can be answered", detail };
}

/** A day's key `ZA_EFT:2026-11-20`. */
export function isDayKey(text: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,34}:\d{4}-\d\d-\d\d$/.test(text);
}
