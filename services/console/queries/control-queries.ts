// Maps each query of operators to the file that answers it. Queries change nothing; they read the store and the topics.

import { type Configuration, findBank } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { BrokerClock, Messaging } from "@sluice/messaging";
import type { Time } from "@sluice/kernel";
import type { SearchHashes } from "@sluice/secrecy";
import type { Store } from "@sluice/store";
import type { ControlHandlers } from "../http/control-handler.ts";
import { showBank } from "../banks/show-bank.ts";
import { listOwnDeliveries } from "../banks/own/list-own-deliveries.ts";
import { exportOwnEvents } from "../banks/own/export-own-events.ts";
import { listOwnEvents } from "../banks/own/list-own-events.ts";
import { listOwnTransactions } from "../banks/own/list-own-transactions.ts";
import { showOwnBank } from "../banks/own/show-own-bank.ts";
import { showOwnTransaction } from "../banks/own/show-own-transaction.ts";
import type { KnownAsOf } from "../own-transactions/known-as-of.ts";
import { listRefused } from "../banks/refused-messages.ts";
import { listBanks } from "./list-banks.ts";
import { showConservation } from "./show-conservation.ts";
import { listDeadLetters, showDeadLetter } from "../dead-letters/list-dead-letters.ts";
import { listFailing } from "./list-failing.ts";
import { listServiceProcesses } from "../processes/list-services.ts";
import type { AskProcesses } from "@sluice/process";
import { compareCalendar } from "../calendar/compare-calendar.ts";
import { compareCalendarFile } from "../calendar/compare-calendar-file.ts";
import { listCalendar } from "../calendar/list-calendar.ts";
import { listAlarms } from "../outlook/alarms/list-alarms.ts";
import type { AlarmWatch } from "../outlook/alarms/watch-alarms.ts";
import { showSentRequest } from "../outlook/show-request.ts";
import { listHeld } from "./list-held.ts";
import { exportItemEvidence } from "../exports/export-item-evidence.ts";
import { exportActions } from "../exports/export-actions.ts";
import { exportReconciliation } from "../exports/export-reconciliation.ts";
import { exportTransactions } from "../exports/export-transactions.ts";
import { listReconciliation, summariseReconciliation } from "./list-reconciliation.ts";
import { controlStatus } from "./control-status.ts";
import { showTransaction } from "./show-transaction.ts";
import { listActions } from "../audit/list-actions.ts";
import { countTransactions } from "../audit/count-transactions.ts";
import { listTopics, showTopic } from "../processes/list-topics.ts";
import { searchTransactions } from "./search-transactions.ts";
import { listUndelivered } from "./list-undelivered.ts";
import { listWindows } from "./list-windows.ts";
import type { Outlook } from "../outlook/outlook.ts";
import { showDayOutlook } from "../outlook/show-day-outlook.ts";
import { showSeries } from "../outlook/show-series.ts";
import { showMe } from "../outlook/show-me.ts";
import { showOverview } from "../outlook/show-overview.ts";
import { streamOverview } from "../outlook/stream-overview.ts";
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
  readonly outlook: Outlook;
  readonly knownAsOf: KnownAsOf;
  readonly alarms: Pick<AlarmWatch, "read">;
  readonly askProcesses?: AskProcesses | null;
  readonly tracePage?: string | null;
  /** Null, or left out: there is no key service. */
  readonly searchHashes?: SearchHashes | null;
}

export function createControlQueries({ brokerClock, outlook, ...given }: ControlQueryPorts) {
  const { counts, dates, overview, series, history } = outlook;
  const ports = {
    ...given,
    searchHashes: given.searchHashes ?? null,
    tracePage: given.tracePage ?? null,
    counts,
    dates,
    brokerNowMs: () => brokerClock.nowMs(),
    findSettings: (bank: string) => findBank(given.configuration, bank),
  };
  const { schemes } = ports.configuration;
  return {
    showMe: showMe(ports),
    showOverview: showOverview(overview),
    streamOverview: streamOverview({ time: given.time, overview }),
    showSeries: showSeries({ ...ports, series, history }),
    listAlarms: listAlarms(ports),
    showDayOutlook: showDayOutlook({ ...ports, overview, series }),
    controlStatus: controlStatus(ports),
    listServices: listServiceProcesses({ ...ports, askProcesses: ports.askProcesses ?? null }),
    listTopics: listTopics(ports),
    showTopic: showTopic(ports),
    searchTransactions: searchTransactions(ports),
    countTransactions: countTransactions(ports),
    exportTransactions: exportTransactions(ports),
    listActions: listActions(ports),
    exportActions: exportActions(ports),
    showTransaction: showTransaction(ports),
    showSentRequest: showSentRequest(ports),
    listWindows: listWindows({ ...ports, schemes }),
    listCalendar: listCalendar(ports),
    compareCalendar: compareCalendar(ports),
    compareCalendarFile: compareCalendarFile(ports),
    listHeld: listHeld(ports),
    listUndelivered: listUndelivered(ports),
    listFailing: listFailing(ports),
    listReconciliation: listReconciliation(ports),
    summariseReconciliation: summariseReconciliation(ports),
    exportReconciliation: exportReconciliation(ports),
    exportItemEvidence: exportItemEvidence(ports),
    listBanks: listBanks(ports),
    showBank: showBank(ports),
    listRefused: listRefused(ports),
    showOwnBank: showOwnBank(ports),
    listOwnTransactions: listOwnTransactions(ports),
    showOwnTransaction: showOwnTransaction(ports),
    listOwnDeliveries: listOwnDeliveries(ports),
    listOwnEvents: listOwnEvents(ports),
    exportOwnEvents: exportOwnEvents(ports),
    showConservation: showConservation(ports),
    listDeadLetters: listDeadLetters(ports),
    showDeadLetter: showDeadLetter(ports),
  } satisfies ControlHandlers;
}
