// Maps each query of operators to the file that answers it. Queries change nothing; they read the store and the topics.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { BrokerClock, Messaging } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import type { ControlHandlers } from "../http/control-handler.ts";
import { showBank } from "../banks/show-bank.ts";
import { listRefused } from "../banks/refused-messages.ts";
import { listBanks } from "./list-banks.ts";
import { showConservation } from "./show-conservation.ts";
import { listDeadLetters, showDeadLetter } from "../dead-letters/list-dead-letters.ts";
import { listFailing } from "./list-failing.ts";
import { listHeld } from "./list-held.ts";
import { exportReconciliation } from "./export-reconciliation.ts";
import { listReconciliation, summariseReconciliation } from "./list-reconciliation.ts";
import { controlStatus } from "./control-status.ts";
import { showTransaction } from "./show-transaction.ts";
import { searchTransactions } from "./search-transactions.ts";
import { listUndelivered } from "./list-undelivered.ts";
import { listWindows } from "./list-windows.ts";
import { createParkedCounts } from "./parked-counts.ts";
import { showMe } from "../outlook/show-me.ts";
import { showOverview } from "../outlook/show-overview.ts";
import type { ProposalBook } from "../proposals/proposal-book.ts";

export interface ControlQueryPorts {
  readonly time: Time;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Number of partitions of the topics. */
  readonly partitionCount: number;
  readonly brokerClock: Pick<BrokerClock, "nowMs">;
  readonly book: ProposalBook;
}

export function createControlQueries({ brokerClock, ...given }: ControlQueryPorts) {
  const asked = { ...given, brokerNowMs: () => brokerClock.nowMs() };
  const ports = { ...asked, counts: createParkedCounts(asked) };
  const { schemes } = ports.configuration;
  return {
    showMe: showMe(ports),
    showOverview: showOverview(ports),
    controlStatus: controlStatus(ports),
    searchTransactions: searchTransactions(ports),
    showTransaction: showTransaction(ports),
    listWindows: listWindows({ ...ports, schemes }),
    listHeld: listHeld(ports),
    listUndelivered: listUndelivered(ports),
    listFailing: listFailing(ports),
    listReconciliation: listReconciliation(ports),
    summariseReconciliation: summariseReconciliation(ports),
    exportReconciliation: exportReconciliation(ports),
    listBanks: listBanks(ports),
    showBank: showBank(ports),
    listRefused: listRefused(ports),
    showConservation: showConservation(ports),
    listDeadLetters: listDeadLetters(ports),
    showDeadLetter: showDeadLetter(ports),
  } satisfies ControlHandlers;
}
