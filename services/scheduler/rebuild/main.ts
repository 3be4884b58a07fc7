// The process behind `./sluice rebuild`. It prints its progress as one line of JSON each; exit code 0 if everything
// that was compared is equal.

import { parseArgs } from "node:util";
import { readConfigurationFile, readEnvironment } from "@sluice/config";
import { partitionCountDefault, createRegistrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { createMongoStore } from "@sluice/store";
import { journalHandlers } from "../service.ts";
import { removeOldBuilds, rebuildPartitions } from "./rebuild.ts";

const { values } = parseArgs({
  options: {
    partition: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    "accept-differences": { type: "boolean", default: false },
    "drop-old": { type: "boolean", default: false },
  },
});
const service = "scheduler";
const logger = silentLogger;
const time = machineTime;

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}\n`);
}

const environment = readEnvironment(process.env, ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL", "SLUICE_DATABASE", "SLUICE_CONFIG"]);
const configuration = readConfigurationFile(environment.SLUICE_CONFIG, process.env);
await using opened = new AsyncDisposableStack();
const serde = await createRegistrySerde({ url: environment.SCHEMA_REGISTRY_URL, time });
const store = createMongoStore({ url: environment.MONGO_URL, database: environment.SLUICE_DATABASE, logger });
opened.defer(() => store.close());
const messaging = createKafkaMessaging({ connection: { brokers: environment.KAFKA_BROKERS, clientId: "sluice-rebuild" }, time, logger });
opened.defer(() => messaging.close());

if (values["drop-old"]) {
  print({ event: "dropped", builds: await removeOldBuilds(store, service) });
} else {
  const builderId = `rebuild-${Array.from({ length: 4 }, () => Math.floor(machineRandom.fraction() * 65_536).toString(16)).join("")}`;
  const progress = (partition: number, done: bigint, of: bigint): void => print({ event: "progress", partition, done, of });
  const ports = {
    store,
    messaging,
    serde,
    configuration,
    handlers: journalHandlers,
    service,
    partitionCount: partitionCountDefault,
    time,
    builderId,
    progress,
  };
  const options = { isDryRun: values["dry-run"], acceptsDifferences: values["accept-differences"] };
  const partition = values.partition === undefined ? null : Number(values.partition);
  const built = await rebuildPartitions(ports, partition, options, (one) => {
    const shown = { ...one, differences: one.differences.slice(0, 20), differencesCount: one.differences.length };
    print({ event: "partition", ...shown });
  });
  process.exitCode = built.some(({ differences }) => differences.length > 0) ? 1 : 0;
}
