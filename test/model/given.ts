// What a run was given: messages, changes and markers, with their places in the log. Of the engine nothing is in here.

import type { Operation } from "@sluice/delivery";
import { banks } from "./steps.ts";

/** Where a record lies, and since when. */
export interface Place {
  readonly lane: number;
  readonly offset: bigint;
  readonly atMs: number;
}

export interface Message extends Place {
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  readonly operation: Operation;
  readonly body: string;
  readonly closesWith: string | null;
  readonly stopsAtMs: number | null;
  readonly deadlineMs: number | null;
}

export interface Change extends Place {
  readonly kind: "STOP" | "REDRIVE";
  readonly message: Message;
  readonly cause: bigint;
}

/** A marker lies in every lane. */
export interface Pause {
  readonly bank: string;
  readonly number: number;
  readonly isPause: boolean;
  readonly untilMs: number | null;
  readonly saidAtMs: number;
  readonly places: readonly Place[];
}

export interface Plan {
  readonly day: string;
  readonly number: number;
  /** Null: the day is reconciled. */
  readonly closesAtMs: number | null;
  readonly places: readonly Place[];
}

export interface Given {
  readonly messages: Message[];
  readonly byId: Map<string, Message>;
  readonly changes: Change[];
  readonly pauses: Pause[];
  readonly plans: Plan[];
  /** Number of the business day that messages are for now. */
  days: number;
}

export function nothingGiven(): Given {
  return { messages: [], byId: new Map(), changes: [], pauses: [], plans: [], days: 0 };
}

export const scheme = "ZA_EFT";

export function dateOf(day: number): string {
  return `2026-11-${String(20 + day).padStart(2, "0")}`;
}

export function dayOf(day: number): string {
  return `${scheme}:${dateOf(day)}`;
}

/** One key of one bank. */
export function uetrOf(bank: number, key: number): string {
  return `00000000-0000-4000-8000-${String(bank * 100 + key).padStart(12, "0")}`;
}

export function bankNamed(bank: number): string {
  return banks[bank] ?? banks[0];
}

/** By its newest marker; a pause with an end may have ended meanwhile. */
export function newestPause(given: Given, bank: string): Pause | null {
  return given.pauses.findLast((pause) => pause.bank === bank) ?? null;
}

export function isPausedAt(pause: Pick<Pause, "isPause" | "untilMs"> | null, nowMs: number): boolean {
  return pause !== null && pause.isPause && (pause.untilMs === null || pause.untilMs > nowMs);
}

/** Messages before it that go to the same receiver under the same key. */
export function before(given: Given, message: Message): readonly Message[] {
  return given.messages.filter(({ uetr, bank, offset }) => uetr === message.uetr && bank === message.bank && offset < message.offset);
}
