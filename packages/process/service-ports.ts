// What every service is started with, by its process, the simulation and tests.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { Logger, Metrics, Random, Time } from "@sluice/kernel";
import type { Messaging } from "@sluice/messaging";

export interface ServicePorts {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Number of partitions of every topic but the probe's, as configured. */
  readonly partitionCount: number;
}
