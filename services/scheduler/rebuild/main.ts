// The process behind `./sluice rebuild`. It says what it does as one line of JSON each; exit 0 if all that was compared is equal.

import { parseArgs } from "node:util";
import { lanesDefault, registrySerde } from "@sluice/contracts";
import { createKafkaMessaging } from "@sluice/messaging";
import { machineRandom, machineTime } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { readSchedulerConfig } from "../config.ts";
import { handlers } from "../service.ts";
import { dropOld, rebuild } from "./rebuild.ts";

const { values } = parseArgs({
  options: {
    lane: { type: "string" },
    "dry-run": { type: "boolean", default: false },
    "accept-differences": { type: "boolean", default: false },
    "drop-old": { type: "boolean", default: false },
  },
});
const service = "scheduler";
const log = silentLog;
const time = machineTime;

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))}\n`);
}

const { kafkaBrokers, schemaRegistryUrl, mongoUrl, mongoDatabase, configuration } = readSchedulerConfig();
await using opened = new AsyncDisposableStack();
const serde = await registrySerde({ url: schemaRegistryUrl, time });
const store = createMongoStore({ url: mongoUrl, database: mongoDatabase, log });
opened.defer(() => store.close());
const messaging = createKafkaMessaging({ connection: { brokers: kafkaBrokers, clientId: "sluice-rebuild" }, time, log });
opened.defer(() => messaging.close());

if (values["drop-old"]) {
  say({ event: "dropped", builds: await dropOld(store, service) });
} else {
  const holder = `rebuild-${Array.from({ length: 4 }, () => Math.floor(machineRandom.fraction() * 65_536).toString(16)).join("")}`;
  const progress = (lane: number, done: bigint, of: bigint): void => say({ event: "progress", lane, done, of });
  const ports = { store, messaging, serde, configuration, handlers, service, lanes: lanesDefault, time, holder, progress };
  const options = { isDryRun: values["dry-run"], acceptsDifferences: values["accept-differences"] };
  const lane = values.lane === undefined ? null : Number(values.lane);
  const built = await rebuild(ports, lane, options, (one) => {
    const shown = { ...one, differences: one.differences.slice(0, 20), differencesCount: one.differences.length };
    say({ event: "lane", ...shown });
  });
  process.exitCode = built.some(({ differences }) => differences.length > 0) ? 1 : 0;
}
