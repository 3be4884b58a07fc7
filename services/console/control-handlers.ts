// Every address of the control API and the file that answers it. Addresses, roles and parameters: `controlOperations` of contracts.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { AgreedTime, Messaging, Producer } from "@sluice/messaging";
import type { Random, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { createActionAppender } from "./append-action.ts";
import type { ControlHandlers } from "./control-handler.ts";
import { controlReads } from "./control-reads.ts";
import type { KnownAsOf } from "./known-as-of.ts";
import { showAction } from "./get-control-action.ts";
import { pauseBank, resumeBank } from "./post-bank-pause.ts";
import { putDeadLetter } from "./post-dead-letter-put.ts";
import { replayDeadLetter, replayTransaction } from "./post-dead-letter-replay.ts";
import { extendClose } from "./post-day-close-extension.ts";
import { declareCreditsFinal } from "./post-day-credits-final.ts";
import { openGate } from "./post-day-gate-opening.ts";
import { redriveDelivery } from "./post-transaction-redrive.ts";
import { confirmResolution, resolveItem } from "./post-transaction-resolution.ts";
import { withdrawDebit } from "./post-transaction-withdrawal.ts";

/** What handlers are made of; each takes the part that it needs. */
export interface ControlPorts {
  readonly time: Time;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly producer: Producer;
  readonly store: Store;
  readonly serde: Serde;
  readonly configuration: Configuration;
  readonly lanes: number;
  readonly agreedTime: AgreedTime;
  readonly knownAsOf: KnownAsOf;
}

export function controlHandlers(ports: ControlPorts): ControlHandlers {
  const acting = { ...ports, append: createActionAppender(ports) };
  return {
    ...controlReads(ports),
    showAction: showAction(ports),
    withdrawDebit: withdrawDebit(acting),
    redriveDelivery: redriveDelivery(acting),
    resolveItem: resolveItem(acting),
    confirmResolution: confirmResolution(acting),
    extendClose: extendClose(acting),
    declareCreditsFinal: declareCreditsFinal(acting),
    openGate: openGate(acting),
    pauseBank: pauseBank(acting),
    resumeBank: resumeBank(acting),
    putDeadLetter: putDeadLetter(ports),
    replayDeadLetter: replayDeadLetter(ports),
    replayTransaction: replayTransaction(ports),
  };
}
