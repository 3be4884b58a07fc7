// The part `chart` of `./sluice test`: helm lints the chart, renders it with the values of each case, and refuses wrong
// values. What it renders is compared with the checked-in manifests, `infra/chart/golden`.
//
// #1 helm is taken from `.sluice/helm`, else built there by Go's own tools, else taken from the PATH.
// #2 Each lint, each case, each refusal and each change of the configuration file counts as one test.
// #3 Manifests that differ are left in `.sluice/chart`, and the output says how to take them over.
// #4 `golden/sources.sha256` is the hash of what they were rendered from, so that the pure tests notice a chart that
//    was changed and not rendered again.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";
import { noCounts, type TestCounts } from "./test-counts.ts";

const chart = join(projectRoot, "infra", "chart");
const helmModule = "helm.sh/helm/v4/cmd/helm@v4.3.1";
const helmFolder = join(projectRoot, ".sluice", "helm");
const rendered = join(projectRoot, ".sluice", "chart");
const hashFile = "sources.sha256";
/** Milliseconds; building helm took four minutes on a busy machine. */
const buildMaxMs = 900_000;
const runMaxMs = 60_000;
const outputBytesMax = 16_777_216;

/** Settings on top of the case `least`, and what the refusal says. */
const refusals: readonly (readonly [readonly string[], string])[] = [
  [["unknown=1"], "'unknown' not allowed"],
  [["services.ingress.replica=3"], "'replica' not allowed"],
  [["services.validator.replicas=121"], "maximum"],
  [["configuration="], "configuration is missing"],
  [["existingConfigMap=own"], "configuration and existingConfigMap are both set"],
  [["tls.endedBy="], "tls.secret is missing"],
  [["tls.secret=certificate"], "tls.secret and tls.endedBy are both set"],
  [["mongo.url="], "mongo.url is missing"],
  [["keda.enabled=true", "kafka.sasl.mechanism=plain"], "keda.authentication is missing"],
  [["rebuild.arguments={--all}"], "does not match pattern"],
  [["mongo.secretOf.ingress=own"], "'ingress' not allowed"],
  [["mongo.secretOf.scheduler=own", "mongo.files.ca=ca.crt"], "mongo.files.ca is set, and mongo.secret is not"],
  [["kafka.files.ca=ca.crt"], "kafka.files.ca is set, and kafka.secret is not"],
];

/** Configuration files on top of the case `least`, and whether the change of one to the other replaces the pods. */
const changes: readonly (readonly [string, string, boolean])[] = [
  ["cdv: {}", "cdv: { version: two }", false],
  ["banks: [{ id: one }]", "banks: [{ id: one }, { id: two }]", false],
  ["version: one", "version: two # a comment", false],
  ["partitionCount: 12", "partitionCount: 24", true],
  ["banks: []", "{ banks: [], topics: { replication: 3 } }", true],
  ["no map", "no map either", true],
];

export function testChart(progress: (text: string) => void): TestCounts {
  const helm = bringHelm(progress);
  rmSync(rendered, { recursive: true, force: true });
  mkdirSync(rendered, { recursive: true });
  writeFileSync(join(rendered, hashFile), hashChart());
  const failures = [
    ...listCases().flatMap((name) => [lint(helm, name), compare(helm, name)]),
    ...refusals.map(([settings, said]) => refuse(helm, settings, said)),
    ...changes.map((change) => compareRestart(helm, change)),
    isSame(hashFile) ? null : `${hashFile} is not that of the chart`,
  ];
  const found = failures.filter((one) => one !== null);
  for (const failure of found) progress(failure);
  if (found.length > 0) progress("look at .sluice/chart; if it is right: cp .sluice/chart/* infra/chart/golden/");
  return { ...noCounts, passed: failures.length - found.length, failed: found.length };
}

export function listCases(): readonly string[] {
  return readdirSync(join(chart, "cases")).map((file) => file.replace(/\.yaml$/, ""));
}

/** #4 */
export function hashChart(): string {
  const hash = createHash("sha256");
  const files = ["Chart.yaml", "values.yaml", "values.schema.json", ...["cases", "files", "templates"].flatMap(filesIn)];
  for (const file of files) hash.update(`${file}\0${readFileSync(join(chart, file), "utf8")}\0`);
  return `${hash.digest("hex")}\n`;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(chart, folder))
    .toSorted()
    .map((file) => `${folder}/${file}`);
}

function lint(helm: string, name: string): string | null {
  const { isGood, output } = run(helm, ["lint", "--strict", chart, "--values", caseFile(name)]);
  return isGood ? null : `lint of ${name}:\n${output}`;
}

function compare(helm: string, name: string): string | null {
  const { isGood, output } = render(helm, name, []);
  if (!isGood) return `${name} is not rendered: ${output}`;
  const file = `${name}.yaml`;
  writeFileSync(join(rendered, file), output);
  return isSame(file) ? null : `the manifests of ${name} differ from infra/chart/golden/${file}`;
}

function refuse(helm: string, settings: readonly string[], said: string): string | null {
  const { isGood, output } = render(helm, "least", settings);
  return !isGood && output.includes(said) ? null : `${settings.join(", ")} is not refused with "${said}": ${isGood ? "rendered" : output}`;
}

function compareRestart(helm: string, [before, after, restarts]: readonly [string, string, boolean]): string | null {
  const [former = [], next = []] = [before, after].map((text) => {
    const file = join(rendered, "configuration.yaml");
    writeFileSync(file, text);
    const { output } = run(helm, ["template", "sluice", chart, "--values", caseFile("least"), "--set-file", `configuration=${file}`]);
    rmSync(file);
    return output.match(/^ +checksum\/config: [0-9a-f]{64}$/gm) ?? [];
  });
  if (former.length === 0 || former.length !== next.length) return `${before}: the pods have no hash of the configuration`;
  const isChanged = former.every((hash, index) => hash !== next[index]);
  return isChanged === restarts ? null : `${before} → ${after}: the pods ${restarts ? "stay" : "are replaced"}`;
}

function isSame(file: string): boolean {
  const golden = join(chart, "golden", file);
  return existsSync(golden) && readFileSync(golden, "utf8") === readFileSync(join(rendered, file), "utf8");
}

function render(helm: string, name: string, settings: readonly string[]): Run {
  const set = settings.flatMap((setting) => ["--set", setting]);
  return run(helm, ["template", "sluice", chart, "--namespace", "sluice", "--values", caseFile(name), ...set]);
}

function caseFile(name: string): string {
  return join(chart, "cases", `${name}.yaml`);
}

/** #1. Returns the program's path. Throws Fault `cli.no-helm`. */
export function bringHelm(progress: (text: string) => void): string {
  const own = join(helmFolder, "helm");
  if (existsSync(own)) return own;
  progress("building helm in .sluice/helm, once, in some minutes");
  mkdirSync(helmFolder, { recursive: true });
  const { isGood, output } = run("go", ["install", helmModule], { GOBIN: helmFolder }, buildMaxMs);
  if (isGood) return own;
  if (run("helm", ["version"]).isGood) return "helm";
  throw new Fault("cli.no-helm", `the chart needs helm on the PATH, or Go 1.26 to build it: ${output.trim() || "there is no Go"}`, {
    isRetryable: false,
  });
}

interface Run {
  readonly isGood: boolean;
  /** Standard output, or what else was said by a program that failed. */
  readonly output: string;
}

function run(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}, timeout: number = runMaxMs): Run {
  const options = { encoding: "utf8", maxBuffer: outputBytesMax, timeout, env: { ...process.env, ...environment } } as const;
  const { status, stdout, stderr } = spawnSync(program, args, options);
  return status === 0 ? { isGood: true, output: stdout } : { isGood: false, output: `${stdout ?? ""}${stderr ?? ""}` };
}
