// The document of the collection `days`: a business day. Times are dates, offsets int64. A day written before
// declarations counted their own partitions can still be read.

import type { Day, DayDecision, DayPlanned, DayMarkerEntry, Declaration, Marker } from "@sluice/domain";
import { fromStoredAction, type StoredAction, toStoredAction } from "./stored-action.ts";

type StoredMarker =
  | Exclude<Marker, { kind: "DayTimes" }>
  | (Omit<Extract<Marker, { kind: "DayTimes" }>, "reconciliationAtMs"> & { readonly reconciliationAt: Date });

interface StoredCloseExtension {
  readonly windowNumber: number;
  readonly closesAt: Date;
  readonly action: StoredAction;
  readonly at: Date;
}
interface StoredDayDecision {
  readonly offset: bigint;
  readonly at: Date;
  readonly kind: DayDecision["kind"];
  readonly action: StoredAction;
  readonly result: DayDecision["result"];
  readonly why: string | null;
  readonly bank: string | null;
  readonly credits: readonly string[];
}
interface StoredDeclaration {
  readonly id: string;
  readonly bank: string | null;
  readonly partitionsAwaited: readonly number[];
  readonly unresolved: readonly StoredBankPartitions[];
  readonly clearEarly: readonly StoredBankPartitions[];
}
interface StoredBankPartitions {
  readonly bank: string;
  readonly partitions: readonly number[];
}

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
  readonly putBacks: readonly StoredCloseExtension[];
  readonly decisions: readonly StoredDayDecision[];
  readonly declarations: readonly StoredDeclaration[];
  readonly plan: {
    readonly scheme: string;
    readonly businessDate: string;
    readonly zone: string;
    readonly calendarVersion: string;
    readonly isWorkingDay: boolean;
    readonly nextBusinessDate: string;
    readonly creditsFinal: DayPlanned["creditsFinal"];
    readonly partitionCount: number;
    readonly windows: readonly { readonly number: number; readonly opensAt: Date; readonly closesAt: Date }[];
    readonly cutOffAt: Date;
    readonly reconciliationAt: Date;
  };
  readonly told: readonly { readonly offset: bigint; readonly at: Date; readonly marker: StoredMarker }[];
}

/**
 * Any stored form. Before declarations counted their own partitions there was one declaration for all banks, and the
 * answers were stored next to it.
 */
export type AnyStoredDay = AllowOlder<StoredDay> | AllowOlder<StoredDayWithoutDeclarations>;
/** Members for operators' decisions, which were added later. */
type AllowOlder<Stored extends OperatorMembers> = Omit<Stored, keyof OperatorMembers> & Partial<OperatorMembers>;
type OperatorMembers = Pick<StoredDay, "isVoided" | "putBacks" | "decisions">;
type StoredDayWithoutDeclarations = Omit<StoredDay, "declarations"> & {
  readonly declared: readonly string[];
  readonly laneAnswers: readonly { readonly partition: number; readonly banksUnresolved: readonly string[] }[];
};

export function toStoredDay(day: Day): StoredDay {
  const { scheme, businessDate, zone, calendarVersion, isWorkingDay, nextBusinessDate, creditsFinal } = day.plan;
  return {
    _id: day.key,
    version: day.version,
    applied: day.applied,
    // A date without a window has nothing to do, and nearly every week has one, so it is never among the open days.
    isReconciled: day.reconciledAtMs !== null || (day.plan.windows.length === 0 && !day.isVoided),
    reconciledAt: day.reconciledAtMs === null ? null : new Date(day.reconciledAtMs),
    isGateOpen: day.isGateOpen,
    planVersions: [...day.planVersions],
    opened: [...day.opened],
    closed: [...day.closed],
    missed: [...day.missed],
    isVoided: day.isVoided,
    putBacks: day.extensions.map(({ windowNumber, closesAtMs, action, atMs }) => ({
      windowNumber,
      closesAt: new Date(closesAtMs),
      action: toStoredAction(action),
      at: new Date(atMs),
    })),
    decisions: day.decisions.map(({ offset, atMs, kind, action, result, why, bank, credits }) => ({
      offset,
      kind,
      result,
      why,
      bank,
      credits: [...credits],
      action: toStoredAction(action),
      at: new Date(atMs),
    })),
    declarations: day.declarations.map(toStoredDeclaration),
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
      partitionCount: day.plan.partitionCount,
    },
    told: day.markers.map(({ offset, atMs, marker }) => ({ offset, at: new Date(atMs), marker: toStoredMarker(marker) })),
  };
}

export function fromStoredDay(stored: AnyStoredDay): Day {
  const { scheme, businessDate, zone, calendarVersion, isWorkingDay, nextBusinessDate, creditsFinal } = stored.plan;
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
      partitionCount: stored.plan.partitionCount,
    },
    planVersions: [...stored.planVersions],
    opened: [...stored.opened],
    closed: [...stored.closed],
    missed: [...stored.missed],
    isVoided: stored.isVoided ?? false,
    extensions: (stored.putBacks ?? []).map(({ windowNumber, closesAt, action, at }) => ({
      windowNumber,
      closesAtMs: closesAt.getTime(),
      action: fromStoredAction(action),
      atMs: at.getTime(),
    })),
    decisions: (stored.decisions ?? []).map(({ offset, at, kind, action, result, why, bank, credits }) => ({
      offset,
      kind,
      result,
      why,
      bank,
      credits: [...credits],
      action: fromStoredAction(action),
      atMs: at.getTime(),
    })),
    declarations: "declarations" in stored ? stored.declarations.map(fromStoredDeclaration) : toDeclarations(stored),
    isGateOpen: stored.isGateOpen,
    reconciledAtMs: stored.reconciledAt?.getTime() ?? null,
    markers: stored.told.map(({ offset, at, marker }): DayMarkerEntry => ({
      offset,
      atMs: at.getTime(),
      marker: fromStoredMarker(marker),
    })),
  };
}

function toStoredDeclaration({ id, bank, partitionsAwaited, unresolved, clearEarly }: Declaration): StoredDeclaration {
  return {
    id,
    bank,
    partitionsAwaited: [...partitionsAwaited],
    unresolved: unresolved.map((named) => ({ bank: named.bank, partitions: [...named.partitions] })),
    clearEarly: clearEarly.map((named) => ({ bank: named.bank, partitions: [...named.partitions] })),
  };
}

function fromStoredDeclaration({ id, bank, partitionsAwaited, unresolved, clearEarly }: StoredDeclaration): Declaration {
  return {
    id,
    bank,
    partitionsAwaited: [...partitionsAwaited],
    unresolved: unresolved.map((named) => ({ bank: named.bank, partitions: [...named.partitions] })),
    clearEarly: clearEarly.map((named) => ({ bank: named.bank, partitions: [...named.partitions] })),
  };
}

/** Before that, no credits were waited for, so no partition named a bank. */
function toDeclarations({ declared, laneAnswers, plan }: AllowOlder<StoredDayWithoutDeclarations>): readonly Declaration[] {
  const answered = new Set(laneAnswers.map(({ partition }) => partition));
  const partitionsAwaited = Array.from({ length: plan.partitionCount }, (_, partition) => partition).filter(
    (partition) => !answered.has(partition),
  );
  return declared.map((id) => ({ id, bank: null, partitionsAwaited, unresolved: [], clearEarly: [] }));
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
