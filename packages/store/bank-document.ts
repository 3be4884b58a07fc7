// What operators set of a bank, as it lies in the collection `standings`.

import type { BankMarker, BankStanding } from "@sluice/domain";
import { fromStoredAction, toStoredAction } from "./stored-action.ts";
import type { StoredAction } from "./stored-action.ts";

type Dated<From extends { readonly atMs: number }> = Omit<From, "atMs" | "action"> & { readonly at: Date };

export interface StoredBank {
  readonly _id: string;
  readonly version: number;
  readonly applied: bigint;
  readonly isPaused: boolean;
  /** Absent where it was written before there were maintenances. */
  readonly until?: Date | null;
  readonly since: { readonly action: StoredAction; readonly at: Date } | null;
  readonly pauses: number;
  readonly resumes: number;
  readonly told: readonly Dated<BankStanding["told"][number]>[];
  readonly decisions: readonly (Dated<BankStanding["decisions"][number]> & { readonly action: StoredAction })[];
}

export function toStoredBank({ bank, untilMs, since, told, decisions, ...same }: BankStanding): StoredBank {
  return {
    _id: bank,
    ...same,
    until: untilMs === null ? null : new Date(untilMs),
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
    untilMs: stored.until?.getTime() ?? null,
    since: since === null ? null : { action: fromStoredAction(since.action), atMs: since.at.getTime() },
    pauses,
    resumes,
    told: stored.told.map(({ at, offset, marker }) => ({ offset, atMs: at.getTime(), marker: wholeMarker(marker) })),
    decisions: stored.decisions.map(({ at, action, ...rest }) => ({ ...rest, atMs: at.getTime(), action: fromStoredAction(action) })),
  };
}

/** What was written before there were maintenances says nothing of an end. */
function wholeMarker(stored: BankMarker): BankMarker {
  return stored.kind === "BankPaused" ? { ...stored, untilMs: stored.untilMs ?? null } : { ...stored };
}
