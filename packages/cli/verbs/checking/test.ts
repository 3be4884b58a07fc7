// `./sluice test`: everything that CI checks. It runs the check, then the test projects that need more, one after
// another on servers that are started once. `--fuzz` runs the fuzz run instead of, or after, the named parts. `--long`
// makes the parts that draw their own runs draw more of them. `--also` adds one part to a whole run.
//
// #1 The last line is `N passed, N failed`, whatever happened before; the lines right before it name what failed.
// #2 Skipped tests are reported; a number other than the expected one fails the run.
// #3 Nothing is left running.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { runCheck } from "./check.ts";
import { projectRoot, runProgram } from "@sluice/environment/run-program";
import { countTests, listFailures, noCounts, readReport, sumCounts, type TestCounts, type TestFailure } from "./test-counts.ts";
import type { RunVerb, Verb } from "../../terminal/verb.ts";

const parts = [
  "check",
  "alarms",
  "interface",
  "browser",
  "languages",
  "servers",
  "simulation",
  "teeth",
  "e2e",
  "demo",
  "days",
  "versions",
  "brokers",
  "chaos",
  "analytics",
  "chart",
  "containers",
  "kubernetes",
] as const;
type Part = (typeof parts)[number] | "fuzz";
type Environment = Readonly<Record<string, string>>;

/** Parts that need no shared servers; demo and chaos start their own. */
const withoutServers: readonly Part[] = [
  "alarms",
  "browser",
  "languages",
  "interface",
  "simulation",
  "teeth",
  "demo",
  "chaos",
  "analytics",
  "chart",
  "containers",
  "kubernetes",
];
const startsOwnServers: readonly Part[] = ["demo", "chaos", "analytics"];

/**
 * Parts that run only when they are named. The chart needs helm, and the cluster all of Kubernetes, which are built in
 * minutes where they are missing; containers need an engine and the image. Days, versions and brokers play days that
 * take minutes each, and versions needs the history of the repository. Analytics installs programs of Python.
 */
const onRequest: readonly Part[] = ["days", "versions", "brokers", "analytics", "chart", "containers", "kubernetes"];
const seedDefault = "1";
/** Variable of the tests that draw runs: the delivery engine's model and the simulation. */
const drawsMore: Environment = { SLUICE_LONG: "1" };

const skippedExpected = 0;
const failuresNamed = 50;
const exitInterrupted = 130;

const run: RunVerb = async (call) => {
  const also = call.value("also");
  const asked = also === null ? call.positionals : [...call.positionals, also];
  const isFuzz = call.flag("fuzz");
  const isWhole = call.positionals.length === 0 && !isFuzz;
  const named = parts.filter((part) => (isWhole && !onRequest.includes(part)) || asked.includes(part));
  const wanted: readonly Part[] = isFuzz ? [...named, "fuzz"] : named;
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once("SIGINT", interrupt).once("SIGTERM", interrupt);
  const drawn = call.flag("long") ? drawsMore : {};
  const results = await runParts(wanted, { seed: call.value("seed") ?? seedDefault, drawn }, interrupted.signal);
  return finish(results, interrupted.signal.aborted);
};

export const testVerb: Verb = {
  name: "test",
  summary: "everything CI checks, on real servers; ends with the line: N passed, N failed",
  arguments: [{ placeholder: "PART", text: "only these parts", choices: parts, count: [0, parts.length] }],
  options: {
    also: { type: "string", placeholder: "PART", text: "this part too, beside all that run unnamed", choices: onRequest },
    long: {
      type: "boolean",
      text: "10,000 drawn runs of the delivery engine's model instead of 500, 2,000 seeds of the simulation instead of 160; most of an hour",
    },
    fuzz: {
      type: "boolean",
      text: "a fuzz run of the OpenAPI document against running services, alone or after the parts named; needs python3",
    },
    seed: { type: "string", placeholder: "N", text: `seed of the fuzz run (${seedDefault})` },
  },
  examples: ["test", "test --also analytics", "test simulation --long", "test --fuzz --seed 7"],
  run,
};

interface PartResult {
  readonly part: Part;
  readonly counts: TestCounts;
  readonly failures: readonly TestFailure[];
}

interface Draws {
  /** Seed of the fuzz run. */
  readonly seed: string;
  readonly drawn: Environment;
}

async function runParts(wanted: readonly Part[], { seed, drawn }: Draws, signal: AbortSignal): Promise<readonly PartResult[]> {
  const results: PartResult[] = [];
  let running: Part = "check";
  try {
    await using opened = new AsyncDisposableStack();
    await bringPackages(wanted);
    let environment: Environment | null = null;
    for (const part of wanted) {
      if (signal.aborted) break;
      running = part;
      headline(part);
      if (part === "check") {
        results.push({ part, ...(await runCheck()) });
        continue;
      }
      if (!withoutServers.includes(part)) environment ??= await openServers(opened);
      if (part === "alarms") results.push({ part, counts: await alarms(), failures: [] });
      else if (part === "analytics") results.push(...(await analytics()));
      else if (part === "browser") results.push(await browser());
      else if (part === "chart") results.push({ part, counts: await chart(), failures: [] });
      else if (part === "containers") results.push(await containers(drawn));
      else if (part === "fuzz") results.push({ part, counts: await fuzz(environment ?? {}, seed, signal), failures: [] });
      else if (part === "languages") results.push(await otherLanguages());
      else if (part === "kubernetes") results.push(await kubernetes(drawn, signal));
      else results.push(await runProject(part, { ...environment, ...drawn }));
    }
  } catch (error) {
    const said = error instanceof Fault ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stdout.write(`${said}\n`);
    results.push({ part: running, counts: { ...noCounts, failed: 1 }, failures: [{ name: said, said: [] }] });
  }
  return results;
}

/** Servers that are named by the environment need no Java here. */
async function bringPackages(wanted: readonly Part[]): Promise<void> {
  const { bringSystemPackages, machineSystem } = await import("./system-packages.ts");
  const isOwn = ["KAFKA_BROKERS", "SCHEMA_REGISTRY_URL", "MONGO_URL"].some((name) => (process.env[name] ?? "") === "");
  const needsServers =
    isOwn && wanted.some((part) => part !== "check" && (startsOwnServers.includes(part) || !withoutServers.includes(part)));
  const needs = { needsServers, needsBrowser: wanted.includes("browser") };
  await bringSystemPackages(
    needs,
    machineSystem((text) => void process.stdout.write(`test: ${text}\n`)),
  );
}

async function openServers(opened: AsyncDisposableStack): Promise<Environment> {
  const progress = (text: string): void => void process.stdout.write(`servers: ${text}\n`);
  const { startTestServers } = await import("@sluice/local-servers/test-servers");
  const servers = await startTestServers(progress);
  opened.defer(() => servers.stop());
  return { KAFKA_BROKERS: servers.kafkaBrokers, SCHEMA_REGISTRY_URL: servers.schemaRegistryUrl, MONGO_URL: servers.mongoUrl };
}

async function alarms(): Promise<TestCounts> {
  const { testAlarmRules } = await import("./alarm-rules.ts");
  return await testAlarmRules((text) => void process.stdout.write(`alarms: ${text}\n`));
}

/** The contracts, and a day of the demo in the lake. */
async function analytics(): Promise<readonly PartResult[]> {
  const progress = (text: string): void => void process.stdout.write(`analytics: ${text}\n`);
  const { testDataContracts } = await import("./data-contracts.ts");
  const { analyticsFolders, bringAnalyticsPrograms } = await import("../analytics/analytics-folders.ts");
  const counts = await testDataContracts(progress);
  const programs = await bringAnalyticsPrograms("the part analytics", progress);
  const environment = { SLUICE_ANALYTICS_PYTHON: join(programs, "python"), SLUICE_ANALYTICS_PACKAGES: analyticsFolders.packages };
  return [{ part: "analytics", counts, failures: [] }, await runProject("analytics", environment)];
}

async function browser(): Promise<PartResult> {
  const { bringBrowser } = await import("./browser-program.ts");
  const program = await bringBrowser((text) => void process.stdout.write(`browser: ${text}\n`));
  return await runProject("browser", { SLUICE_CHROMIUM: program });
}

/** A whole run goes on where no language is there. */
async function otherLanguages(): Promise<PartResult> {
  const { bringLanguages } = await import("./language-libraries.ts");
  const environment = await bringLanguages((text) => void process.stdout.write(`languages: ${text}\n`));
  if (Object.keys(environment).length === 0) return { part: "languages", counts: noCounts, failures: [] };
  return await runProject("languages", environment);
}

async function chart(): Promise<TestCounts> {
  const { testChart } = await import("./chart-manifests.ts");
  return testChart((text) => void process.stdout.write(`chart: ${text}\n`));
}

async function containers(drawn: Environment): Promise<PartResult> {
  const { openContainers } = await import("./containers.ts");
  await using opened = new AsyncDisposableStack();
  const environment = await openContainers(opened);
  process.stdout.write(`containers: image ${environment["SLUICE_IMAGE"]}\n`);
  return await runProject("containers", { ...environment, ...drawn });
}

async function kubernetes(drawn: Environment, signal: AbortSignal): Promise<PartResult> {
  const { openCluster } = await import("./kubernetes-cluster.ts");
  await using cluster = await openCluster((text) => void process.stdout.write(`kubernetes: ${text}\n`), signal);
  return await runProject("kubernetes", drawn, cluster.enter);
}

async function fuzz(environment: Environment, seed: string, signal: AbortSignal): Promise<TestCounts> {
  const { KAFKA_BROKERS: kafkaBrokers = "", SCHEMA_REGISTRY_URL: schemaRegistryUrl = "", MONGO_URL: mongoUrl = "" } = environment;
  const progress = (text: string): void => void process.stdout.write(`fuzz: ${text}\n`);
  const { runFuzz } = await import("./fuzz.ts");
  return await runFuzz({ servers: { kafkaBrokers, schemaRegistryUrl, mongoUrl }, seed, signal, progress });
}

async function runProject(part: Part, environment: Environment, through: string | null = null): Promise<PartResult> {
  const file = join(projectRoot, ".sluice", "reports", `${part}.json`);
  rmSync(file, { force: true });
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const exitCode = await runProgram("vitest", ["run", "--project", part, ...reporters], environment, through);
  const report = readReport(file);
  return { part, counts: countTests(report, exitCode), failures: listFailures(report, projectRoot) };
}

function finish(results: readonly PartResult[], isInterrupted: boolean): number {
  const { passed, failed, skipped } = sumCounts(results.map(({ counts }) => counts));
  nameFailures(results);
  if (skipped !== skippedExpected)
    process.stdout.write(`\n${skipped} SKIPPED, expected ${skippedExpected}: this run does not count as good\n`);
  if (isInterrupted) process.stdout.write("\ninterrupted: not everything was run\n");
  process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  if (isInterrupted) return exitInterrupted;
  return failed === 0 && passed > 0 && skipped === skippedExpected ? 0 : 1;
}

/** A part that counts a failure without naming one ended badly as a whole. */
function nameFailures(results: readonly PartResult[]): void {
  const bad = results.filter(({ counts }) => counts.failed > 0);
  if (bad.length === 0) return;
  const named = bad.flatMap(({ part, failures }) =>
    (failures.length > 0 ? failures : [{ name: "see above", said: [] }]).map((one) => ({ part, ...one })),
  );
  process.stdout.write("\nfailed:\n");
  for (const { part, name, said } of named.slice(0, failuresNamed))
    process.stdout.write(`  ${part}: ${name}\n${said.map((line) => `      ${line}\n`).join("")}`);
  if (named.length > failuresNamed) process.stdout.write(`  and ${named.length - failuresNamed} more: .sluice/reports\n`);
}

function headline(part: Part): void {
  process.stdout.write(`\n=== ${part}\n`);
}
