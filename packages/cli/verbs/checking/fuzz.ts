// `./sluice test --fuzz`: schemathesis makes valid and invalid requests from the OpenAPI document and checks every
// answer of the running services against it. Processes and servers are real; the checks are in tools/fuzz.
//
// #1 Each caller has its own round: first the questions (they need a scheduler that is not behind), then the bank, then
//    the connector.
// #2 An operation counts as one test: passed, or failed whatever was wrong with it. A run that ended badly without
//    naming an operation is a failure.

import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeRunDirectory, type ServerAddresses } from "@sluice/local-servers";
import { bringSchemathesis, fuzzFolder, runSchemathesis } from "./fuzz-program.ts";
import {
  projectRoot,
  provision,
  serviceEnvironment,
  type ServiceName,
  serviceNames,
  type ServiceProcess,
  startService,
} from "@sluice/environment";
import { noCounts, sumCounts, type TestCounts } from "./test-counts.ts";

export interface FuzzOptions {
  readonly servers: ServerAddresses;
  readonly seed: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

interface Round {
  readonly name: string;
  readonly service: ServiceName;
  /** OpenAPI paths, as a regular expression. */
  readonly paths: string;
  readonly caller: "bank" | "connector";
}

const rounds: readonly Round[] = [
  { name: "questions", service: "console", paths: "^/transactions/\\{uetr\\}", caller: "bank" },
  { name: "bank", service: "ingress", paths: "^/transactions/(outbound|inbound|credits-final)", caller: "bank" },
  { name: "connector", service: "ingress", paths: "^/scheme/", caller: "connector" },
];

const document = join(projectRoot, "docs", "api", "openapi.yaml");
const runs = join(projectRoot, ".sluice", "run");
const reports = join(projectRoot, ".sluice", "reports");

export async function runFuzz(options: FuzzOptions): Promise<TestCounts> {
  const program = await bringSchemathesis(options.progress);
  const tokens = { bank: randomBytes(24).toString("hex"), connector: randomBytes(24).toString("hex") };
  await using opened = new AsyncDisposableStack();
  const services = await startServices(options, tokens, opened);
  const counts: TestCounts[] = [];
  for (const round of rounds) {
    if (options.signal.aborted) break;
    options.progress(`${round.name}, seed ${options.seed}`);
    const port = services.find(({ name }) => name === round.service)?.port ?? 0;
    counts.push(await runRound(program, round, `http://127.0.0.1:${port}`, tokens[round.caller], options.seed));
  }
  return sumCounts(counts);
}

async function startServices(
  { servers, signal, progress }: FuzzOptions,
  tokens: Readonly<Record<Round["caller"], string>>,
  opened: AsyncDisposableStack,
): Promise<readonly ServiceProcess[]> {
  const database = `fuzz_${randomBytes(4).toString("hex")}`;
  await provision(servers, database);
  const references = { FUZZ_BANK_TOKEN_SHA256: sha256(tokens.bank), FUZZ_CONNECTOR_TOKEN_SHA256: sha256(tokens.connector) };
  const environment = serviceEnvironment({ servers, configurationFile: join(fuzzFolder, "sluice.yaml"), database, references });
  const directory = await makeRunDirectory(runs, "fuzz");
  progress(`starting ${serviceNames.join(", ")}; logs in ${directory}`);
  return await Promise.all(
    serviceNames.map(async (name) => {
      const service = await startService(name, environment, join(directory, `${name}.log`), { directory, signal });
      opened.defer(async () => void (await service.stop()));
      await service.ready();
      return service;
    }),
  );
}

async function runRound(program: string, round: Round, url: string, token: string, seed: string): Promise<TestCounts> {
  const report = join(reports, `fuzz-${round.name}.json`);
  mkdirSync(reports, { recursive: true });
  rmSync(report, { force: true });
  const rules = ["--config-file", join(fuzzFolder, "schemathesis.toml"), "--no-color"];
  const target = [document, "--url", url, "--header", `Authorization: Bearer ${token}`, "--include-path-regex", round.paths];
  const output = ["--seed", seed, "--report", "json", "--report-json-path", report];
  const exitCode = await runSchemathesis(program, [...rules, "run", ...target, "--phases", "examples,coverage,fuzzing", ...output]);
  return fuzzCounts(readFuzzReport(report), exitCode);
}

export interface FuzzReport {
  readonly operations: { readonly tested: number; readonly errored: number };
  readonly failures: readonly { readonly operations: readonly string[] }[];
}

/** `report` is null if there is none. */
export function fuzzCounts(report: FuzzReport | null, exitCode: number | null): TestCounts {
  if (report === null) return { ...noCounts, failed: 1 };
  const failing = new Set(report.failures.flatMap(({ operations }) => operations)).size + report.operations.errored;
  const failed = failing === 0 && (exitCode !== 0 || report.operations.tested === 0) ? 1 : failing;
  return { passed: Math.max(0, report.operations.tested - failed), failed, skipped: 0 };
}

function readFuzzReport(file: string): FuzzReport | null {
  try {
    const report: FuzzReport = JSON.parse(readFileSync(file, "utf8"));
    return report;
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
