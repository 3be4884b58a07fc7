// showBank: one bank or connector: how it stands, its addresses, its gates and credits, what is held and what waits for
// it, what fails often, and what it refused last.
//
// #1 Of the configuration it shows addresses and bounds: no token, no key, no name of a file.

import type { Configuration } from "@sluice/config";
import { failingFromAttempts } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import { refuseWith } from "../decisions/decision.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { loadBanks, type BanksPorts } from "../queries/list-banks.ts";
import { attemptedView } from "../queries/list-failing.ts";
import { loadHeld, type HeldPorts } from "../queries/list-held.ts";
import { formatOptionalInstant } from "../views/control-values.ts";
import { loadParkedPage, type FoundMessage } from "../views/parked-page.ts";
import { listCheckRuns } from "./check-runs.ts";
import { loadBankGates, loadOpenCredits } from "./bank-gates.ts";
import { loadRefused } from "./refused-messages.ts";

interface BankPorts extends BanksPorts {
  readonly store: BanksPorts["store"] & HeldPorts["store"] & Pick<Store, "deliveries" | "postings">;
}

/** Messages of each of the two lists. */
const listedMax = 20;

export function showBank(ports: BankPorts): ControlHandler {
  const { store, configuration } = ports;
  return async ({ path }) => {
    const bank = path["bank"] ?? "";
    const nowMs = ports.brokerNowMs();
    const { rows, countedAt, totalsCountedAt, statusOf } = await loadBanks(ports, nowMs, bank);
    const [status] = rows;
    if (status === undefined) return refuseWith(404, "Not known", "No bank or connector has this id.");
    const isBank = status.kind === "bank";
    const [held, failing, deliveries, postings, gates, openCredits] = await Promise.all([
      loadHeld(store, await store.transactions.totals({ state: "HELD", bank }), nowMs),
      loadParkedPage(store, { receiverId: bank, after: null, limit: listedMax, attemptsMin: failingFromAttempts }),
      loadRefused(store, "delivery", bank, nowMs),
      loadRefused(store, "posting", bank, nowMs),
      isBank ? loadBankGates(store, bank) : [],
      isBank ? loadOpenCredits(store, bank) : [],
    ]);
    const refused = [...deliveries.found, ...postings.found].toSorted((a, b) => lastAttemptMs(b) - lastAttemptMs(a));
    return {
      kind: "found",
      body: {
        schema: "Bank",
        asOf: formatOptionalInstant(nowMs),
        countedAt,
        totalsCountedAt,
        status,
        configured: configuredView(configuration, bank),
        checks: listCheckRuns(statusOf(bank)),
        gates,
        openCredits,
        held,
        failing: await attemptedView(ports, failing, nowMs),
        refused: await attemptedView(ports, refused.slice(0, listedMax), nowMs),
        refusedCount: refused.length,
        isRefusedWhole: deliveries.isWhole && postings.isWhole,
      },
    };
  };
}

function lastAttemptMs({ row }: FoundMessage): number {
  return row.recentAttempts.at(-1)?.atMs ?? 0;
}

/** #1 Null: it is not configured any more. */
function configuredView({ banks, connectors }: Pick<Configuration, "banks" | "connectors">, id: string) {
  const bank = banks.find((one) => one.id === id) ?? null;
  const receiver = bank ?? connectors.find((one) => one.id === id) ?? null;
  if (receiver === null) return null;
  const addresses = [
    { operation: "all", url: receiver.baseUrl },
    ...Object.entries(receiver.operationUrls).map(([operation, url]) => ({ operation, url })),
    ...(bank === null || bank.eventsUrl === null ? [] : [{ operation: "events", url: bank.eventsUrl }]),
  ];
  return {
    name: receiver.name,
    addresses,
    connections: receiver.connections,
    concurrency: receiver.concurrency,
    requestsPerSecond: receiver.requestsPerSecond,
    answerTimeoutSeconds: receiver.answerTimeoutMs / 1_000,
    signingKeys: receiver.signingKeys.length,
    hasClientCertificate: receiver.clientCertificate !== null,
    isBlocked: bank?.isBlocked ?? null,
  };
}
