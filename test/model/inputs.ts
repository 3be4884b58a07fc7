// The inputs of a run: messages, changes and markers, with their places in the topic. This file uses nothing of the
// engine.

import type { Operation } from "@sluice/delivery";
import { modelBanks } from "./steps.ts";

/** The partition and offset of a record, and the time when it was appended. */
export interface InputPlace {
  readonly partition: number;
  readonly offset: bigint;
  readonly atMs: number;
}

export interface InputMessage extends InputPlace {
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  readonly operation: Operation;
  readonly body: string;
  readonly reconciliationDay: string | null;
  readonly stopsAtMs: number | null;
  readonly deadlineMs: number | null;
}

interface InputChange extends InputPlace {
  readonly kind: "STOP" | "REDRIVE" | "GIVE_UP";
  readonly message: InputMessage;
  readonly cause: bigint;
}

/** A marker that pauses or resumes a bank, with a copy in every partition. */
export interface InputPause {
  readonly bank: string;
  readonly number: number;
  readonly isPause: boolean;
  readonly untilMs: number | null;
  readonly requestedAtMs: number;
  readonly places: readonly InputPlace[];
}

interface InputPlan {
  readonly day: string;
  readonly number: number;
  /** The planned close; null if the day is reconciled. */
  readonly closesAtMs: number | null;
  readonly places: readonly InputPlace[];
}

export interface ModelInputs {
  readonly messages: InputMessage[];
  readonly byId: Map<string, InputMessage>;
  readonly changes: InputChange[];
  readonly pauses: InputPause[];
  readonly plans: InputPlan[];
  /** The number of the business day that new messages get. */
  dayNumber: number;
}

export function noInputs(): ModelInputs {
  return { messages: [], byId: new Map(), changes: [], pauses: [], plans: [], dayNumber: 0 };
}

export const modelScheme = "ZA_EFT";
/** Who asks for every stop of a message. */
export const modelOperator = "thandi";

export function inputBusinessDate(day: number): string {
  return `2026-11-${String(20 + day).padStart(2, "0")}`;
}

export function inputDayKey(day: number): string {
  return `${modelScheme}:${inputBusinessDate(day)}`;
}

/** Returns the UETR of one key of one bank. */
export function inputUetr(bank: number, key: number): string {
  return `00000000-0000-4000-8000-${String(bank * 100 + key).padStart(12, "0")}`;
}

export function bankIdAt(bank: number): string {
  return modelBanks[bank] ?? modelBanks[0];
}

/** Returns a bank's newest pause or resume. A pause with an end may have ended meanwhile. */
export function newestPause(inputs: ModelInputs, bank: string): InputPause | null {
  return inputs.pauses.findLast((pause) => pause.bank === bank) ?? null;
}

export function isPauseActive(pause: Pick<InputPause, "isPause" | "untilMs"> | null, nowMs: number): boolean {
  return pause !== null && pause.isPause && (pause.untilMs === null || pause.untilMs > nowMs);
}

/** Returns the earlier messages with the same receiver and key. */
export function earlierMessages(inputs: ModelInputs, message: InputMessage): readonly InputMessage[] {
  return inputs.messages.filter(({ uetr, bank, offset }) => uetr === message.uetr && bank === message.bank && offset < message.offset);
}
