// What the chart's test does with the release: waits, disturbances under load, and their figures.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { machineTime } from "@sluice/kernel";
import { vi } from "vitest";
import { type ClusterEnvironment, namespace } from "./cluster-environment.ts";
import { type DebitFeed, startDebitFeed } from "./debit-feed.ts";
import { type Figures, formatFigures, listRepeats, measure, type Repeat } from "./figures.ts";
import { kubectl, listPods, type Pod } from "./kubectl.ts";
import { coresOfOthers, readProcessorTime } from "./processor-time.ts";

export const services = ["validator", "scheduler", "dispatcher", "event-publisher", "ingress", "console"] as const;
export type ServiceName = (typeof services)[number];
/**
 * Services that are disturbed at the same time, because one by one takes twice as long. The scheduler, on which most
 * waits depend, is with the one that no debit passes.
 */
export const pairs = [
  ["validator", "ingress"],
  ["scheduler", "console"],
  ["dispatcher", "event-publisher"],
] as const;

/** Debits a second of the load. */
const perSecond = 10;
/** The load goes on for so long before and after a disturbance. */
const aroundMs = 1_000;
/** What is sent a second time comes within this time. */
const repeatMaxMs = 2_000;
/** Messages that came again and are named. */
const repeatsNamedMax = 20;
/** A debit is late, and not lost, until then. */
const debitMaxMs = 60_000;
const intervalMs = 250;
/** The processor time of all pods together, as the cluster's node knows it. */
const podsFolder = "/sys/fs/cgroup/cpu/sluice-kubernetes/kubepods";
const periodUs = 100_000;

export interface Load {
  readonly perSecond: number;
  /** A debit is late, and not lost, until then. */
  readonly debitMaxMs: number;
  readonly isRepeating?: boolean;
}

/** Waits until the assertions hold, and rejects with the last failure. */
export async function until<T>(look: () => Promise<T>, timeoutMs: number): Promise<T> {
  return await vi.waitFor(look, { timeout: timeoutMs, interval: intervalMs });
}

export async function servicePods(service?: ServiceName): Promise<readonly Pod[]> {
  const pods = await listPods(namespace);
  return pods.filter(({ component }) => (service === undefined ? services.some((name) => name === component) : component === service));
}

/** Waits until each service has its two pods, and all are ready; resolves with the milliseconds that it took. */
export async function untilReady(timeoutMs = 120_000): Promise<number> {
  const startMs = machineTime.monotonicMs();
  await until(async () => {
    const pods = await servicePods();
    const waiting = pods.filter(({ isReady, isEnding }) => !isReady || isEnding).map(({ name }) => name);
    if (waiting.length > 0 || pods.length !== 2 * services.length) throw new Error(`${pods.length} pods; not ready: ${waiting.join(", ")}`);
  }, timeoutMs);
  return Math.round(machineTime.monotonicMs() - startMs);
}

export interface Disturbance extends Figures {
  /** The cores that others used meanwhile. */
  readonly othersCores: number;
  /** Milliseconds: the longest time for which this process got no processor. It is no pod, and shares their cores. */
  readonly standstillMs: number;
}

/** Disturbs the release under load; returns what that cost. The figures are printed. */
export async function disturb(
  environment: ClusterEnvironment,
  name: string,
  disturbance: () => Promise<void>,
  load: Load = { perSecond, debitMaxMs },
): Promise<Disturbance> {
  const { id, branch, tokens } = environment.bank("acacia");
  const bank = { id, branch, token: tokens[0] ?? "" };
  const feed = startDebitFeed({ ingressUrl: environment.ingressUrl, bank, ...load, recorder: environment.recorded });
  const startMs = machineTime.monotonicMs();
  const before = await readProcessorTime(startMs);
  const delays = monitorEventLoopDelay();
  delays.enable();
  try {
    await pause(aroundMs);
    await disturbance();
    await pause(aroundMs);
  } catch (error) {
    await feed.stop();
    throw error;
  }
  delays.disable();
  const standstillMs = Math.round(delays.max / 1e6);
  const othersCores = coresOfOthers(before, await readProcessorTime(machineTime.monotonicMs()));
  const tookS = Math.round((machineTime.monotonicMs() - startMs - 2 * aroundMs) / 1_000);
  const { figures, repeats } = await settle(environment, feed, load.debitMaxMs);
  process.stdout.write(
    `${formatFigures(`${name} (${tookS} s)`, figures)}; others used ${othersCores.toFixed(2)} cores; the test itself stood still for ${standstillMs} ms at most\n`,
  );
  const slowest = figures.slowest.map(({ answeredAtMs, waitMs }) => `${new Date(answeredAtMs).toISOString().slice(11)} ${waitMs} ms`);
  process.stdout.write(`  longest waits: ${slowest.join(", ")}\n`);
  for (const { operation, webhookId, atMs, afterMs } of repeats.slice(0, repeatsNamedMax))
    process.stdout.write(`  ${operation} ${webhookId} again at ${new Date(atMs).toISOString()}, after ${afterMs} ms\n`);
  return { ...figures, othersCores, standstillMs };
}

/** Ends the load, and waits until the bank has everything that was accepted. */
async function settle(
  { recorded }: ClusterEnvironment,
  feed: DebitFeed,
  maxMs: number,
): Promise<{ figures: Figures; repeats: readonly Repeat[] }> {
  const sent = await feed.stop();
  const look = (): Figures => measure(sent, recorded.receivedEntries());
  await until(async () => {
    if (look().lost > 0) throw new Error(`${look().lost} debits have not come`);
  }, maxMs).catch(() => undefined);
  await pause(repeatMaxMs);
  return { figures: look(), repeats: listRepeats(sent, recorded.receivedEntries()) };
}

/** Waits until a rollout has ended. */
export async function untilReplaced(service: ServiceName): Promise<void> {
  await kubectl("-n", namespace, "rollout", "status", `deployment/sluice-${service}`, "--timeout=280s");
}

/** Gives all pods together, the servers' among them, this much of a core until it is disposed. */
export async function capPods(cores: number): Promise<AsyncDisposable> {
  const set = (quotaUs: number): Promise<void> => writeFile(join(podsFolder, "cpu.cfs_quota_us"), String(quotaUs));
  await set(Math.round(cores * periodUs));
  return { [Symbol.asyncDispose]: () => set(-1) };
}

/** Lets the load go on: no condition says that enough of it has passed. */
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => machineTime.after(ms, () => resolve()));
}
