// `./sluice provision`: creates topics, schemas and indexes as the configuration says, or says what is missing.

import type { ProvisionPlan } from "@sluice/process/provision";
import { jsonOption, type RunVerb, type Verb } from "../../terminal/verb.ts";

const run: RunVerb = async (call) => {
  const { readConfigurationFile, readEnvironment } = await import("@sluice/config");
  const { machineTime } = await import("@sluice/kernel");
  const { planProvisioning, provision, provisionVariables } = await import("@sluice/process/provision");
  const given = { ...process.env, SLUICE_CONFIG: call.value("config") ?? process.env["SLUICE_CONFIG"] };
  const { SLUICE_CONFIG: file, ...environment } = readEnvironment(given, ["SLUICE_CONFIG", ...provisionVariables]);
  const { partitionCount, topics } = readConfigurationFile(file, process.env);
  const provisioning = { environment, topics, partitionCount, time: machineTime };
  const plan = await planProvisioning(provisioning);
  const isReading = call.flag("plan") || call.flag("check");
  if (!isReading) await provision(provisioning);
  if (call.flag("json")) process.stdout.write(`${JSON.stringify({ schema: "Provisioning", isChanged: !isReading, ...plan }, null, 2)}\n`);
  else process.stdout.write(formatPlan(plan, isReading));
  return call.flag("check") && !isComplete(plan) ? 1 : 0;
};

export const provisionVerb: Verb = {
  name: "provision",
  summary: "creates topics, schemas and indexes as the configuration says; or only says what is missing or differs",
  arguments: [],
  options: {
    config: { type: "string", placeholder: "FILE", text: "the configuration file (SLUICE_CONFIG)", completes: "files" },
    plan: { type: "boolean", text: "changes nothing and says what it would create, and what differs" },
    check: { type: "boolean", text: "changes nothing; exit 1 if anything is missing or differs" },
    json: jsonOption,
  },
  notes: [
    "The servers are those of KAFKA_BROKERS, SCHEMA_REGISTRY_URL and MONGO_URL, with the services' connection settings.",
    "An existing topic is never changed. One that would break order or lose money is refused, with exit 1.",
  ],
  examples: ["provision --config sluice.yaml", "provision --check --json"],
  run,
};

function isComplete({ missing, differences }: ProvisionPlan): boolean {
  return differences.length === 0 && Object.values(missing).every((names) => names.length === 0);
}

function formatPlan(plan: ProvisionPlan, isReading: boolean): string {
  if (isComplete(plan)) return "everything is there, as the configuration says\n";
  const verb = isReading ? "missing" : "created";
  const created = [
    ...plan.missing.topics.map((name) => `${verb}: topic ${name}`),
    ...plan.missing.schemas.map((text) => `${verb}: schema ${text}`),
    ...plan.missing.indexes.map((name) => `${verb}: index ${name}`),
  ];
  const differing = plan.differences.map(({ topic, what, wanted, found, isDangerous }) => {
    return `differs${isDangerous ? ", and must not" : ""}: topic ${topic}: ${what} is ${found}, configured ${wanted}`;
  });
  return [...created, ...differing].map((line) => `${line}\n`).join("");
}
