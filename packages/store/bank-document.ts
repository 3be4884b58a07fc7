// What operators set of a bank, as it lies in the collection `standings`.

import type { BankStanding } from "@sluice/domain";
import { fromStoredAction, toStoredAction } from "./stored-action.ts";
import type { StoredAction } from "./stored-action.ts";

type Dated<From extends { readonly atMs: number }> = Omit<From, "atMs" | "action"> & { readonly at: Date };

export interface StoredBank {
  readonly _id: string;
  readonly version: number;
  readonly applied: bigint;
  readonly isPaused: boolean;
  readonly since: { readonly action: StoredAction; readonly at: Date } | null;
  readonly pauses: number;
  readonly resumes: number;
  readonly told: readonly Dated<BankStanding["told"][number]>[];
  readonly decisions: readonly (Dated<BankStanding["decisions"][number]> & { readonly action: StoredAction })[];
}

export function toStoredBank({ bank, since, told, decisions, ...same }: BankStanding): StoredBank {
  return {
    _id: bank,
    ...same,
    since: since === null ? null : { action: toStoredAction(since.action), at: new Date(since.atMs) },
    told: told.map(({ atMs, offset, marker }) => ({ offset, at: new Date(atMs), marker: { ...marker } })),
    decisions: decisions.map(({ atMs, action, ...rest }) => ({ ...rest, at: new Date(atMs), action: toStoredAction(action) })),
  };
}

export function fromStoredBank(stored: StoredBank): BankStanding {
  const { version, applied, isPaused, since, pauses, resumes } = stored;
  return {
    bank: stored._id,
    version,
    applied,
    isPaused,
    since: since === null ? null : { action: fromStoredAction(since.action), atMs: since.at.getTime() },
    pauses,
    resumes,
    told: stored.told.map(({ at, offset, marker }) => ({ offset, atMs: at.getTime(), marker: { ...marker } })),
    decisions: stored.decisions.map(({ at, action, ...rest }) => ({ ...rest, atMs: at.getTime(), action: fromStoredAction(action) })),
  };
}
