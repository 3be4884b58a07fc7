// The document of the collection `standings`: what operators decided about a bank.

import type { BankMarker, BankState } from "@sluice/domain";
import { fromStoredAction, type StoredAction, toStoredAction } from "./stored-action.ts";

export interface StoredBankState {
  readonly _id: string;
  readonly version: number;
  readonly applied: bigint;
  readonly isPaused: boolean;
  /** Absent in documents written before maintenance periods existed. */
  readonly until?: Date | null;
  readonly since: { readonly action: StoredAction; readonly at: Date } | null;
  readonly pauses: number;
  readonly resumes: number;
  readonly told: readonly { readonly offset: bigint; readonly at: Date; readonly marker: BankMarker }[];
  readonly decisions: readonly StoredBankDecision[];
}

interface StoredBankDecision {
  readonly offset: bigint;
  readonly at: Date;
  readonly kind: BankState["decisions"][number]["kind"];
  readonly action: StoredAction;
  readonly result: BankState["decisions"][number]["result"];
  readonly why: string | null;
}

export function toStoredBankState({
  bank,
  version,
  applied,
  isPaused,
  untilMs,
  since,
  pauses,
  resumes,
  markers,
  decisions,
}: BankState): StoredBankState {
  return {
    _id: bank,
    version,
    applied,
    isPaused,
    pauses,
    resumes,
    until: untilMs === null ? null : new Date(untilMs),
    since: since === null ? null : { action: toStoredAction(since.action), at: new Date(since.atMs) },
    told: markers.map(({ atMs, offset, marker }) => ({ offset, at: new Date(atMs), marker: { ...marker } })),
    decisions: decisions.map(({ offset, atMs, kind, action, result, why }) => ({
      offset,
      kind,
      result,
      why,
      at: new Date(atMs),
      action: toStoredAction(action),
    })),
  };
}

export function fromStoredBankState(stored: StoredBankState): BankState {
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
    markers: stored.told.map(({ at, offset, marker }) => ({ offset, atMs: at.getTime(), marker: wholeMarker(marker) })),
    decisions: stored.decisions.map(({ offset, at, kind, action, result, why }) => ({
      offset,
      kind,
      result,
      why,
      atMs: at.getTime(),
      action: fromStoredAction(action),
    })),
  };
}

/** A marker written before maintenance periods existed has no end. */
function wholeMarker(stored: BankMarker): BankMarker {
  return stored.kind === "BankPaused" ? { ...stored, untilMs: stored.untilMs ?? null } : { ...stored };
}
