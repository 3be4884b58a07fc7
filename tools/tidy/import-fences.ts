// Who may import whom. This table is the architecture: a higher package may import a lower one, never the other way.
//
// #1 Code of a package imports only what the table names for it; its tests may also import the testkit and the
//    receiver.
// #2 Only a service's `main.ts` (and the command line, infra and tests) names an adapter: code that opens Kafka,
//    MongoDB, a port or a clock.
// #3 No service imports another. Only test/ and infra/all look at several services, and there at `service.ts` alone.
// #4 A package from npm is imported by its one home.
// #5 A relative import stays within its package, or takes data from data/.

import { isGenerated, isTestCode, type Rule, typeScriptFiles } from "./file-tree.ts";
import { type Import, parseImports, resolveRelative, unitFor, workspacePackages } from "./imports.ts";

interface Fence {
  /** Packages whose values may be imported; `domain/schemes` is that part of a package alone. */
  readonly values: readonly string[];
  /** Packages of which only types may be imported. */
  readonly types?: readonly string[];
}

const pure: Fence = { values: [] };
const all = ["*"] as const;
const forServices: Fence = {
  values: [
    "account-validation",
    "audit",
    "calendar",
    "config",
    "connection",
    "contracts",
    "delivery",
    "documents",
    "domain",
    "kernel",
    "messaging",
    "process",
    "secrecy",
    "service",
    "signatures",
    "store",
  ],
};

export const fences: Readonly<Record<string, Fence>> = {
  "packages/kernel": { values: [] },
  "packages/domain": pure,
  "packages/calendar": pure,
  "packages/account-validation": pure,
  // Banks take the folder as it is: nothing of Sluice is behind it.
  "packages/receiver": { values: [] },
  // Banks install it for their tests.
  "packages/testcontainers": { values: [] },
  // Imports nothing but ports: whatever connects or listens is above it.
  "packages/connection": { values: ["kernel"] },
  "packages/service": { values: ["kernel"] },
  // Configuration and messages agree on the domain's tables: schemes, bounds of receivers, reasons of items.
  "packages/config": { values: ["account-validation", "calendar", "domain", "domain/schemes", "kernel"] },
  "packages/contracts": { values: ["connection", "domain", "domain/schemes", "kernel"] },
  "packages/documents": { values: ["contracts", "kernel", "messaging"], types: ["delivery", "domain"] },
  "packages/messaging": { values: ["contracts", "kernel"] },
  // Above the log, below whatever takes requests of people.
  "packages/audit": { values: ["contracts", "kernel", "messaging"] },
  "packages/signatures": { values: ["connection", "kernel"] },
  "packages/secrecy": { values: ["connection", "contracts", "kernel"] },
  "packages/store": { values: ["domain", "kernel"], types: ["contracts"] },
  // The one package that opens what a service needs. What it opens stays below it, and knows nothing of a process.
  "packages/process": {
    values: ["audit", "config", "connection", "contracts", "kernel", "messaging", "secrecy", "service", "signatures", "store"],
  },
  "packages/delivery": {
    values: ["config", "connection", "contracts", "domain", "kernel", "messaging", "signatures", "store"],
    types: ["process"],
  },
  "packages/timeline": { values: ["contracts", "domain", "kernel"], types: ["messaging", "store"] },
  "packages/cli": { values: all },
  // All services in one process: what a service's main.ts puts together, once for all of them.
  "infra/all": {
    values: ["config", "contracts", "delivery", "documents", "kernel", "messaging", "process", "secrecy", "service", "store"],
  },
  "infra/analytics": { values: ["kernel", "local-servers", "messaging"] },
  // What starts a container has nothing of Sluice in its own process.
  "infra/image": { values: [] },
  "infra/local": { values: ["kernel", "testcontainers"] },
  "services/ingress": forServices,
  "services/validator": forServices,
  "services/scheduler": forServices,
  "services/dispatcher": forServices,
  "services/event-publisher": forServices,
  "services/console": { values: [...forServices.values, "timeline"] },
  test: { values: all },
  "test/benches": { values: all },
  "test/checker": pure,
  "test/demo": { values: all },
  "test/sandbox": { values: all },
  "test/environment": { values: all },
  "test/teeth": { values: ["environment", "kernel", "testkit"] },
  "test/testkit": { values: all },
  "test/trials": { values: all },
  tools: { values: ["config", "contracts", "documents", "store"] },
};

const adapters = new Set([
  "broker",
  "createKafkaMessaging",
  "createLogger",
  "createMetrics",
  "createMongoStore",
  "createRegistrySerde",
  "createRenewableMongoStore",
  "createUndiciGateway",
  "listen",
  "askProcesses",
  "machineRandom",
  "machineTime",
  "preparedStore",
  "provisionTopics",
  "receiverGateway",
  "registry",
  "runProcess",
  "runService",
  "store",
]);
/** The files that may name adapters: the outermost units, and adapters built on another adapter. */
const edges = [
  /^(packages\/cli|infra|test|tools)\//,
  /\/main\.ts$/,
  /^packages\/process\//,
  /\/(kafka-[a-z-]+|provision-topics)\.ts$/,
  /^packages\/messaging\/kafka\//,
];

/** The homes of npm packages. Tests may use any package that their package.json names. */
const homes: Readonly<Record<string, readonly string[]>> = {
  "@asyncapi/avro-schema-parser": ["tools"],
  "@asyncapi/parser": ["tools"],
  "@grafana/grafana-foundation-sdk": ["tools"],
  "@grafana/schema": ["tools"],
  "@hono/node-server": ["packages/service"],
  "@redocly/openapi-core": ["tools"],
  ajv: ["packages/documents"],
  "ajv-formats": ["packages/documents"],
  avsc: ["packages/contracts"],
  hono: ["packages/documents", "packages/service", "services/ingress", "services/console"],
  // The IBAN registry's lengths, formats and national check digits: the one library of a pure package, itself pure.
  ibantools: ["packages/account-validation"],
  // Access tokens and proofs of callers, and what proves us to banks' authorization servers.
  jose: ["packages/service", "packages/delivery", "test/testkit"],
  kafkajs: ["packages/messaging", "test"],
  // The provider at which tests and development sign operators in.
  "oidc-provider": ["test/testkit"],
  // A bench compares the store's writers with writes that are nothing else.
  mongodb: ["packages/store", "infra/local", "test/benches"],
  pino: ["packages/service"],
  // The tasks of a stranger are done in a real browser.
  "playwright-core": ["test/benches"],
  "prom-client": ["packages/service"],
  rolldown: ["tools"],
  testcontainers: ["infra/local", "packages/testcontainers"],
  // Structured fields of the headers of signatures.
  "structured-headers": ["packages/signatures"],
  undici: ["packages/delivery", "test", "test/benches", "test/demo", "test/environment", "test/testkit", "test/trials"],
  yaml: ["packages/config", "packages/documents", "packages/cli", "tools"],
  zod: ["packages/config", "packages/contracts", "packages/documents"],
};
const testPackages = new Set(["vitest", "fast-check"]);

export const importFences: Rule = (tree) => {
  const packages = workspacePackages(tree);
  return typeScriptFiles(tree).flatMap(([path, text]) => {
    if (isGenerated(path) || unitFor(path).endsWith(".ts")) return [];
    return parseImports(text).flatMap((one) => {
      const problem = findProblem(path, one, packages);
      return problem === null ? [] : [{ path, text: problem }];
    });
  });
};

function findProblem(path: string, one: Import, packages: ReadonlyMap<string, string>): string | null {
  const { specifier } = one;
  if (specifier.startsWith("node:")) return nodeProblem(path, specifier);
  if (specifier.startsWith(".")) {
    const to = unitFor(resolveRelative(path, specifier));
    return to === unitFor(path) || to === "data" ? null : `${specifier} leaves the package`;
  }
  if (specifier.startsWith("@sluice/")) return workspaceProblem(path, one, packages);
  return npmProblem(path, specifier);
}

function nodeProblem(path: string, specifier: string): string | null {
  const isPure = fences[unitFor(path)] === pure && unitFor(path) !== "packages/service";
  return isPure && !isTestCode(path) ? `${specifier}: ${unitFor(path)} is pure` : null;
}

/** #3 */
const looksAtServices = new Set(["test", "infra/all"]);

function workspaceProblem(path: string, { specifier, isType, names }: Import, packages: ReadonlyMap<string, string>): string | null {
  const from = unitFor(path);
  const [, name = "", part] = specifier.split("/");
  const to = packages.get(`@sluice/${name}`);
  if (to === undefined) return `there is no package @sluice/${name}`;
  if (to === from) return null;
  if (to.startsWith("services/")) {
    if (from.startsWith("services/")) return `a service imports another: ${specifier}`;
    if (!looksAtServices.has(from) || part !== undefined)
      return `${specifier}: a service is looked at from test/ and infra/all alone, and by its service.ts`;
    return null;
  }
  const fence = fences[from];
  if (fence === undefined) return `${from} has no line in the table of import fences`;
  const isTest = isTestCode(path);
  // Tests check what Sluice sends with the code that banks receive with.
  if (isTest && (name === "testkit" || name === "receiver")) return null;
  const allowed = [...fence.values, ...(isType || isTest ? (fence.types ?? []) : [])];
  if (!["*", name, `${name}/${part}`].some((one) => allowed.includes(one)))
    return `${from} must not import ${isType ? "types of " : ""}@sluice/${name}`;
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
  return places.includes(unitFor(path)) ? null : `${name} is at home in ${places.join(", ")}`;
}
