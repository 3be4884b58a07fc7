// The cluster of the part `kubernetes` of `./sluice test`: brings it with the images that it runs, and ends it.
//
// #1 Everything is built by infra/kubernetes and kept in `.sluice/kubernetes`; each run has a new cluster.
// #2 The cluster is ended whatever happened, also when it did not come up.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { Fault } from "@sluice/kernel";
import { projectRoot } from "@sluice/environment/run-program";
import { bringHelm } from "./chart-manifests.ts";

export interface Cluster extends AsyncDisposable {
  /** A program that runs another one in the cluster's network, with kubectl and helm on its PATH. */
  readonly enter: string;
}

const scripts = join(projectRoot, "infra", "kubernetes");
const built = join(projectRoot, ".sluice", "kubernetes");
const images = ["sluice-local/servers:1", "sluice-local/sluice:kubernetes-1", "sluice-local/sluice:kubernetes-2"];

/** Throws Fault `cli.no-helm` or `cli.no-cluster`. */
export async function openCluster(progress: (text: string) => void, signal: AbortSignal): Promise<Cluster> {
  await using opened = new AsyncDisposableStack();
  bringHelm(progress);
  // #2
  opened.defer(() => run(join(scripts, "down.sh")));
  progress("building the images");
  await run(join(scripts, "images.sh"), signal);
  progress("starting Kubernetes; the first time it is built, in 11 minutes on two free cores");
  await run(join(scripts, "up.sh"), signal);
  progress("loading the images into the node");
  await run(join(built, "load"), signal, images);
  const owned = opened.move();
  return { enter: join(built, "in"), [Symbol.asyncDispose]: () => owned.disposeAsync() };
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
