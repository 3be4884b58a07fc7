// Lets a running service follow its configuration file, and shows operators which configuration is in force.
//
// #1 A file that cannot be taken over changes nothing: the refusal is a log line and a metric, until the file is right.
// #2 Two metrics tell processes apart: the hash of the file, and the hash of what the process has. These differ where a
//    process has other values of the environment, other defaults, or a refused file that took something away.

import {
  type Configuration,
  type ConfigurationWatch,
  type ConfigurationWatchOptions,
  hashConfiguration,
  watchConfiguration,
} from "@sluice/config";
import type { ListedMetric, Logger, Metrics } from "@sluice/kernel";

export interface FollowOptions extends Omit<ConfigurationWatchOptions, "replaced" | "refused"> {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Takes the configuration over, at once and as a whole. */
  readonly replace: (next: Configuration) => void;
}

/** Problems that one log line names. */
const problemsLoggedMax = 20;

const versionMetric: ListedMetric = {
  name: "sluice_configuration_version",
  help: "1 for the configuration in force, by the version and the hash of its file.",
  kind: "gauge",
  labels: ["version", "hash"],
};

const infoMetric: ListedMetric = {
  name: "sluice_configuration_info",
  help: "1 for the configuration as this process has it, by the hash of its content without secrets.",
  kind: "gauge",
  labels: ["content"],
};

export function followConfiguration(options: FollowOptions): ConfigurationWatch {
  const { logger, metrics, time } = options;
  let { running } = options;
  let content = hashConfiguration(running);
  const since = metrics.gauge("sluice_configuration_since_seconds", "Unix time since when this process runs with its configuration.");
  const refused = metrics.gauge("sluice_configuration_refused", "1 while the configuration file is refused and a former one is in force.");
  // #2
  metrics.listed([versionMetric, infoMetric], () => [
    { name: versionMetric.name, labels: { version: running.version, hash: running.hash }, value: 1 },
    { name: infoMetric.name, labels: { content }, value: 1 },
  ]);
  since.set(Math.floor(time.nowMs() / 1_000));
  refused.set(0);

  function refuse(problems: readonly string[]): void {
    refused.set(1);
    const { version, hash } = running;
    const shown = problems.slice(0, problemsLoggedMax).join("; ");
    logger.error("configuration.refused", { problems: shown, count: problems.length, versionInForce: version, hashInForce: hash });
  }

  return watchConfiguration({
    ...options,
    replaced(next) {
      options.replace(next);
      running = next;
      content = hashConfiguration(next);
      since.set(Math.floor(time.nowMs() / 1_000));
      const { version, hash, banks, connectors } = next;
      logger.info("configuration.replaced", { version, hash, banks: banks.length, connectors: connectors.length });
    },
    refused(problems) {
      if (problems === null) refused.set(0);
      else refuse(problems);
    },
  });
}
