// A business day as it lies in the collection `days`. Times are dates, offsets int64. A day written before declarations counted their own
// lanes is read as well.

import type { Day, DayDecision, DayPlanned, DayTold, Declaration, Marker, PutBack } from "@sluice/domain";
import { fromStoredAction, toStoredAction } from "./stored-action.ts";
import type { StoredAction } from "./stored-action.ts";

type StoredMarker =
  | Exclude<Marker, { kind: "DayTimes" }>
  | (Omit<Extract<Marker, { kind: "DayTimes" }>, "reconciliationAtMs"> & { readonly reconciliationAt: Date });

type StoredPutBack = Omit<PutBack, "closesAtMs" | "action" | "atMs"> & {
  readonly closesAt: Date;
  readonly action: StoredAction;
  readonly at: Date;
};
type StoredDayDecision = Omit<DayDecision, "atMs" | "action"> & { readonly at: Date; readonly action: StoredAction };

export interface StoredDay {
  readonly _id: string;
  readonly version: number;
  readonly applied: bigint;
  readonly isReconciled: boolean;
  readonly reconciledAt: Date | null;
  readonly isGateOpen: boolean;
  readonly planVersions: readonly string[];
  readonly opened: readonly number[];
  readonly closed: readonly number[];
  readonly missed: readonly number[];
  readonly isVoided: boolean;
  readonly putBacks: readonly StoredPutBack[];
  readonly decisions: readonly StoredDayDecision[];
  readonly declarations: Day["declarations"];
  readonly plan: Omit<DayPlanned, "kind" | "windows" | "cutOffAtMs" | "reconciliationAtMs"> & {
    readonly windows: readonly { readonly number: number; readonly opensAt: Date; readonly closesAt: Date }[];
    readonly cutOffAt: Date;
    readonly reconciliationAt: Date;
  };
  readonly told: readonly { readonly offset: bigint; readonly at: Date; readonly marker: StoredMarker }[];
}

/** As it may lie there: until declarations counted their own lanes there was one for all banks, and the answers stood beside it. */
export type StoredDayEver = Later<StoredDay> | Later<StoredDayBefore>;
/** Operators' hands came later. */
type Later<Stored extends Hands> = Omit<Stored, keyof Hands> & Partial<Hands>;
type Hands = Pick<StoredDay, "isVoided" | "putBacks" | "decisions">;
type StoredDayBefore = Omit<StoredDay, "declarations"> & {
  readonly declared: readonly string[];
  readonly laneAnswers: readonly { readonly lane: number; readonly banksUnresolved: readonly string[] }[];
};

export function toStoredDay(day: Day): StoredDay {
  const { scheme, businessDate, zone, calendarVersion, isWorkingDay, nextBusinessDate, creditsFinal, lanes } = day.plan;
  return {
    _id: day.key,
    version: day.version,
    applied: day.applied,
    // A date without a window has nothing to come, and there is one nearly every week: it is never among the open days.
    isReconciled: day.reconciledAtMs !== null || (day.plan.windows.length === 0 && !day.isVoided),
    reconciledAt: day.reconciledAtMs === null ? null : new Date(day.reconciledAtMs),
    isGateOpen: day.isGateOpen,
    planVersions: [...day.planVersions],
    opened: [...day.opened],
    closed: [...day.closed],
    missed: [...day.missed],
    isVoided: day.isVoided,
    putBacks: day.putBacks.map(({ windowNumber, closesAtMs, action, atMs }) => ({
      windowNumber,
      closesAt: new Date(closesAtMs),
      action: toStoredAction(action),
      at: new Date(atMs),
    })),
    decisions: day.decisions.map(({ atMs, action, credits, ...same }) => ({
      ...same,
      credits: [...credits],
      action: toStoredAction(action),
      at: new Date(atMs),
    })),
    declarations: copyOf(day.declarations),
    plan: {
      scheme,
      businessDate,
      zone,
      calendarVersion,
      isWorkingDay,
      windows: day.plan.windows.map(({ number, opensAtMs, closesAtMs }) => ({
        number,
        opensAt: new Date(opensAtMs),
        closesAt: new Date(closesAtMs),
      })),
      cutOffAt: new Date(day.plan.cutOffAtMs),
      reconciliationAt: new Date(day.plan.reconciliationAtMs),
      nextBusinessDate,
      creditsFinal,
      lanes,
    },
    told: day.told.map(({ offset, atMs, marker }) => ({ offset, at: new Date(atMs), marker: toStoredMarker(marker) })),
  };
}

export function fromStoredDay(stored: StoredDayEver): Day {
  const { scheme, businessDate, zone, calendarVersion, isWorkingDay, nextBusinessDate, creditsFinal, lanes } = stored.plan;
  return {
    key: stored._id,
    version: stored.version,
    applied: stored.applied,
    plan: {
      kind: "DayPlanned",
      scheme,
      businessDate,
      zone,
      calendarVersion,
      isWorkingDay,
      windows: stored.plan.windows.map(({ number, opensAt, closesAt }) => ({
        number,
        opensAtMs: opensAt.getTime(),
        closesAtMs: closesAt.getTime(),
      })),
      cutOffAtMs: stored.plan.cutOffAt.getTime(),
      reconciliationAtMs: stored.plan.reconciliationAt.getTime(),
      nextBusinessDate,
      creditsFinal,
      lanes,
    },
    planVersions: [...stored.planVersions],
    opened: [...stored.opened],
    closed: [...stored.closed],
    missed: [...stored.missed],
    isVoided: stored.isVoided ?? false,
    putBacks: (stored.putBacks ?? []).map(({ windowNumber, closesAt, action, at }) => ({
      windowNumber,
      closesAtMs: closesAt.getTime(),
      action: fromStoredAction(action),
      atMs: at.getTime(),
    })),
    decisions: (stored.decisions ?? []).map(({ at, action, credits, ...same }) => ({
      ...same,
      credits: [...credits],
      action: fromStoredAction(action),
      atMs: at.getTime(),
    })),
    declarations: copyOf("declarations" in stored ? stored.declarations : declarationsBefore(stored)),
    isGateOpen: stored.isGateOpen,
    reconciledAtMs: stored.reconciledAt?.getTime() ?? null,
    told: stored.told.map(({ offset, at, marker }): DayTold => ({ offset, atMs: at.getTime(), marker: fromStoredMarker(marker) })),
  };
}

function copyOf(declarations: Day["declarations"]): Day["declarations"] {
  return declarations.map(({ id, bank, lanesAwaited, unresolved, clearEarly }) => ({
    id,
    bank,
    lanesAwaited: [...lanesAwaited],
    unresolved: unresolved.map((named) => ({ bank: named.bank, lanes: [...named.lanes] })),
    clearEarly: clearEarly.map((named) => ({ bank: named.bank, lanes: [...named.lanes] })),
  }));
}

/** There were no credits to wait for then: no lane named a bank. */
function declarationsBefore({ declared, laneAnswers, plan }: Later<StoredDayBefore>): readonly Declaration[] {
  const answered = new Set(laneAnswers.map(({ lane }) => lane));
  const lanesAwaited = Array.from({ length: plan.lanes }, (_, lane) => lane).filter((lane) => !answered.has(lane));
  return declared.map((id) => ({ id, bank: null, lanesAwaited, unresolved: [], clearEarly: [] }));
}

function toStoredMarker(marker: Marker): StoredMarker {
  if (marker.kind === "GateOpened") return { ...marker, banks: marker.banks && [...marker.banks], except: [...marker.except] };
  if (marker.kind !== "DayTimes") return { ...marker };
  const { reconciliationAtMs, ...rest } = marker;
  return { ...rest, reconciliationAt: new Date(reconciliationAtMs) };
}

function fromStoredMarker(stored: StoredMarker): Marker {
  if (stored.kind === "GateOpened") return { ...stored, banks: stored.banks && [...stored.banks], except: [...stored.except] };
  if (stored.kind !== "DayTimes") return { ...stored };
  const { reconciliationAt, ...rest } = stored;
  return { ...rest, reconciliationAtMs: reconciliationAt.getTime() };
}
