// showOverview: what is going on now, in one answer.
//
// #1 One overview is made at a time, and it is the answer to everybody who asks within `keptMs`. So a hundred people
//    who look at it cost the store as much as one.

import { formatInstant } from "../http/bank-answer.ts";
import { topics } from "@sluice/contracts";
import type { Configuration } from "@sluice/config";
import type { Day } from "@sluice/domain";
import type { Time } from "@sluice/kernel";
import type { Messaging } from "@sluice/messaging";
import type { Store, TotalsRow } from "@sluice/store";
import type { ControlHandler } from "../http/control-handler.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";
import { readProposalState } from "../proposals/proposal.ts";
import { loadPartitions } from "../queries/control-status.ts";
import { loadHeld } from "../queries/list-held.ts";
import { loadUndelivered } from "../queries/list-undelivered.ts";
import { loadCreditsAtGates } from "../queries/list-windows.ts";
import type { ParkedCounts } from "../queries/parked-counts.ts";
import { formatAmount, formatOptionalInstant } from "../views/control-values.ts";
import { windowReport } from "../views/window-report.ts";
import { dateInZone } from "./show-me.ts";
import { sumReceivers } from "./undelivered-sums.ts";

export interface OverviewPorts {
  readonly time: Time;
  readonly store: Store;
  readonly messaging: Pick<Messaging, "ends">;
  readonly configuration: Pick<Configuration, "banks" | "connectors" | "schemes">;
  readonly partitionCount: number;
  readonly counts: ParkedCounts;
  readonly book: ProposalBook;
  readonly brokerNowMs: () => number | null;
}

/** #1 Milliseconds for which an overview is the answer to further questions. */
const keptMs = 1_000;

export function showOverview(ports: OverviewPorts): ControlHandler {
  let last: { readonly body: Promise<object>; readonly atMs: number } | null = null;
  return async () => {
    const nowMs = ports.time.monotonicMs();
    if (last === null || nowMs - last.atMs > keptMs) {
      const body = buildOverview(ports);
      const mine = { body, atMs: nowMs };
      last = mine;
      // A failure is nobody's answer but that of those who asked for it.
      body.catch(() => (last = last === mine ? null : last));
    }
    return { kind: "found", body: await last.body };
  };
}

async function buildOverview(ports: OverviewPorts): Promise<object> {
  const { store } = ports;
  const nowMs = ports.brokerNowMs();
  const [days, held, undelivered, open, quarantined, letters, proposals, services] = await Promise.all([
    loadDays(ports, nowMs),
    loadHeld(store, nowMs),
    loadUndelivered(ports, nowMs),
    store.transactions.totals({ isItemOpen: true }),
    store.transactions.totals({ isQuarantined: true }),
    countLetters(ports),
    countProposals(ports, nowMs),
    loadServices(ports),
  ]);
  return {
    schema: "Overview",
    asOf: formatOptionalInstant(nowMs),
    countedAt: formatOptionalInstant(undelivered.countedAtMs),
    days,
    held: held.map(({ bank, day, count, currency, sum, waitsFor, why, closes }) => ({
      bank,
      day,
      count,
      currency,
      sum,
      waitsFor,
      why,
      closes,
    })),
    undelivered: sumReceivers(undelivered.rows),
    openItems: sumBy(open, ({ currency }) => currency ?? "").map(({ row, ...sums }) => ({ ...sums, currency: row.currency })),
    quarantined: quarantined.reduce((sum, { count }) => sum + count, 0),
    deadLetters: letters,
    proposals,
    services,
  };
}

async function loadDays({ store, configuration }: OverviewPorts, nowMs: number | null) {
  if (nowMs === null) return [];
  const zones = new Map<string, string>(
    configuration.schemes.filter(({ takesDebits }) => takesDebits).map(({ id, times }) => [id, times.calendar.zone]),
  );
  const today = [...zones].map(([id, zone]) => `${id}:${dateInZone(zone, nowMs)}`);
  const days = await store.days.load(today);
  const banks = configuration.banks.map(({ id }) => id);
  const rows = [];
  for (const day of days.values()) {
    const report = windowReport(day, banks, await loadCreditsAtGates({ store }, day, banks));
    const { scheme, businessDate } = day.plan;
    const totals = await store.transactions.totals({ scheme, businessDate });
    rows.push({ ...dayView(day, report, zones.get(scheme) ?? "UTC"), states: stateCounts(totals) });
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
    gatesClosed: closed.map(({ bank, reason }) => ({ bank, reason: reason ?? "" })),
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

async function countProposals({ book }: OverviewPorts, nowMs: number | null): Promise<number> {
  const proposals = await book.read();
  return proposals.list().filter((proposal) => readProposalState(proposal, nowMs ?? 0) === "proposed").length;
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
