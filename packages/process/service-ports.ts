// What every service is started with, by its process, the simulation and tests.

import type { Configuration } from "@sluice/config";
import type { Serde } from "@sluice/contracts";
import type { Logger, Metrics, Random, Running, Time, Tracer } from "@sluice/kernel";
import type { Messaging } from "@sluice/messaging";

export interface ServicePorts {
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Left out: nothing is traced. */
  readonly tracer?: Tracer;
  readonly messaging: Messaging;
  readonly serde: Serde;
  readonly configuration: Configuration;
  /** Number of partitions of every topic but the probe's, as configured. */
  readonly partitionCount: number;
}

/** A running service that takes a changed configuration over. */
export interface ConfiguredService extends Running {
  /**
   * Takes the configuration over, at once and as a whole. Only banks and connectors that are other objects than before
   * are touched. Schemes, the folder of rules and the number of partitions are those of the start.
   */
  replaceConfiguration(next: Configuration): void;
}
