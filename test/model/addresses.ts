// What a process knows of an address of a bank, by the specification: decisions.md section 3 and ADR 18, not the engine. Each answer that the
// process gets goes in; what comes out is whether it may call the address now.
//
// 1. The breaker opens after 10 transient answers in a row over at least 2 UETRs, 10 about the address in a row over at least 2, or 10 that
//    are not recoverable in a row. An acknowledgement ends every row; a refusal ends the other two, and they end its row.
// 2. While it is open the answers of what was under way change nothing, but for the first acknowledgement: it closes it.
// 3. `Retry-After` on 429 or 503 gates the address, 1 s to 15 min; the longest counts.
// 4. An operator's resume, and the end of a maintenance, lift a gate and make the next probe due.

import type { BankAnswer } from "@sluice/delivery";
import type { Message } from "./given.ts";
import type { Meaning } from "./seen.ts";

type Reason = "transient" | "address" | "refused";

interface Row {
  count: number;
  readonly uetrs: Set<string>;
}

export interface Address {
  readonly process: string;
  readonly bank: string;
  readonly origin: string;
  readonly rows: Record<Reason, Row>;
  open: { readonly sinceMs: number; readonly reason: Reason } | null;
  /** Of the last attempt that began while it was open; null: none did. */
  probedAtMs: number | null;
  /** When it was known that the next probe is due at once: at a restart with an open breaker, at a resume. */
  recalledAtMs: number;
  /** Until when it stands for sure. */
  gateUntilMs: number;
  /** Until when it may stand: a resume ends it only where it was asked for before that. */
  gateMayStandUntilMs: number;
  /** When the gate became known. */
  gatedAtMs: number;
  closedAtMs: number;
  /** Attempts under way. */
  running: number;
  /** An answer came of which only the process knows what it means: nothing is asked until the next acknowledgement. */
  isUncertain: boolean;
}

export const probeSpacingMs: Readonly<Record<Reason, number>> = { transient: 10_000, refused: 10_000, address: 60_000 };
const failuresToOpen = 10;
const gateMinMs = 1_000;
const gateMaxMs = 15 * 60_000;

/** Of the third bank, reports have an address of their own. */
export const otherOrigin = "http://other.invalid";

export function originOf({ bank, operation }: Pick<Message, "bank" | "operation">): string {
  return bank === "third" && operation === "outboundDirectDebitResponse" ? otherOrigin : `http://${bank}.invalid`;
}

export function newAddress(process: string, bank: string, origin: string): Address {
  const row = (): Row => ({ count: 0, uetrs: new Set() });
  return {
    process,
    bank,
    origin,
    rows: { transient: row(), address: row(), refused: row() },
    open: null,
    probedAtMs: null,
    recalledAtMs: 0,
    gateUntilMs: 0,
    gateMayStandUntilMs: 0,
    gatedAtMs: 0,
    closedAtMs: 0,
    running: 0,
    isUncertain: false,
  };
}

/** A process got an answer. `isDuplicateCode`: it would mean "seen before" on another attempt. Answers whether the breaker closed by it. */
export function answered(
  address: Address,
  {
    meaning,
    uetr,
    answer,
    nowMs,
  }: { readonly meaning: Meaning; readonly uetr: string; readonly answer: BankAnswer; readonly nowMs: number },
): boolean {
  if (meaning === "either") address.isUncertain = true;
  if (meaning === "acknowledged") return acknowledged(address, nowMs);
  gated(address, answer, nowMs);
  const isDuplicateCode = answer.kind === "answered" && answer.status === 409;
  if (address.open !== null || meaning === "either" || isDuplicateCode) return false;
  if (meaning === "refused") {
    clear(address, "transient");
    clear(address, "address");
  } else clear(address, "refused");
  address.rows[meaning].count += 1;
  address.rows[meaning].uetrs.add(uetr);
  const { count, uetrs } = address.rows[meaning];
  if (count < failuresToOpen || (meaning !== "refused" && uetrs.size < 2)) return false;
  address.open = { sinceMs: nowMs, reason: meaning };
  address.probedAtMs = null;
  return false;
}

function acknowledged(address: Address, nowMs: number): boolean {
  const wasOpen = address.open !== null;
  for (const reason of ["transient", "address", "refused"] as const) clear(address, reason);
  address.open = null;
  address.isUncertain = false;
  if (wasOpen) address.closedAtMs = nowMs;
  return wasOpen;
}

function clear({ rows }: Address, reason: Reason): void {
  rows[reason].count = 0;
  rows[reason].uetrs.clear();
}

/** 3 */
function gated(address: Address, answer: BankAnswer, nowMs: number): void {
  if (answer.kind === "silent" || answer.retryAfter === null || ![429, 503].includes(answer.status)) return;
  const untilMs = nowMs + Math.min(gateMaxMs, Math.max(gateMinMs, Number(answer.retryAfter) * 1_000));
  if (untilMs <= address.gateUntilMs) return;
  address.gateUntilMs = untilMs;
  address.gateMayStandUntilMs = untilMs;
  address.gatedAtMs = nowMs;
}

/** 4. `saidAtMs`: when it was, or earlier; a lane may read it late. */
export function recalled(address: Address, saidAtMs: number, nowMs: number): void {
  address.gateUntilMs = 0;
  if (saidAtMs > address.gatedAtMs) address.gateMayStandUntilMs = 0;
  address.recalledAtMs = nowMs;
}
