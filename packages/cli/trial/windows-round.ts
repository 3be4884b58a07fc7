// One round of windows: a business day on fresh servers, with faults as planned, played to its end and judged.
//
// 1. What is opened is closed, in reverse, also when the round fails or is interrupted.
// 2. Debits come from before the first opening until shortly before the last close. Faults end at the reconciliation; the round is over when all
//    that was sent has come to rest, or when the time for that is over: then the checker says what is missing.
// 3. A round with problems leaves its history, logs and configuration.

import { cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatEntry } from "@sluice/checker";
import type { FaultEntry, PlannedDay } from "@sluice/checker";
import { registrySerde } from "@sluice/contracts";
import { startServers } from "@sluice/local-servers";
import type { Servers } from "@sluice/local-servers";
import { createKafkaMessaging } from "@sluice/messaging";
import { sleep } from "@sluice/runtime";
import type { Random, Time } from "@sluice/runtime";
import { createMongoStore } from "@sluice/store";
import type { Store } from "@sluice/store";
import { silentLog } from "@sluice/telemetry";
import { createMemoryRecorder } from "@sluice/testkit";
import type { MemoryRecorder } from "@sluice/testkit";
import { collectHistory, loadDocuments } from "../demo/history.ts";
import { dateIn, noonZone, timeIn } from "../demo/noon-zone.ts";
import { provision } from "../provision.ts";
import { serviceEnvironment } from "../service-environment.ts";
import { referencesOf, worldConfiguration } from "../world/configuration.ts";
import { openParties } from "../world/parties.ts";
import type { WorldParties } from "../world/parties.ts";
import { uetrsOf } from "../world/uetrs.ts";
import { startFleet } from "./fleet.ts";
import type { Fleet } from "./fleet.ts";
import { untilAtRest } from "./at-rest.ts";
import { judgeRound } from "./windows-judge.ts";
import { otherLabels, schedulerLabels } from "./windows-plan.ts";
import type { Label, PlannedFault, PlannedRound } from "./windows-plan.ts";
import { createTraffic, scriptOfAll, scripts, trialBanks } from "./windows-traffic.ts";
import type { Traffic } from "./windows-traffic.ts";

export interface RoundPorts {
  readonly plan: PlannedRound;
  /** Of what is sent. */
  readonly random: Random;
  readonly time: Time;
  /** Of libfaketime; null: no wrong clocks. */
  readonly fakeTime: string | null;
  /** Where the evidence of a bad round, or of one to be kept, is put. */
  readonly evidenceFolder: string;
  readonly isKept: boolean;
  /** Without addresses of servers that others use. */
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
  /** By how much clocks were seen to be off, milliseconds, by process; of what was set before it was looked at. */
  readonly skews: readonly { readonly label: string; readonly setMs: number; readonly seenMs: number }[];
  readonly losses: readonly string[];
  readonly sent: number;
  /** Null: nothing was kept. */
  readonly evidence: string | null;
}

const leadMsMin = 9_000;
const leadMsMax = 40_000;
/** Starting services takes a few times as long as provisioning, on machines slow and fast. */
const leadPerProvisioning = 5;
const postingEndsBeforeCloseMs = 5_000;
/** libfaketime looks at its file when more than a whole second has passed. */
const clockSeenAfterMs = 4_000;
const healAfterMs = 500;
const restLimitMs = 120_000;
/** A machine that cannot answer in time is not to be asked more often. */
const slowRepeatMs = 5_000;

interface Ground {
  readonly servers: Servers;
  readonly parties: WorldParties;
  readonly recorded: MemoryRecorder;
  readonly store: Store;
  readonly fleet: Fleet;
  readonly startMs: number;
  readonly businessDate: string;
  readonly faults: FaultEntry[];
  readonly skews: RoundResult["skews"][number][];
  /** What each wrong clock is set to now. */
  readonly offsetsMs: Map<Label, number>;
}

export async function playRound(ports: RoundPorts): Promise<RoundResult> {
  const { plan, time, signal, say } = ports;
  await using opened = new AsyncDisposableStack();
  const servers = await startServers({ storage: "memory", purpose: "trial", environment: ports.environment });
  opened.defer(() => servers.stop());
  const messaging = createKafkaMessaging({
    connection: { brokers: servers.kafkaBrokers.split(","), clientId: "trial" },
    time,
    log: silentLog,
  });
  opened.defer(() => messaging.close());
  const ground = await openGround(ports, servers, opened);
  signal.throwIfAborted();
  const { store, recorded, fleet, faults } = ground;
  const traffic = createTraffic({
    random: ports.random,
    time,
    banks: ground.parties.simulators,
    connector: ground.parties.connector.simulator,
    signal,
  });
  const refused = await playDay(ports, ground, traffic);
  signal.throwIfAborted();
  say("all faults are over; waiting until everything is at rest");
  const isAtRest = await untilAtRest({
    store,
    recorded,
    sent: traffic.sent,
    businessDate: ground.businessDate,
    time,
    signal,
    limitMs: restLimitMs,
  });
  signal.throwIfAborted();
  const serde = await registrySerde({ url: servers.schemaRegistryUrl, time, signal });
  const documents = await loadDocuments(store.transactions, await uetrsOf(messaging));
  const history = [...(await collectHistory({ messaging, serde, requests: recorded.requests, documents })), ...faults];
  const verdict = judgeRound({ plannedDay: plannedDayOf(plan, ground), creditsFinal: plan.creditsFinal, history });
  const problems = [...refused, ...(isAtRest ? [] : [`not at rest ${restLimitMs / 1_000} s after the last fault`]), ...verdict.problems];
  const isKept = problems.length > 0 || ports.isKept;
  const evidence = isKept ? await keep(ports, servers, history.map(formatEntry)) : null;
  const countOf = (kind: PlannedFault["kind"]): number => plan.faults.filter((fault) => fault.kind === kind).length;
  return {
    number: plan.number,
    creditsFinal: plan.creditsFinal,
    problems,
    counts: verdict.counts,
    faults: { kill: countOf("kill"), stop: countOf("stop"), clock: ports.fakeTime === null ? 0 : countOf("clock") },
    skews: ground.skews,
    losses: fleet.losses(),
    sent: traffic.sent.length,
    evidence,
  };
}

async function openGround(ports: RoundPorts, servers: Servers, opened: AsyncDisposableStack): Promise<Ground> {
  const { plan, time, signal, say } = ports;
  const database = `sluice_trial_${time.nowMs()}`;
  const fromMs = time.monotonicMs();
  await provision(servers, database);
  const leadMs = Math.min(Math.max((time.monotonicMs() - fromMs) * leadPerProvisioning, leadMsMin), leadMsMax);
  const store = createMongoStore({ url: servers.mongoUrl, database, log: silentLog });
  opened.defer(() => store.close());
  const recorded = createMemoryRecorder();
  const parties = await openParties(trialBanks, { recorder: recorded, script: scriptOfAll, slowRepeatMs }, opened);
  for (const [id, rules] of Object.entries(scripts)) parties.simulators.get(id)?.script(rules);
  const startMs = Math.ceil((time.nowMs() + leadMs) / 1_000) * 1_000;
  const zone = noonZone(startMs);
  const local = (atMs: number): string => timeIn(zone, startMs + atMs);
  const windows = plan.windows.map(({ opensAtMs, closesAtMs }) => ({ opens: local(opensAtMs), closes: local(closesAtMs) }));
  const day = { zone, creditsFinal: plan.creditsFinal, version: 1, windows, reconciliation: local(plan.reconciliationAtMs) };
  const configurationFile = join(servers.directory, "sluice.yaml");
  await writeFile(configurationFile, worldConfiguration(day, parties.banks(), parties.connector.access));
  const references = referencesOf([...parties.banks(), parties.connector.access]);
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

/** Answers what was not accepted. */
async function playDay(ports: RoundPorts, ground: Ground, traffic: Traffic): Promise<readonly string[]> {
  const { plan, time, signal, say } = ports;
  const { startMs, fleet } = ground;
  const until = (atMs: number): Promise<void> => sleep(time, Math.max(0, startMs + atMs - time.nowMs()), signal);
  const lastCloseMs = plan.windows.at(-1)?.closesAtMs ?? 0;

  async function declare(): Promise<readonly string[]> {
    if (plan.declaredAtMs === null) return [];
    await until(plan.declaredAtMs);
    if (signal.aborted) return [];
    say("the connector declares credits final");
    return await traffic.declareCreditsFinal(ground.businessDate);
  }

  async function tell(): Promise<void> {
    for (const { number, opensAtMs } of plan.windows) {
      await until(opensAtMs);
      if (signal.aborted) return;
      if (number % 4 === 1) say(`window ${number} of ${plan.windows.length}; ${traffic.sent.length} debits and credits sent`);
    }
  }

  for (const label of [...schedulerLabels, ...otherLabels]) ground.offsetsMs.set(label, plan.offsetsMs[label] ?? 0);

  async function look(): Promise<void> {
    for (const label of [...schedulerLabels, ...otherLabels]) {
      const setMs = plan.offsetsMs[label];
      if (setMs !== undefined && ground.offsetsMs.get(label) === setMs) await seeSkew(ports, ground, label, setMs);
    }
  }

  const faults = plan.faults.map(async (fault) => {
    await until(fault.atMs);
    if (!signal.aborted && !(fault.kind === "clock" && ports.fakeTime === null)) await carryOut(ports, ground, fault);
  });
  const [refusedCredits, refusedDebits, refusedDeclaration] = await Promise.all([
    traffic.sendCredits(),
    traffic.postUntil(startMs + lastCloseMs - postingEndsBeforeCloseMs),
    declare(),
    tell(),
    look(),
    ...faults,
  ]);
  await until(plan.reconciliationAtMs + healAfterMs);
  if (!signal.aborted) await fleet.heal();
  return [...refusedCredits, ...refusedDebits, ...refusedDeclaration];
}

async function carryOut(ports: RoundPorts, ground: Ground, fault: PlannedFault): Promise<void> {
  const { time, signal, say } = ports;
  const { fleet } = ground;
  const { label, kind, forMs, offsetMs } = fault;
  const seconds = (forMs / 1_000).toFixed(1);
  const what = {
    kill: `SIGKILL ${label}, started again after ${seconds} s`,
    stop: `SIGSTOP ${label} for ${seconds} s`,
    clock: `the clock of ${label} is ${offsetMs / 1_000} s off from now on`,
  }[kind];
  say(what);
  ground.faults.push({ kind: "fault", atMs: time.nowMs(), what });
  if (kind === "clock") {
    ground.offsetsMs.set(label, offsetMs);
    await fleet.setClock(label, offsetMs);
    await sleep(time, clockSeenAfterMs, signal);
    return await seeSkew(ports, ground, label, offsetMs);
  }
  if (kind === "kill") await fleet.kill(label);
  else fleet.halt(label);
  await sleep(time, forMs, signal);
  if (signal.aborted) return;
  if (kind === "kill") await fleet.start(label);
  else fleet.resume(label);
}

/** Nothing is noted where the process gives no answer, or was given another clock meanwhile. */
async function seeSkew({ fakeTime }: RoundPorts, ground: Ground, label: Label, setMs: number): Promise<void> {
  const seenMs = fakeTime === null ? null : await ground.fleet.skewMs(label);
  if (seenMs !== null && ground.offsetsMs.get(label) === setMs) ground.skews.push({ label, setMs, seenMs });
}

function plannedDayOf({ windows, reconciliationAtMs }: PlannedRound, { startMs, businessDate }: Ground): PlannedDay {
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

/** Answers where it lies. */
async function keep({ evidenceFolder, plan }: RoundPorts, servers: Servers, lines: readonly string[]): Promise<string> {
  const folder = join(evidenceFolder, `round-${plan.number}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "history.jsonl"), lines.map((line) => `${line}\n`).join(""));
  await writeFile(join(folder, "plan.json"), `${JSON.stringify(plan, null, 2)}\n`);
  await cp(servers.directory, folder, { recursive: true, filter: (path) => !/\/(kafka|mongo|registry)$/.test(path) });
  return folder;
}
