// Who may import whom. The table is the architecture: what stands below may be imported from above, never the other way.
//
// 1. Code of a package imports only what the table names for it; its tests also the testkit and the receiver for banks.
// 2. Only a service's `main.ts` (and the command line, infra and tests) names an adapter: what opens Kafka, MongoDB, a port or a clock.
// 3. No service imports another; across services only test/ looks, and there at `service.ts` alone.
// 4. A package from npm is imported by its one home.
// 5. A relative import stays within its package, or takes data from data/.

import { isGenerated, isTestCode, typeScriptOf } from "./file-tree.ts";
import type { Rule } from "./file-tree.ts";
import { importsOf, resolveRelative, unitOf, workspacePackages } from "./imports.ts";
import type { Import } from "./imports.ts";

interface Fence {
  /** Packages whose values may be imported. */
  readonly values: readonly string[];
  /** Packages of which only types may be imported. */
  readonly types?: readonly string[];
}

const pure: Fence = { values: [] };
const all = ["*"] as const;
const forServices: Fence = {
  values: [
    "account-validation",
    "calendar",
    "config",
    "contracts",
    "delivery",
    "documents",
    "domain",
    "http",
    "messaging",
    "runtime",
    "store",
    "telemetry",
  ],
};

const fences: Readonly<Record<string, Fence>> = {
  "packages/domain": pure,
  "packages/calendar": pure,
  "packages/account-validation": pure,
  "packages/checker": pure,
  "packages/telemetry": pure,
  // Banks take the folder as it is: nothing of Sluice is behind it.
  "packages/receiver": { values: [] },
  "packages/http": { values: ["telemetry"] },
  "packages/runtime": { values: ["http", "telemetry"] },
  "packages/config": { values: ["account-validation", "calendar", "runtime"], types: ["domain"] },
  "packages/contracts": { values: ["runtime"], types: ["domain"] },
  "packages/documents": { values: ["contracts", "messaging", "runtime"], types: ["delivery", "domain"] },
  "packages/messaging": { values: ["contracts", "runtime", "telemetry"] },
  "packages/store": { values: ["domain", "runtime", "telemetry"], types: ["contracts"] },
  "packages/delivery": { values: ["config", "contracts", "messaging", "runtime", "store", "telemetry"] },
  "packages/timeline": { values: ["contracts", "domain", "runtime"], types: ["messaging", "store"] },
  "packages/testkit": { values: all },
  "packages/cli": { values: all },
  "infra/local": { values: ["runtime"] },
  "services/ingress": forServices,
  "services/validator": forServices,
  "services/scheduler": forServices,
  "services/dispatcher": forServices,
  "services/event-publisher": forServices,
  "services/console": { values: [...forServices.values, "timeline"] },
  test: { values: all },
  tools: { values: ["contracts", "documents"] },
};

const adapters = new Set([
  "createKafkaMessaging",
  "createLog",
  "createMetrics",
  "createMongoStore",
  "createUndiciGateway",
  "listen",
  "machineRandom",
  "machineTime",
  "provisionTopics",
  "registrySerde",
  "runService",
]);
/** What may name adapters anywhere: the outermost units, and adapters that stand on another. */
const edges = [
  /^(packages\/cli|packages\/testkit|infra|test|tools)\//,
  /\/main\.ts$/,
  /\/run-service\.ts$/,
  /\/(kafka-[a-z-]+|provision-topics)\.ts$/,
];

/** Homes of npm packages. Tests may use any that their package.json names. */
const homes: Readonly<Record<string, readonly string[]>> = {
  "@asyncapi/avro-schema-parser": ["tools"],
  "@asyncapi/parser": ["tools"],
  "@hono/node-server": ["packages/http"],
  "@kafkajs/confluent-schema-registry": ["packages/contracts"],
  "@redocly/openapi-core": ["tools"],
  ajv: ["packages/documents"],
  "ajv-formats": ["packages/documents"],
  avsc: ["packages/contracts", "tools"],
  hono: ["packages/documents", "packages/http", "services/ingress", "services/console"],
  // The IBAN registry's lengths, formats and national check digits: the one library of a pure package, pure itself.
  ibantools: ["packages/account-validation"],
  kafkajs: ["packages/messaging", "test"],
  mongodb: ["packages/store", "infra/local", "test"],
  pino: ["packages/telemetry"],
  "prom-client": ["packages/telemetry"],
  undici: ["packages/delivery", "packages/testkit", "packages/cli", "test"],
  yaml: ["packages/config", "packages/cli"],
  zod: ["packages/config", "packages/contracts", "packages/documents"],
};
const testPackages = new Set(["vitest", "fast-check"]);

export const importFences: Rule = (tree) => {
  const packages = workspacePackages(tree);
  return typeScriptOf(tree).flatMap(([path, text]) => {
    if (isGenerated(path) || unitOf(path).endsWith(".ts")) return [];
    return importsOf(text).flatMap((one) => {
      const problem = problemOf(path, one, packages);
      return problem === null ? [] : [{ path, text: problem }];
    });
  });
};

function problemOf(path: string, one: Import, packages: ReadonlyMap<string, string>): string | null {
  const { specifier } = one;
  if (specifier.startsWith("node:")) return nodeProblem(path, specifier);
  if (specifier.startsWith(".")) {
    const to = unitOf(resolveRelative(path, specifier));
    return to === unitOf(path) || to === "data" ? null : `${specifier} leaves the package`;
  }
  if (specifier.startsWith("@sluice/")) return workspaceProblem(path, one, packages);
  return npmProblem(path, specifier);
}

function nodeProblem(path: string, specifier: string): string | null {
  const isPure = fences[unitOf(path)] === pure && unitOf(path) !== "packages/telemetry";
  return isPure && !isTestCode(path) ? `${specifier}: ${unitOf(path)} is pure` : null;
}

function workspaceProblem(path: string, { specifier, isType, names }: Import, packages: ReadonlyMap<string, string>): string | null {
  const from = unitOf(path);
  const [, name = "", part] = specifier.split("/");
  const to = packages.get(`@sluice/${name}`);
  if (to === undefined) return `there is no package @sluice/${name}`;
  if (to === from) return null;
  if (to.startsWith("services/")) {
    if (from.startsWith("services/")) return `a service imports another: ${specifier}`;
    if (from !== "test" || part !== undefined) return `${specifier}: a service is looked at from test/ alone, and by its service.ts`;
    return null;
  }
  const fence = fences[from];
  if (fence === undefined) return `${from} has no line in the table of import fences`;
  const isTest = isTestCode(path);
  // What we send is held against what banks receive with.
  if (isTest && (name === "testkit" || name === "receiver")) return null;
  const allowed = [...fence.values, ...(isType || isTest ? (fence.types ?? []) : [])];
  if (!allowed.includes("*") && !allowed.includes(name)) return `${from} must not import ${isType ? "types of " : ""}@sluice/${name}`;
  const isEdge = isTest || edges.some((place) => place.test(path));
  const adapter = names.find((imported) => adapters.has(imported));
  return isType || isEdge || adapter === undefined ? null : `${adapter} is an adapter: only main.ts names it`;
}

function npmProblem(path: string, specifier: string): string | null {
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  if (isTestCode(path)) return null;
  if (testPackages.has(name)) return `${name} is for tests`;
  const places = homes[name];
  if (places === undefined) return `${name} has no home in the table of import fences`;
  return places.includes(unitOf(path)) ? null : `${name} is at home in ${places.join(", ")}`;
}
