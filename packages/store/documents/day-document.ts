// The document of the collection `days`: a business day. Times are dates, offsets int64.

import type {
  BankPartitions,
  CloseExtension,
  Day,
  DayDecision,
  DayMarkerEntry,
  DayPlanned,
  Declaration,
  Marker,
  PlannedWindow,
} from "@sluice/domain";
import { as, type Codec, date, derived, document, list, nullable, plain, textsSince, type StoredIn } from "./codec.ts";
import { actionCodec } from "./stored-action.ts";

export type StoredDay = StoredIn<typeof dayCodec>;

type StoredMarker =
  | Exclude<Marker, { kind: "DayTimes" }>
  | (Omit<Extract<Marker, { kind: "DayTimes" }>, "reconciliationAtMs"> & { readonly reconciliationAt: Date });

/** Stored as it is, but for the time in it. */
const marker: Codec<Marker, StoredMarker> = {
  encode: (made) => {
    if (made.kind === "GateOpened") return { ...made, banks: made.banks && [...made.banks], except: [...made.except] };
    if (made.kind !== "DayTimes") return { ...made };
    const { reconciliationAtMs, ...rest } = made;
    return { ...rest, reconciliationAt: new Date(reconciliationAtMs) };
  },
  decode: (stored) => {
    if (stored.kind === "GateOpened") return { ...stored, banks: stored.banks && [...stored.banks], except: [...stored.except] };
    if (stored.kind !== "DayTimes") return { ...stored };
    const { reconciliationAt, ...rest } = stored;
    return { ...rest, reconciliationAtMs: reconciliationAt.getTime() };
  },
};

const plannedDay = document<Omit<DayPlanned, "kind">>()({
  scheme: plain,
  businessDate: plain,
  zone: plain,
  calendarVersion: plain,
  isWorkingDay: plain,
  windows: list(document<PlannedWindow>()({ number: plain, opensAt: as("opensAtMs", date), closesAt: as("closesAtMs", date) })),
  cutOffAt: as("cutOffAtMs", date),
  reconciliationAt: as("reconciliationAtMs", date),
  nextBusinessDate: plain,
  creditsFinal: plain,
  partitionCount: plain,
});
const plan: Codec<DayPlanned, StoredIn<typeof plannedDay>> = {
  encode: plannedDay.encode,
  decode: (stored) => ({ kind: "DayPlanned", ...plannedDay.decode(stored) }),
};

const banks = list(document<BankPartitions>()({ bank: plain, partitions: plain }));

export const dayCodec = document<Day>()({
  _id: as("key", plain),
  version: plain,
  applied: plain,
  // A date without a window has nothing to do, and nearly every week has one, so it is never among the open days.
  isReconciled: derived(
    ({ reconciledAtMs, plan: { windows }, isVoided }: Day) => reconciledAtMs !== null || (windows.length === 0 && !isVoided),
  ),
  reconciledAt: as("reconciledAtMs", nullable(date)),
  isGateOpen: plain,
  planVersions: plain,
  opened: plain,
  closed: plain,
  missed: plain,
  isVoided: plain,
  putBacks: as(
    "extensions",
    list(document<CloseExtension>()({ windowNumber: plain, closesAt: as("closesAtMs", date), action: actionCodec, at: as("atMs", date) })),
  ),
  usedActions: textsSince,
  decisions: list(
    document<DayDecision>()({
      offset: plain,
      kind: plain,
      result: plain,
      why: plain,
      bank: plain,
      credits: plain,
      action: actionCodec,
      at: as("atMs", date),
    }),
  ),
  declarations: list(document<Declaration>()({ id: plain, bank: plain, partitionsAwaited: plain, unresolved: banks, clearEarly: banks })),
  plan,
  markers: list(document<DayMarkerEntry>()({ offset: plain, at: as("atMs", date), marker })),
});
