// What operators may ask: each question and the file that answers it. They change nothing; what they know lies in the store and in the log.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { AgreedTime, Messaging } from "@sluice/messaging";
import type { Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { ControlHandlers } from "./control-handler.ts";
import { listBanks } from "./get-control-banks.ts";
import { showConservation } from "./get-control-conservation.ts";
import { listDeadLetters, showDeadLetter } from "./get-control-dead-letters.ts";
import { listHeld } from "./get-control-held.ts";
import { exportReconciliation } from "./get-control-reconciliation-export.ts";
import { listReconciliation, summariseReconciliation } from "./get-control-reconciliation.ts";
import { controlStatus } from "./get-control-status.ts";
import { showTransaction } from "./get-control-transaction.ts";
import { searchTransactions } from "./get-control-transactions.ts";
import { listUndelivered } from "./get-control-undelivered.ts";
import { listWindows } from "./get-control-windows.ts";
import { createParkedCounts } from "./parked-counts.ts";

export interface ReadPorts {
  readonly time: Time;
  readonly store: Store;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Partitions of the topics. */
  readonly lanes: number;
  readonly agreedTime: Pick<AgreedTime, "nowMs">;
}

export function controlReads({ agreedTime, ...given }: ReadPorts) {
  const asked = { ...given, agreedNowMs: () => agreedTime.nowMs() };
  const ports = { ...asked, counts: createParkedCounts(asked) };
  const { schemes, banks } = ports.configuration;
  return {
    controlStatus: controlStatus(ports),
    searchTransactions: searchTransactions(ports),
    showTransaction: showTransaction(ports),
    listWindows: listWindows({ ...ports, schemes, banks: banks.map(({ id }) => id) }),
    listHeld: listHeld(ports),
    listUndelivered: listUndelivered(ports),
    listReconciliation: listReconciliation(ports),
    summariseReconciliation: summariseReconciliation(ports),
    exportReconciliation: exportReconciliation(ports),
    listBanks: listBanks(ports),
    showConservation: showConservation(ports),
    listDeadLetters: listDeadLetters(ports),
    showDeadLetter: showDeadLetter(ports),
  } satisfies ControlHandlers;
}
