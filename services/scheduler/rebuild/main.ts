// The process behind `./sluice rebuild`. It prints its progress as one line of JSON each; exit code 0 if everything
// that was compared is equal.

import { parseArgs } from "node:util";
import { leaveOutSecrets, readConfigurationFile, readEnvironment } from "@sluice/config";
import { rulesVersion } from "@sluice/domain";
import { machineRandom, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { broker, needVariables, openNeeds, registry } from "@sluice/process";
import { store } from "@sluice/process/store";
import { journalHandlers } from "../service.ts";
import type { RebuildOptions } from "./rebuild-partition.ts";
import { removeOldBuilds, rebuildPartitions } from "./rebuild.ts";

const { values } = parseArgs({
  options: {
    partition: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    "accept-differences": { type: "boolean", default: false },
    "accept-other-rules": { type: "boolean", default: false },
    "drop-old": { type: "boolean", default: false },
  },
});
const service = "scheduler" as const;
const time = machineTime;

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}\n`);
}

const needs = { serde: registry, store, messaging: broker(service) };
const environment = readEnvironment(process.env, ["SLUICE_CONFIG", ...needVariables(needs)]);
const configuration = readConfigurationFile(environment.SLUICE_CONFIG, leaveOutSecrets(process.env));
await using opened = new AsyncDisposableStack();
const { signal: stopping } = new AbortController();
const opening = {
  name: "sluice-rebuild",
  environment,
  configuration,
  time,
  random: machineRandom,
  logger: silentLogger,
  metrics: silentMetrics,
  stopping,
  opened,
};
const ports = await openNeeds(needs, opening);

if (values["drop-old"]) {
  print({ event: "dropped", builds: await removeOldBuilds(ports.store, service) });
} else {
  const builderId = `rebuild-${Array.from({ length: 4 }, () => Math.floor(machineRandom.fraction() * 65_536).toString(16)).join("")}`;
  const progress = (partition: number, done: bigint, of: bigint): void => print({ event: "progress", partition, done, of });
  const rebuilding = {
    ...ports,
    configuration,
    handlers: journalHandlers,
    service,
    partitionCount: configuration.partitionCount,
    rulesVersion,
    time,
    builderId,
    progress,
  };
  const acceptsRules = values["accept-other-rules"] ? "other-rules" : "nothing";
  const accepts: RebuildOptions["accepts"] = values["accept-differences"] ? "everything" : acceptsRules;
  const options = { isDryRun: values["dry-run"], accepts };
  const partition = values.partition === undefined ? null : Number(values.partition);
  const built = await rebuildPartitions(rebuilding, partition, options, (one) => {
    const shown = { ...one, differences: one.differences.slice(0, 20), differencesCount: one.differences.length };
    print({ event: "partition", ...shown });
  });
  process.exitCode = built.some(({ differences }) => differences.length > 0) ? 1 : 0;
}
