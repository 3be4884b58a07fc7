// showOverview: what is going on now, in one answer.
//
// #1 One overview is made at a time, and it is the answer to everybody who asks within `keptMs`. So a hundred people
//    who look at it cost the store as much as one.
// #2 What is counted over the transactions may be older, and has its own time (`kept-count.ts`). Nobody
//    waits for it: until it was counted once the answer has none of it, and no time of its count.
// #3 An operator of some schemes has what is of these alone. What has no scheme is not counted for them, and of what is
//    not delivered only what awaits a day has one. Services and pauses are everybody's.
// #4 Everybody's answers are made of what was found once. Only which proposals are of a scheme is asked for each set of
//    schemes; the file and its claims bound how many sets there are.

import { formatInstant } from "../http/bank-answer.ts";
import { isOfSchemes, topics } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import type { Day } from "@sluice/domain";
import type { Time } from "@sluice/kernel";
import type { Messaging } from "@sluice/messaging";
import type { Store, SummaryRow, TotalsRow } from "@sluice/store";
import type { ControlHandler, Operator } from "../http/control-handler.ts";
import { selectProposals } from "../http/within-schemes.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";
import { type Proposal, readProposalState } from "../proposals/proposal.ts";
import { listPaused, loadPartitions } from "../queries/control-status.ts";
import { loadHeld } from "../queries/list-held.ts";
import { loadUndelivered } from "../queries/list-undelivered.ts";
import { loadCreditsAtGates } from "../queries/list-windows.ts";
import type { ParkedCounts } from "../queries/parked-counts.ts";
import { formatAmount, formatOptionalInstant } from "../views/control-values.ts";
import { isConfirmable } from "../views/item-view.ts";
import { windowReport } from "../views/window-report.ts";
import type { DateTotals } from "./date-totals.ts";
import { createKeptCount, type KeptCount } from "./kept-count.ts";
import { dateInZone } from "./show-me.ts";
import { sumReceivers } from "./undelivered-sums.ts";

export interface OverviewPorts {
  readonly time: Time;
  readonly store: Store;
  readonly messaging: Pick<Messaging, "ends">;
  readonly configuration: Pick<Configuration, "banks" | "connectors" | "schemes">;
  readonly partitionCount: number;
  readonly counts: ParkedCounts;
  readonly dates: DateTotals;
  readonly book: ProposalBook;
  readonly brokerNowMs: () => number | null;
}

/** Rows that the store returns at once. */
const searchMax = 1_000;

/** What waits at receivers was counted before where a count takes longer. */
const parkedWaitMaxMs = 100;

/** #1 Milliseconds for which an overview is the answer to further questions. */
const keptMs = 500;

export type OverviewBody = Awaited<ReturnType<typeof keepToSchemes>>;

type Schemes = Operator["schemes"];

export interface Overview {
  /** #3 `schemes` is null for an operator of every scheme. */
  read(schemes: Schemes): Promise<OverviewBody>;
}

/** #1 #4 */
interface KeptOverview {
  readonly found: Promise<Found>;
  readonly bodies: Map<string, Promise<OverviewBody>>;
  readonly atMs: number;
}

export function createOverview(ports: OverviewPorts): Overview {
  const counts = createKeptCount(ports.time, () => countTransactions(ports));
  let last: KeptOverview | null = null;
  return {
    async read(schemes) {
      const nowMs = ports.time.monotonicMs();
      if (last === null || nowMs - last.atMs > keptMs) last = { found: loadForEverybody(ports, counts), bodies: new Map(), atMs: nowMs };
      const mine = last;
      const key = JSON.stringify(schemes?.toSorted() ?? null);
      const known = mine.bodies.get(key);
      if (known !== undefined) return await known;
      const body = mine.found.then((found) => keepToSchemes(ports, found, schemes));
      mine.bodies.set(key, body);
      // A failure is nobody's answer but that of those who asked for it.
      body.catch(() => (last = last === mine ? null : last));
      return await body;
    },
  };
}

export function showOverview(overview: Overview): ControlHandler {
  return async ({ operator }) => ({ kind: "found", body: await overview.read(operator.schemes) });
}

type Found = Awaited<ReturnType<typeof loadForEverybody>>;

async function loadForEverybody(ports: OverviewPorts, counts: KeptCount<TransactionCounts>) {
  const { store } = ports;
  const nowMs = ports.brokerNowMs();
  const [counted, dates, undelivered, letters, proposals, services] = await Promise.all([
    counts.readSoon(),
    ports.dates.readSoon(),
    loadUndelivered(ports, nowMs, parkedWaitMaxMs),
    countLetters(ports),
    listOpenProposals(ports, nowMs),
    loadServices(ports),
  ]);
  return {
    nowMs,
    counted,
    dates,
    undelivered,
    letters,
    proposals,
    services,
    held: await loadHeld(store, counted?.held ?? [], nowMs),
    days: await loadDays(ports, nowMs, dates?.rows ?? []),
    paused: listPaused(await store.banks.all(), nowMs).map(({ bank, until, operator }) => ({ bank, until, operator })),
  };
}

/** #3 */
async function keepToSchemes({ store }: Pick<OverviewPorts, "store">, found: Found, schemes: Schemes) {
  const { nowMs, counted, undelivered } = found;
  const isOwn = ({ scheme }: { readonly scheme: string | null }) => isOfSchemes(schemes, scheme);
  const isOfOwnDay = ({ day }: { readonly day: string | null }) => isOfSchemes(schemes, day?.split(":")[0] ?? null);
  const proposed = schemes === null ? counted?.proposed : counted?.proposedOfEach;
  return {
    schema: "Overview" as const,
    asOf: formatOptionalInstant(nowMs),
    countedAt: formatOptionalInstant(undelivered.countedAtMs),
    heldCountedAt: formatOptionalInstant(counted?.countedAtMs ?? null),
    statesCountedAt: formatOptionalInstant(found.dates?.countedAtMs ?? null),
    days: found.days.filter(isOfOwnDay),
    held: found.held
      .filter(isOfOwnDay)
      .map(({ bank, day, count, currency, sum, waitsFor, why, closes }) => ({ bank, day, count, currency, sum, waitsFor, why, closes })),
    undelivered: sumReceivers(undelivered.rows.filter(isOfOwnDay)),
    paused: found.paused,
    openItems: sumBy((counted?.open ?? []).filter(isOwn), ({ currency }) => currency ?? "").map(({ row, ...sums }) => ({
      ...sums,
      currency: row.currency,
    })),
    proposedItems: sumPersons((proposed ?? []).filter(isOwn)),
    quarantined: (counted?.quarantined ?? []).filter(isOwn).reduce((sum, { count }) => sum + count, 0),
    deadLetters: schemes === null ? found.letters : null,
    proposals: (await selectProposals({ store }, schemes, found.proposals, found.proposals.length)).own.length,
    services: found.services,
  };
}

interface TransactionCounts {
  readonly held: readonly TotalsRow[];
  readonly open: readonly TotalsRow[];
  /** Of the first transactions that the store returns at once: a person who has so many begins with them. */
  readonly proposed: readonly ProposedItem[];
  /** Of the first transactions of each scheme, so that one scheme's do not push out another's. */
  readonly proposedOfEach: readonly ProposedItem[];
  readonly quarantined: readonly TotalsRow[];
  readonly countedAtMs: number | null;
}

interface ProposedItem {
  readonly person: string;
  readonly scheme: string | null;
}

/** What waits among the transactions. A partition's held debits are found by an index, those of all are not. */
async function countTransactions({ store, configuration, partitionCount, brokerNowMs }: OverviewPorts): Promise<TransactionCounts> {
  const countedAtMs = brokerNowMs();
  const held: TotalsRow[] = [];
  for (let partition = 0; partition < partitionCount; partition += 1)
    held.push(...(await store.transactions.totals({ partition, state: "HELD" })));
  const open = await store.transactions.totals({ isItemOpen: true });
  const quarantined = await store.transactions.totals({ isQuarantined: true });
  const first = await store.transactions.search({ isItemProposed: true }, null, searchMax);
  const ofEach = await findProposedOfEach(store, configuration, first);
  const proposed = listProposedItems(first, countedAtMs);
  return { held, open, proposed, proposedOfEach: listProposedItems(ofEach, countedAtMs), quarantined, countedAtMs };
}

/** Asks for each scheme only if the first ones of all are not the whole. */
async function findProposedOfEach(
  { transactions }: Store,
  { schemes }: OverviewPorts["configuration"],
  first: readonly SummaryRow[],
): Promise<readonly SummaryRow[]> {
  if (first.length < searchMax) return first;
  const found: SummaryRow[] = [];
  for (const { id } of schemes) found.push(...(await transactions.search({ isItemProposed: true, schemes: [id] }, null, searchMax)));
  return found;
}

/** What a second person can confirm now. */
function listProposedItems(rows: readonly SummaryRow[], nowMs: number | null): readonly ProposedItem[] {
  return rows.flatMap(({ items, scheme }) =>
    items.flatMap((item) =>
      isConfirmable(item, nowMs) && item.resolution !== null
        ? [{ person: item.resolution.action.person ?? item.resolution.action.operator, scheme }]
        : [],
    ),
  );
}

function sumPersons(items: readonly ProposedItem[]) {
  return [...Map.groupBy(items, ({ person }) => person)]
    .map(([person, own]) => ({ person, count: own.length }))
    .toSorted((a, b) => (a.person < b.person ? -1 : 1));
}

function findZones({ schemes }: OverviewPorts["configuration"]): ReadonlyMap<string, string> {
  return new Map(schemes.filter(({ takesDebits }) => takesDebits).map(({ id, times }) => [id, times.calendar.zone]));
}

async function loadDays({ store, configuration }: OverviewPorts, nowMs: number | null, counted: readonly TotalsRow[]) {
  if (nowMs === null) return [];
  const zones = findZones(configuration);
  const today = [...zones].map(([id, zone]) => `${id}:${dateInZone(zone, nowMs)}`);
  const days = await store.days.load(today);
  const banks = configuration.banks.map(({ id }) => id);
  const rows = [];
  for (const day of days.values()) {
    const report = windowReport(day, banks, await loadCreditsAtGates({ store }, day, banks));
    rows.push({
      ...dayView(day, report, zones.get(day.plan.scheme) ?? "UTC"),
      states: stateCounts(counted.filter((row) => `${row.scheme}:${row.businessDate}` === day.key)),
    });
  }
  return rows;
}

type Report = ReturnType<typeof windowReport>;

function dayView(day: Day, report: Report, zone: string) {
  const { windows, gates, isVoided } = report;
  const window =
    windows.find(({ state }) => state === "open") ?? windows.find(({ state }) => state === "planned") ?? windows.at(-1) ?? null;
  const closed = gates.filter(({ isOpen }) => !isOpen);
  return {
    day: day.key,
    zone,
    isVoided,
    window: window === null ? null : { number: window.number, state: window.state, opens: window.opens, closes: window.closes },
    reconciliation: isVoided ? null : formatInstant(day.plan.reconciliationAtMs),
    reconciledAt: formatOptionalInstant(day.reconciledAtMs),
    gatesOpen: gates.length - closed.length,
    gatesClosed: closed.map(({ bank, reason, credits }) => ({ bank, reason: reason ?? "", credits: credits.length })),
  };
}

function stateCounts(totals: readonly TotalsRow[]) {
  return sumBy(totals, ({ state, currency }) => `${state} ${currency ?? ""}`).map(({ row, count, sum }) => ({
    state: row.state,
    count,
    currency: row.currency,
    sum,
  }));
}

/** Adds up the rows that have the same key, in the order of the keys. */
function sumBy(rows: readonly TotalsRow[], key: (row: TotalsRow) => string) {
  return [...Map.groupBy(rows, key)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, group]) => {
      const [row] = group;
      if (row === undefined) return [];
      const count = group.reduce((sum, one) => sum + one.count, 0);
      const tenThousandths = group.reduce((sum, one) => sum + one.sumTenThousandths, 0n);
      return [{ row, count, sum: row.currency === null ? null : formatAmount(tenThousandths, row.currency) }];
    });
}

async function countLetters({ messaging, partitionCount }: OverviewPorts): Promise<bigint> {
  const ends = await messaging.ends(Array.from({ length: partitionCount }, (_, partition) => ({ topic: topics.deadLetters, partition })));
  return ends.reduce((sum, { logStart, logEnd }) => sum + (logEnd - logStart), 0n);
}

async function listOpenProposals({ book }: OverviewPorts, nowMs: number | null): Promise<readonly Proposal[]> {
  const proposals = (await book.read()).list();
  return proposals.filter((proposal) => readProposalState(proposal, nowMs ?? 0) === "proposed");
}

async function loadServices(ports: OverviewPorts) {
  const partitions = await loadPartitions(ports);
  return [...Map.groupBy(partitions, ({ service }) => service)].map(([service, own]) => ({
    service,
    partitions: own.length,
    notOwned: own.filter(({ epoch }) => epoch === null).length,
    lag: own.reduce((sum, { lag }) => sum + lag, 0n),
    lagMax: own.reduce((most, { lag }) => (lag > most ? lag : most), 0n),
  }));
}
