// A business day as it lies in the collection `days`. Times are dates, offsets int64. A day written before declarations counted their own
// lanes is read as well.

import type { Day, DayPlanned, DayTold, Declaration, Marker } from "@sluice/domain";

type StoredMarker =
  | Exclude<Marker, { kind: "DayTimes" }>
  | (Omit<Extract<Marker, { kind: "DayTimes" }>, "reconciliationAtMs"> & { readonly reconciliationAt: Date });

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
  readonly declarations: Day["declarations"];
  readonly plan: Omit<DayPlanned, "kind" | "windows" | "cutOffAtMs" | "reconciliationAtMs"> & {
    readonly windows: readonly { readonly number: number; readonly opensAt: Date; readonly closesAt: Date }[];
    readonly cutOffAt: Date;
    readonly reconciliationAt: Date;
  };
  readonly told: readonly { readonly offset: bigint; readonly at: Date; readonly marker: StoredMarker }[];
}

/** As it may lie there: until declarations counted their own lanes there was one for all banks, and the answers stood beside it. */
export type StoredDayEver = StoredDay | StoredDayBefore;
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
    isReconciled: day.reconciledAtMs !== null || day.plan.windows.length === 0,
    reconciledAt: day.reconciledAtMs === null ? null : new Date(day.reconciledAtMs),
    isGateOpen: day.isGateOpen,
    planVersions: [...day.planVersions],
    opened: [...day.opened],
    closed: [...day.closed],
    missed: [...day.missed],
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
function declarationsBefore({ declared, laneAnswers, plan }: StoredDayBefore): readonly Declaration[] {
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
