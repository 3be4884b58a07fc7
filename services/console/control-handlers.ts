// Every address of the control API and the file that answers it. Addresses, roles and parameters: `controlOperations` of contracts.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { AgreedTime, Messaging, Producer } from "@sluice/messaging";
import type { Random, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { Log, Metrics } from "@sluice/telemetry";
import { createActionAppender } from "./append-action.ts";
import type { ControlHandlers } from "./control-handler.ts";
import type { KnownAsOf } from "./known-as-of.ts";
import { pauseBank, resumeBank } from "./post-bank-pause.ts";

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
    pauseBank: pauseBank(acting),
    resumeBank: resumeBank(acting),
  };
}
