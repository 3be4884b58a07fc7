// The cluster of the part `kubernetes` of `./sluice test`: brings it with the images that it runs, and ends it.
//
// #1 Everything is built by infra/kubernetes and kept in `.sluice/kubernetes`; each run has a new cluster.
// #2 The cluster is ended whatever happened, also when it did not come up.
// #3 The node starts while images are built, and the servers start in it while that of Sluice is built. The first time
//    one follows the other, because each uses all processors and installs packages.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";
import { bringHelm } from "./chart-manifests.ts";
import { createStepTimes } from "./step-times.ts";

export interface Cluster extends AsyncDisposable {
  /** A program that runs another one in the cluster's network, with kubectl and helm on its PATH. */
  readonly enter: string;
}

const scripts = join(projectRoot, "infra", "kubernetes");
const built = join(projectRoot, ".sluice", "kubernetes");
const enter = join(built, "in");
const load = join(built, "load");
const serversImage = "sluice-local/servers:1";
const sluiceImages = ["sluice-local/sluice:kubernetes-1", "sluice-local/sluice:kubernetes-2"];

/** Throws Fault `cli.no-helm` or `cli.no-cluster`. */
export async function openCluster(progress: (text: string) => void, signal: AbortSignal): Promise<Cluster> {
  await using opened = new AsyncDisposableStack();
  bringHelm(progress);
  // #2
  opened.defer(() => run(join(scripts, "down.sh")));
  const steps = createStepTimes(performance);
  const isFirst = !existsSync(join(built, "bin", "k8s"));
  const startNode = (): Promise<void> => steps.time("the node", () => run(join(scripts, "up.sh"), signal));
  const buildServers = (): Promise<void> => steps.time("the servers' image", () => run(join(scripts, "images.sh"), signal, ["servers"]));
  progress("starting Kubernetes; the first time it is built, in 11 minutes on two free cores");
  if (isFirst) await startNode();
  // #3
  await allOf([isFirst ? Promise.resolve() : startNode(), buildServers()]);
  progress("building the image of Sluice, and starting the servers in the node");
  await allOf([
    steps.time("the image of Sluice", () => run(join(scripts, "images.sh"), signal, ["sluice"])),
    steps.time("loading the servers' image", async () => {
      await run(load, signal, [serversImage]);
      await run(enter, signal, ["kubectl", "apply", "-f", join(scripts, "servers.yaml")]);
    }),
  ]);
  await steps.time("loading the image of Sluice", () => run(load, signal, sluiceImages));
  progress(steps.format());
  const owned = opened.move();
  return { enter, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Rejects with the first failure, when all have ended: nothing may start after the cluster's end. */
async function allOf(works: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(works);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason instanceof Error ? failed.reason : new Error(String(failed.reason));
}

async function run(program: string, signal: AbortSignal | null = null, words: readonly string[] = []): Promise<void> {
  const child = spawn(program, words, {
    cwd: projectRoot,
    stdio: ["ignore", "inherit", "inherit"],
    ...(signal === null ? {} : { signal }),
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", resolve);
  });
  if (code !== 0) throw new Fault("cli.no-cluster", `${program} ended with ${code}`, { isRetryable: true });
}
