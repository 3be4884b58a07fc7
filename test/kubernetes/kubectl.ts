// Runs kubectl and helm against the cluster of infra/kubernetes, whose network this process is in.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface CommandResult {
  readonly isGood: boolean;
  /** Standard output and, after it, standard error. */
  readonly output: string;
}

const commandMaxMs = 300_000;
const outputCharactersMax = 4_000_000;

/** Never rejects because of what the program said. `input` is its standard input. */
export function tryCommand(program: "kubectl" | "helm", words: readonly string[], input = ""): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: "pipe", timeout: commandMaxMs });
    const said = { out: "", error: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out = (said.out + text).slice(-outputCharactersMax)));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said.error = (said.error + text).slice(-outputCharactersMax)));
    child.once("error", reject);
    child.once("close", (code) => resolve({ isGood: code === 0, output: said.out + said.error }));
    child.stdin.end(input);
  });
}

async function command(program: "kubectl" | "helm", words: readonly string[], input = ""): Promise<string> {
  const { isGood, output } = await tryCommand(program, words, input);
  if (!isGood) throw new Error(`${program} ${words.join(" ")}: ${output}`);
  return output;
}

export const kubectl = (...words: readonly string[]): Promise<string> => command("kubectl", words);
export const helm = (...words: readonly string[]): Promise<string> => command("helm", words);

/** Applies objects, which are given as JSON values. */
export async function applyObjects(...objects: readonly object[]): Promise<void> {
  await command("kubectl", ["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
}

export interface Pod {
  readonly name: string;
  /** The service that runs in it. */
  readonly component: string;
  readonly image: string;
  readonly isReady: boolean;
  readonly isEnding: boolean;
  readonly restarts: number;
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly deletionTimestamp?: string };
    readonly spec: { readonly containers: readonly { readonly image: string }[] };
    readonly status: { readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[] };
  }[];
}

/** Lists the pods of the services of a release. */
export async function listPods(namespace: string): Promise<readonly Pod[]> {
  const { items }: PodList = JSON.parse(await kubectl("get", "pods", "-n", namespace, "-o", "json"));
  return items.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    component: metadata.labels["app.kubernetes.io/component"] ?? "",
    image: spec.containers[0]?.image ?? "",
    isReady: status.containerStatuses?.every(({ ready }) => ready) ?? false,
    isEnding: metadata.deletionTimestamp !== undefined,
    restarts: status.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0,
  }));
}

export interface RestartWatch extends Disposable {
  /** The highest number of restarts of each pod that ever was, where it is not 0. */
  readonly restarts: ReadonlyMap<string, number>;
  /** How many lines the watch has read, so that a watch that sees nothing does not look like a good one. */
  lines(): number;
}

/** Watches the pods of some services, also those that end later. */
export function watchRestarts(namespace: string, services: readonly string[]): RestartWatch {
  const line = '{.metadata.name} {.status.containerStatuses[*].restartCount}{"\\n"}';
  const child = spawn(
    "kubectl",
    ["get", "pods", "-n", namespace, "-l", `app.kubernetes.io/component in (${services.join(",")})`, "--watch", "-o", `jsonpath=${line}`],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const restarts = new Map<string, number>();
  let lines = 0;
  createInterface({ input: child.stdout }).on("line", (text) => {
    const [name = "", ...counts] = text.split(" ");
    const count = counts.reduce((sum, one) => sum + Number(one), 0);
    lines += 1;
    if (count > (restarts.get(name) ?? 0)) restarts.set(name, count);
  });
  return { restarts, lines: () => lines, [Symbol.dispose]: () => void child.kill() };
}
