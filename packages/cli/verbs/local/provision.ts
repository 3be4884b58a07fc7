// `./sluice provision`: creates topics, schemas and indexes as the configuration says, and the services' ACLs, or says
// what is missing.

import { Fault } from "@sluice/kernel";
import type { ProvisionPlan } from "@sluice/process/provision";
import type { StoreRole } from "@sluice/store/rights";
import { jsonOption, type RunVerb, type Verb, type VerbCall } from "../../terminal/verb.ts";

/** What stands for a service in the name of its principal. */
const serviceMark = "{service}";
const principalDefault = `User:sluice-${serviceMark}`;

/** A principal of two services would have the rights of both. */
function principalsBy(pattern: string): (service: string) => string {
  if (!/^[A-Za-z]+:./.test(pattern) || !pattern.includes(serviceMark)) {
    throw new Fault(
      "cli.bad-principal",
      `--principal ${pattern}: it must be a type and a name with ${serviceMark}, as in ${principalDefault}`,
      {
        isRetryable: false,
      },
    );
  }
  return (service) => pattern.replaceAll(serviceMark, service);
}

/** Reads nothing but the name of the database, so that it works before there is a store. */
async function printRoles(call: VerbCall): Promise<number> {
  const { readEnvironment } = await import("@sluice/config");
  const { buildsInRolesDefault, buildStoreRoles } = await import("@sluice/store/rights");
  const builds = call.value("builds") ?? String(buildsInRolesDefault);
  if (!/^[1-9]\d{0,2}$/.test(builds)) {
    throw new Fault("cli.bad-builds", `--builds ${builds}: it must be a whole number from 1 to 999`, { isRetryable: false });
  }
  const { SLUICE_DATABASE: database } = readEnvironment(process.env, ["SLUICE_DATABASE"]);
  const roles = buildStoreRoles(database, Number(builds));
  if (call.flag("json")) process.stdout.write(`${JSON.stringify({ schema: "StoreRoles", database, roles }, null, 2)}\n`);
  else process.stdout.write(formatRoles(database, roles));
  return 0;
}

/** A script for mongosh: a role that exists gets exactly these privileges, so it may be run again. */
function formatRoles(database: string, roles: readonly StoreRole[]): string {
  const privilege = (one: StoreRole["privileges"][number]): string => `      ${JSON.stringify(one)},\n`;
  const listed = roles.map(
    ({ role, privileges }) =>
      `  {\n    role: ${JSON.stringify(role)},\n    privileges: [\n${privileges.map(privilege).join("")}    ],\n  },\n`,
  );
  return [
    "// The roles of Sluice's programs in the store, by ./sluice provision --roles.\n",
    "// Run by a user who may manage roles: mongosh ADDRESS roles.js\n",
    `const database = db.getSiblingDB(${JSON.stringify(database)});\n`,
    `const roles = [\n${listed.join("")}];\n`,
    "for (const { role, privileges } of roles) {\n",
    "  const privilegesOnly = { privileges, roles: [] };\n",
    "  if (database.getRole(role) === null) database.runCommand({ createRole: role, ...privilegesOnly });\n",
    "  else database.runCommand({ updateRole: role, ...privilegesOnly });\n",
    "}\n",
  ].join("");
}

const run: RunVerb = async (call) => {
  if (call.flag("roles")) return await printRoles(call);
  const { readConfigurationFile, readEnvironment } = await import("@sluice/config");
  const { machineTime } = await import("@sluice/kernel");
  const { planProvisioning, provision, provisionVariables } = await import("@sluice/process/provision");
  const given = { ...process.env, SLUICE_CONFIG: call.value("config") ?? process.env["SLUICE_CONFIG"] };
  const { SLUICE_CONFIG: file, ...environment } = readEnvironment(given, ["SLUICE_CONFIG", ...provisionVariables]);
  const { partitionCount, topics } = readConfigurationFile(file, process.env);
  const principals = call.flag("acls") ? { principalOf: principalsBy(call.value("principal") ?? principalDefault) } : {};
  const provisioning = { environment, topics, partitionCount, time: machineTime, ...principals };
  const plan = await planProvisioning(provisioning);
  const isReading = call.flag("plan") || call.flag("check");
  if (!isReading) await provision(provisioning);
  if (call.flag("json")) process.stdout.write(`${JSON.stringify({ schema: "Provisioning", isChanged: !isReading, ...plan }, null, 2)}\n`);
  else process.stdout.write(formatPlan(plan, isReading));
  return call.flag("check") && !isComplete(plan) ? 1 : 0;
};

export const provisionVerb: Verb = {
  name: "provision",
  summary: "creates topics, schemas and indexes as the configuration says, and ACLs; or only says what is missing or differs",
  arguments: [],
  options: {
    config: { type: "string", placeholder: "FILE", text: "the configuration file (SLUICE_CONFIG)", completes: "files" },
    plan: { type: "boolean", text: "changes nothing and says what it would create, and what differs" },
    check: { type: "boolean", text: "changes nothing; exit 1 if anything is missing or differs" },
    acls: { type: "boolean", text: "also the services' rights at the brokers, docs/security/rights.md" },
    principal: {
      type: "string",
      placeholder: "PATTERN",
      text: `with --acls: the principal of a service at the brokers; left out: ${principalDefault}`,
    },
    roles: {
      type: "boolean",
      text: "only prints the programs' roles in the store, for mongosh or with --json, docs/security/store-rights.md",
    },
    builds: {
      type: "string",
      placeholder: "N",
      text: "with --roles: the builds of so many rebuilds have their place in the roles; left out: 32",
    },
    json: jsonOption,
  },
  notes: [
    "The servers are those of KAFKA_BROKERS, SCHEMA_REGISTRY_URL and MONGO_URL, with the services' connection settings.",
    "No ACL is taken away. What a service may do and need not is named, and --check fails on it.",
    "An existing topic is never changed. One that would break order or lose money is refused, with exit 1.",
  ],
  examples: [
    "provision --config sluice.yaml",
    "provision --check --json",
    "provision --acls --principal 'User:CN={service},O=Bank'",
    "provision --roles",
  ],
  run,
};

function isComplete({ missing, differences, excessAcls }: ProvisionPlan): boolean {
  return differences.length === 0 && excessAcls.length === 0 && Object.values(missing).every((names) => names.length === 0);
}

function formatPlan(plan: ProvisionPlan, isReading: boolean): string {
  if (isComplete(plan)) return "everything is there, as the configuration says\n";
  const verb = isReading ? "missing" : "created";
  const created = [
    ...plan.missing.topics.map((name) => `${verb}: topic ${name}`),
    ...plan.missing.acls.map((text) => `${verb}: ${text}`),
    ...plan.missing.schemas.map((text) => `${verb}: schema ${text}`),
    ...plan.missing.indexes.map((name) => `${verb}: index ${name}`),
  ];
  const differing = plan.differences.map(({ topic, what, wanted, found, isDangerous }) => {
    return `differs${isDangerous ? ", and must not" : ""}: topic ${topic}: ${what} is ${found}, configured ${wanted}`;
  });
  const excess = plan.excessAcls.map((text) => `more than it needs: ${text}`);
  return [...created, ...differing, ...excess].map((line) => `${line}\n`).join("");
}
