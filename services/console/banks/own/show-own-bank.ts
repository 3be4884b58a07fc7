// showOwnBank: what a bank may see of itself: how it stands as a receiver, what waits for it, the days that are near,
// what it sent and was sent on running days, and what it may come with.
//
// #1 Nothing of another bank is read into the answer, and no operator's name or words.

import type { Configuration } from "@sluice/config";
import { readGateStatus, type Day } from "@sluice/domain";
import type { Time } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import { refuseWith } from "../../decisions/decision.ts";
import type { ControlHandler } from "../../http/control-handler.ts";
import { loadBanks, type BanksPorts } from "../../queries/list-banks.ts";
import { formatOptionalInstant } from "../../views/control-values.ts";
import { windowReport } from "../../views/window-report.ts";
import { listOwnKeys } from "./list-own-keys.ts";
import { type CheckRun, listCheckRuns } from "../check-runs.ts";
import { createOwnCounts, ownCountsView } from "./own-counts.ts";

interface OwnBankPorts extends Omit<BanksPorts, "configuration"> {
  readonly time: Time;
  readonly store: BanksPorts["store"] & Pick<Store, "days">;
  readonly configuration: Pick<Configuration, "banks" | "connectors" | "schemes" | "operators">;
  readonly partitionCount: number;
}

type Endpoint = Awaited<ReturnType<typeof loadBanks>>["rows"][number]["endpoints"][number];

/** Days of each scheme. */
const daysShownMax = 3;

export function showOwnBank(ports: OwnBankPorts): ControlHandler {
  const sent = createOwnCounts(ports);
  return async ({ path }) => {
    const bank = path["bank"] ?? "";
    const { banks, connectors } = ports.configuration;
    const configured = [...banks, ...connectors].find(({ id }) => id === bank);
    if (configured === undefined) return refuseWith(404, "Not known", "No bank or connector has this id.");
    const nowMs = ports.brokerNowMs();
    const [{ rows, countedAt, statusOf }, days, received, own] = await Promise.all([
      loadBanks(ports, nowMs, bank),
      ports.store.days.open(),
      ports.dates.readSoon(),
      sent(bank),
    ]);
    const [status] = rows;
    if (status === undefined) return refuseWith(404, "Not known", "No bank or connector has this id.");
    const { state, until, waiting } = status;
    const isBank = banks.some(({ id }) => id === bank);
    return {
      kind: "found",
      body: {
        schema: "OwnBank",
        asOf: formatOptionalInstant(nowMs),
        bank,
        name: configured.name,
        state,
        until,
        endpoints: status.endpoints.map(ownEndpoint),
        checks: listCheckRuns(statusOf(bank)).map((run) => ownCheckRun(ports.configuration, bank, run)),
        waiting: waiting === null ? null : { deliveries: waiting.deliveries, postings: waiting.postings, countedAt },
        days: listNear(days).map((day) => dayView(day, isBank ? bank : null)),
        received: ownCountsView((received?.rows ?? []).filter((row) => row.bank === bank)),
        receivedCountedAt: formatOptionalInstant(received?.countedAtMs ?? null),
        sent: ownCountsView(own?.rows ?? []),
        sentCountedAt: formatOptionalInstant(own?.countedAtMs ?? null),
        keys: listOwnKeys(configured, ports.time.nowMs()),
      },
    };
  };
}

/** A check may be an operator's, whose id of it is not the bank's to see. */
function ownEndpoint({ check, service, address, state, breaker, retryAfterUntil, secondsToRetry, concurrency, connections }: Endpoint) {
  const { action: _id, ...came } = check ?? { action: "" };
  const own = check === null ? null : came;
  return { service, address, state, breaker, retryAfterUntil, secondsToRetry, concurrency, connections, check: own };
}

/**
 * Of Sluice's operators neither the name nor the id of the request is shown. Nobody knows whose a person was whom the
 * configuration no longer has, so that such a name is not shown either.
 */
function ownCheckRun({ operators }: OwnBankPorts["configuration"], bank: string, { action: _id, operator, ...run }: CheckRun) {
  const isOwn = operators.some((one) => one.id === operator && one.bank === bank);
  return { ...run, operator: isOwn ? operator : null };
}

function listNear(open: readonly Day[]): readonly Day[] {
  const planned = open.filter(({ plan }) => plan.windows.length > 0);
  return [...Map.groupBy(planned, ({ plan }) => plan.scheme).values()].flatMap((days) =>
    days.toSorted((a, b) => (a.plan.businessDate < b.plan.businessDate ? -1 : 1)).slice(0, daysShownMax),
  );
}

function dayView(day: Day, bank: string | null) {
  const { cutOff, windows, reconciliation } = windowReport(day, [], new Map());
  return {
    day: day.key,
    isVoided: day.isVoided,
    cutOff,
    windows: windows.map(({ number, state, opens, closes }) => ({ number, state, opens, closes })),
    reconciliation: reconciliation?.closes ?? null,
    isGateOpen: bank === null ? null : readGateStatus(day, bank).kind === "open",
  };
}
