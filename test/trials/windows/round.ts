// Plays one round of windows: a business day on fresh servers, with the planned faults, up to its verdict.
//
// #1 Everything that is opened is closed in reverse order, also when the round fails or is interrupted.
// #2 Debits come from before the first opening until shortly before the last close. Faults end at the reconciliation.
//    The round is over when everything that was sent is at rest, or when the time for that is over; then the checker
//    reports what is missing.
// #3 A round with problems keeps its history, logs and configuration.

import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type FaultEntry, formatEntry, type PlannedDay } from "@sluice/checker";
import { createRegistrySerde } from "@sluice/contracts";
import { type Servers, startServers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import { type Random, silentLogger, sleep, type Time } from "@sluice/kernel";
import { createMongoStore, type Store } from "@sluice/store";
import { createMemoryRecorder, type MemoryRecorder } from "@sluice/testkit";
import {
  buildReferences,
  collectHistory,
  dateIn,
  type EnvironmentParties,
  loadDocuments,
  noonZone,
  openParties,
  provision,
  readUetrs,
  renderConfiguration,
  serviceEnvironment,
  timeIn,
} from "@sluice/environment";
import { type Fleet, startFleet } from "./fleet.ts";
import { untilAtRest } from "./at-rest.ts";
import { verifyRound } from "./verdict.ts";
import { otherLabels, type PlannedFault, type PlannedRound, type ProcessLabel, schedulerLabels } from "./plan.ts";
import { bankScripts, commonScript, createTraffic, type Traffic, windowsBanks } from "./traffic.ts";

export interface RoundPorts {
  readonly plan: PlannedRound;
  /** Randomness of what is sent. */
  readonly random: Random;
  readonly time: Time;
  /** Path of libfaketime; null for no wrong clocks. */
  readonly fakeTime: string | null;
  /** Folder for the evidence of a failed round, or of every round if `isKept`. */
  readonly evidenceFolder: string;
  readonly isKept: boolean;
  /** Environment variables, without addresses of servers that others use. */
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface RoundResult {
  readonly number: number;
  readonly creditsFinal: PlannedRound["creditsFinal"];
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<PlannedFault["kind"], number>>;
  /** Clock offsets by process, in milliseconds: as set, and as then read from the process. */
  readonly skews: readonly { readonly label: string; readonly setMs: number; readonly seenMs: number }[];
  readonly losses: readonly string[];
  readonly sent: number;
  /** Folder of the evidence; null if nothing was kept. */
  readonly evidence: string | null;
}

const leadMsMin = 9_000;
const leadMsMax = 40_000;
/** Starting services takes a few times as long as provisioning, on fast and slow machines alike. */
const leadPerProvisioning = 5;
const postingEndsBeforeCloseMs = 5_000;
/** libfaketime reads its file when more than a whole second has passed. */
const clockSeenAfterMs = 4_000;
const healAfterMs = 500;
const restLimitMs = 120_000;
/** A machine that cannot answer in time must not be asked more often. */
const slowRepeatMs = 5_000;

interface RoundEnvironment {
  readonly servers: Servers;
  readonly parties: EnvironmentParties;
  readonly recorded: MemoryRecorder;
  readonly store: Store;
  readonly fleet: Fleet;
  readonly startMs: number;
  readonly businessDate: string;
  readonly faults: FaultEntry[];
  readonly skews: RoundResult["skews"][number][];
  /** Present offset of each wrong clock. */
  readonly offsetsMs: Map<ProcessLabel, number>;
}

export async function playRound(ports: RoundPorts): Promise<RoundResult> {
  const { plan, time, signal, say } = ports;
  await using opened = new AsyncDisposableStack();
  const servers = await startServers({ storage: "memory", purpose: "trial", environment: ports.environment });
  opened.defer(() => servers.stop());
  const messaging = createKafkaMessaging({
    connection: { brokers: servers.kafkaBrokers.split(","), clientId: "trial" },
    time,
    logger: silentLogger,
  });
  opened.defer(() => messaging.close());
  const environment = await openRoundEnvironment(ports, servers, opened);
  signal.throwIfAborted();
  const { store, recorded, fleet, faults } = environment;
  const traffic = createTraffic({
    random: ports.random,
    time,
    banks: environment.parties.simulators,
    connector: environment.parties.connector.simulator,
    signal,
  });
  const refused = await playDay(ports, environment, traffic);
  signal.throwIfAborted();
  say("all faults are over; waiting until everything is at rest");
  const isAtRest = await untilAtRest({
    store,
    recorded,
    sent: traffic.sent,
    businessDate: environment.businessDate,
    time,
    signal,
    limitMs: restLimitMs,
  });
  signal.throwIfAborted();
  const serde = await createRegistrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const documents = await loadDocuments(store.transactions, await readUetrs(messaging));
  const history = [...(await collectHistory({ messaging, serde, requests: recorded.requests, documents })), ...faults];
  const verdict = verifyRound({ plannedDay: buildPlannedDay(plan, environment), creditsFinal: plan.creditsFinal, history });
  const problems = [...refused, ...(isAtRest ? [] : [`not at rest ${restLimitMs / 1_000} s after the last fault`]), ...verdict.problems];
  const isKept = problems.length > 0 || ports.isKept;
  const evidence = isKept ? await keep(ports, servers, history.map(formatEntry)) : null;
  const countFaults = (kind: PlannedFault["kind"]): number => plan.faults.filter((fault) => fault.kind === kind).length;
  return {
    number: plan.number,
    creditsFinal: plan.creditsFinal,
    problems,
    counts: verdict.counts,
    faults: { kill: countFaults("kill"), stop: countFaults("stop"), clock: ports.fakeTime === null ? 0 : countFaults("clock") },
    skews: environment.skews,
    losses: fleet.losses(),
    sent: traffic.sent.length,
    evidence,
  };
}

async function openRoundEnvironment(ports: RoundPorts, servers: Servers, opened: AsyncDisposableStack): Promise<RoundEnvironment> {
  const { plan, time, signal, say } = ports;
  const database = `sluice_trial_${time.nowMs()}`;
  const fromMs = time.monotonicMs();
  await provision(servers, database);
  const leadMs = Math.min(Math.max((time.monotonicMs() - fromMs) * leadPerProvisioning, leadMsMin), leadMsMax);
  const store = createMongoStore({ url: servers.mongoUrl, database, logger: silentLogger });
  opened.defer(() => store.close());
  const recorded = createMemoryRecorder();
  const parties = await openParties(windowsBanks, { recorder: recorded, script: commonScript, slowRepeatMs }, opened);
  for (const [id, rules] of Object.entries(bankScripts)) parties.simulators.get(id)?.addRules(rules);
  const startMs = Math.ceil((time.nowMs() + leadMs) / 1_000) * 1_000;
  const zone = noonZone(startMs);
  const local = (atMs: number): string => timeIn(zone, startMs + atMs);
  const windows = plan.windows.map(({ opensAtMs, closesAtMs }) => ({ opens: local(opensAtMs), closes: local(closesAtMs) }));
  const day = { zone, creditsFinal: plan.creditsFinal, version: 1, windows, reconciliation: local(plan.reconciliationAtMs) };
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, renderConfiguration(day, parties.banks(), parties.connector.access));
  const references = buildReferences([...parties.banks(), parties.connector.access]);
  const fleet = await startFleet({
    labels: [...schedulerLabels, ...otherLabels],
    environment: serviceEnvironment({ servers, configurationFile, database, references }),
    directory: servers.directory,
    fakeTime: ports.fakeTime,
    offsetsMs: plan.offsetsMs,
    time,
    signal,
  });
  opened.defer(() => fleet.stop());
  parties.callAt(fleet.ingressUrl);
  say(`services are up; ${plan.windows.length} windows from ${local(0)} (${zone}) on, credits final by ${plan.creditsFinal}`);
  return {
    servers,
    parties,
    recorded,
    store,
    fleet,
    startMs,
    businessDate: dateIn(zone, startMs),
    faults: [],
    skews: [],
    offsetsMs: new Map(),
  };
}

/** Plays the day, and returns what the system did not accept. */
async function playDay(ports: RoundPorts, environment: RoundEnvironment, traffic: Traffic): Promise<readonly string[]> {
  const { plan, time, signal, say } = ports;
  const { startMs, fleet } = environment;
  const until = (atMs: number): Promise<void> => sleep(time, Math.max(0, startMs + atMs - time.nowMs()), signal);
  const lastCloseMs = plan.windows.at(-1)?.closesAtMs ?? 0;

  async function declare(): Promise<readonly string[]> {
    if (plan.declaredAtMs === null) return [];
    await until(plan.declaredAtMs);
    if (signal.aborted) return [];
    say("the connector declares credits final");
    return await traffic.declareCreditsFinal(environment.businessDate);
  }

  async function announceWindows(): Promise<void> {
    for (const { number, opensAtMs } of plan.windows) {
      await until(opensAtMs);
      if (signal.aborted) return;
      if (number % 4 === 1) say(`window ${number} of ${plan.windows.length}; ${traffic.sent.length} debits and credits sent`);
    }
  }

  for (const label of [...schedulerLabels, ...otherLabels]) environment.offsetsMs.set(label, plan.offsetsMs[label] ?? 0);

  async function sampleClocks(): Promise<void> {
    for (const label of [...schedulerLabels, ...otherLabels]) {
      const setMs = plan.offsetsMs[label];
      if (setMs !== undefined && environment.offsetsMs.get(label) === setMs) await recordSkew(ports, environment, label, setMs);
    }
  }

  const faults = plan.faults.map(async (fault) => {
    await until(fault.atMs);
    if (!signal.aborted && !(fault.kind === "clock" && ports.fakeTime === null)) await injectFault(ports, environment, fault);
  });
  const [refusedCredits, refusedDebits, refusedDeclaration] = await Promise.all([
    traffic.sendCredits(),
    traffic.postUntil(startMs + lastCloseMs - postingEndsBeforeCloseMs),
    declare(),
    announceWindows(),
    sampleClocks(),
    ...faults,
  ]);
  await until(plan.reconciliationAtMs + healAfterMs);
  if (!signal.aborted) await fleet.heal();
  return [...refusedCredits, ...refusedDebits, ...refusedDeclaration];
}

async function injectFault(ports: RoundPorts, environment: RoundEnvironment, fault: PlannedFault): Promise<void> {
  const { time, signal, say } = ports;
  const { fleet } = environment;
  const { label, kind, forMs, offsetMs } = fault;
  const seconds = (forMs / 1_000).toFixed(1);
  const what = {
    kill: `SIGKILL ${label}, started again after ${seconds} s`,
    stop: `SIGSTOP ${label} for ${seconds} s`,
    clock: `the clock of ${label} is ${offsetMs / 1_000} s off from now on`,
  }[kind];
  say(what);
  environment.faults.push({ kind: "fault", atMs: time.nowMs(), what });
  if (kind === "clock") {
    environment.offsetsMs.set(label, offsetMs);
    await fleet.setClock(label, offsetMs);
    await sleep(time, clockSeenAfterMs, signal);
    return await recordSkew(ports, environment, label, offsetMs);
  }
  if (kind === "kill") await fleet.kill(label);
  else fleet.halt(label);
  await sleep(time, forMs, signal);
  if (signal.aborted) return;
  if (kind === "kill") await fleet.start(label);
  else fleet.resume(label);
}

/** Records nothing if the process does not answer, or if its clock was set again meanwhile. */
async function recordSkew({ fakeTime }: RoundPorts, environment: RoundEnvironment, label: ProcessLabel, setMs: number): Promise<void> {
  const seenMs = fakeTime === null ? null : await environment.fleet.skewMs(label);
  if (seenMs !== null && environment.offsetsMs.get(label) === setMs) environment.skews.push({ label, setMs, seenMs });
}

function buildPlannedDay({ windows, reconciliationAtMs }: PlannedRound, { startMs, businessDate }: RoundEnvironment): PlannedDay {
  return {
    day: `ZA_EFT:${businessDate}`,
    windows: windows.map(({ number, opensAtMs, closesAtMs }) => ({
      number,
      opensAtMs: startMs + opensAtMs,
      closesAtMs: startMs + closesAtMs,
    })),
    reconciliationAtMs: startMs + reconciliationAtMs,
  };
}

/** Returns the folder that holds the evidence. */
async function keep({ evidenceFolder, plan }: RoundPorts, servers: Servers, lines: readonly string[]): Promise<string> {
  const folder = join(evidenceFolder, `round-${plan.number}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "history.jsonl"), lines.map((line) => `${line}\n`).join(""));
  await writeFile(join(folder, "plan.json"), `${JSON.stringify(plan, null, 2)}\n`);
  await cp(servers.directory, folder, { recursive: true, filter: (path) => !/\/(kafka|mongo|registry)$/.test(path) });
  return folder;
}
