// All services unchanged in one process, on memory adapters, under a virtual clock and a seed.
//
// #1 Nothing here reads a real clock or real randomness: one seed is one run, to the last byte of every port call (`trace.ts`).
// #2 Processes die between any two of their effects and are started anew; calls are refused, answered late, or carried out with
//    the answer lost; partitions move; clocks differ. From `healAtMs` on nothing goes wrong any more.
// #3 The run ends when everything deliverable has been delivered and every transaction has ended, or at `endAtMs` (I16).
// #4 What is judged is the history: what banks sent and received, every record of every topic, and the snapshots.

import type { HistoryEntry, SnapshotEntry } from "@sluice/checker";
import { readRulesFolder } from "@sluice/config";
import type { SchemeTimes } from "@sluice/calendar";
import type { Configuration } from "@sluice/config";
import { fixedSerde, groups, topics } from "@sluice/contracts";
import { startDispatcher } from "@sluice/dispatcher";
import { startEventPublisher } from "@sluice/event-publisher";
import { startIngress } from "@sluice/ingress";
import { createMemoryLog } from "@sluice/messaging";
import type { MemoryLog, ProduceFate } from "@sluice/messaging";
import type { Random } from "@sluice/runtime";
import { startScheduler } from "@sluice/scheduler";
import { conservationOf, createMemoryStore } from "@sluice/store";
import type { Store, StoreFault } from "@sluice/store";
import { silentLog, silentMetrics } from "@sluice/telemetry";
import {
  createMemoryRecorder,
  createVirtualTime,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleScheme,
  seededRandom,
} from "@sluice/testkit";
import type { VirtualTime } from "@sluice/testkit";
import { startValidator } from "@sluice/validator";
import { createCluster } from "./cluster.ts";
import type { ProcessPorts } from "./cluster.ts";
import { undocumented } from "./documented.ts";
import { readHistory } from "./history.ts";
import { startOperators } from "./operators.ts";
import { bankIds, branches, connectorId, scenarioOf } from "./scenario.ts";
import type { DayTimes, Scenario } from "./scenario.ts";
import { startBanks } from "./simulated-network.ts";
import type { CrashPlan } from "./simulated-process.ts";
import { createTrace } from "./trace.ts";

/** 12:00:00 in the scheme's zone. */
export const startAtMs = Date.UTC(2026, 10, 20, 10, 0, 0);
/** Some credits end by it, before and after everything is healed. */
const creditDeadlineMs = 100_000;
const healAtMs = 110_000;
export const dayTimes: DayTimes = {
  postFromMs: 4_000,
  postUntilMs: 25_000,
  opensMs: 30_000,
  closesMs: 60_000,
  reconcilesMs: 80_000,
  healMs: healAtMs,
};
const endAtMs = 900_000;
const noCrashes: CrashPlan = { perCall: 0, freezePerCall: 0 };
/** A session is 6 s. */
const cutMaxMs = 14_000;
const cutsUntilMs = 85_000;
const stepsMax = 3_000_000;
export const lanes = 3;

export interface SimulationEnd {
  readonly seed: number;
  /** Fingerprint of the run. */
  readonly traceHash: string;
  readonly traceLines: number;
  readonly history: readonly HistoryEntry[];
  readonly crashes: readonly string[];
  /** What had not been delivered or ended when time was up; empty in a good run (I16). */
  readonly left: readonly string[];
  /** What was said over HTTP and is not in the OpenAPI document; empty in a good run. */
  readonly undocumented: readonly string[];
  /** For a failing run. */
  readonly tail: readonly string[];
}

interface World {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly configuration: Configuration;
  readonly log: MemoryLog;
  readonly store: Store;
}

/** The day that a seed draws. */
export function simulate(seed: number): Promise<SimulationEnd> {
  return play(seed, scenarioOf(seed, seededRandom(`scenario ${seed}`), dayTimes));
}

export async function play(seed: number, scenario: Scenario): Promise<SimulationEnd> {
  const time = createVirtualTime({ startAtMs, seed });
  const random = seededRandom(`world ${seed}`);
  const trace = createTrace(time);
  const isTroubled = (): boolean => time.nowMs() - startAtMs < healAtMs;
  const log = createMemoryLog({
    time,
    random,
    topics: Object.fromEntries(Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : lanes])),
    hooks: { produce: () => (isWithin(scenario.brokerAwayMs, time) ? { kind: "refuse" } : produceFate(scenario, random, isTroubled())) },
  });
  const store = createMemoryStore({ time, random, hooks: { fault: () => storeFault(scenario, random, isTroubled()) } });
  const world: World = { time, random, scenario, configuration: configurationOf(scenario), log, store };
  const crashes = (): CrashPlan => (isTroubled() ? { perCall: scenario.crashPerCall, freezePerCall: scenario.freezePerCall } : noCrashes);
  const cluster = createCluster({ time, random, log, trace, crashes, skewMaxMs: scenario.skewMaxMs });

  const recorder = createMemoryRecorder();
  const banks = startBanks({
    time,
    random,
    scenario,
    recorder,
    isTroubled,
    ingress: () => (isWithin(scenario.ingressAwayMs, time) ? [] : ingress.up()),
  });
  const ingress = cluster.run({ name: "ingress", instances: 1, start: async (ports) => startIngress(portsOf(world, ports)) });
  const others = [
    cluster.run({
      name: "validator",
      instances: scenario.away.includes("validator") ? 0 : scenario.instances,
      start: (ports) => startValidator({ ...portsOf(world, ports), rules: readRulesFolder(null) }),
    }),
    cluster.run({ name: "scheduler", instances: scenario.instances, start: (ports) => startScheduler(portsOf(world, ports)) }),
    cluster.run({
      name: "dispatcher",
      instances: scenario.away.includes("dispatcher") ? 0 : scenario.instances,
      start: (ports) => startDispatcher({ ...portsOf(world, ports), gateway: ports.process.through("gateway", banks.gateway) }),
    }),
    cluster.run({
      name: "event-publisher",
      instances: scenario.instances,
      start: (ports) => startEventPublisher({ ...portsOf(world, ports), gateway: ports.process.through("gateway", banks.gateway) }),
    }),
  ];
  const operators = startOperators({ time, random, log, store, lanes, startAtMs, businessDate, actions: scenario.actions });
  for (const planned of scenario.messages) time.after(planned.sendAtMs, () => banks.send(planned));
  planRebalances(world);
  for (let count = 0; count < scenario.cutsMax; count += 1) {
    time.after(random.fraction() * cutsUntilMs, () => cluster.cutOne(1_000 + random.fraction() * cutMaxMs, random.fraction() < 0.5));
  }

  await time.run({ untilMs: startAtMs + scenario.firstLookMs, stepsMax });
  let kept = await readHistory(log, store, time, lanes);
  const busy = (): number => banks.busy() + operators.busy();
  let left = unfinished(kept, recorder.receivedEntries(), busy());
  while (left.length > 0 && time.nowMs() - startAtMs < endAtMs) {
    await time.run({ untilMs: time.nowMs() + 5_000, stepsMax });
    kept = await readHistory(log, store, time, lanes);
    left = unfinished(kept, recorder.receivedEntries(), busy());
  }
  const history = [...recorder.requests.map(({ entry }) => entry), ...operators.entries(), ...kept];
  const stopping = Promise.all([ingress.stop(), ...others.map((replicas) => replicas.stop()), banks.stop()]);
  await time.run({ untilMs: time.nowMs() + 30_000, stepsMax });
  await stopping;
  left = [...left, ...(await unaccounted(world))];
  const said = undocumented(recorder.requests);
  const traced = { traceHash: trace.hash(), traceLines: trace.lines(), tail: trace.tail() };
  return { seed, ...traced, history, crashes: cluster.crashes, left, undocumented: said };
}

/** I11: what the ledgers and the documents do not agree on, in each day that a debit of the run may have. */
async function unaccounted({ store, time }: World): Promise<readonly string[]> {
  let isAnswered = false;
  const counting = Promise.all([playedDay, nextDay].map((day) => conservationOf(store, day))).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const days = await counting;
  if (days.every(({ rows }) => rows.length === 0)) return ["I11: nothing was counted"];
  return days.flatMap(({ day, lanes: counted }) =>
    counted.flatMap(({ lane, findings }) => findings.map((text) => `I11 ${day}, lane ${lane}: ${text}`)),
  );
}

/** Everything that still ought to happen, each in a few words. */
function unfinished(entries: readonly HistoryEntry[], received: readonly HistoryEntry[], busyParties: number): readonly string[] {
  const left: string[] = [];
  if (busyParties > 0) left.push(`${busyParties} requests of banks or operators under way`);
  const posted = new Set(received.map((entry) => (entry.kind === "received" && entry.status === 202 ? entry.webhookId : "")));
  for (const entry of entries) {
    if (entry.kind === "snapshot" && !ended.has(entry.state) && !isForAnotherDay(entry)) left.push(`${entry.uetr} is ${entry.state}`);
    if (entry.kind === "snapshot" && entry.items.some((item) => item.row === null)) left.push(`${entry.uetr} has an item without a row`);
    if (entry.kind !== "record") continue;
    const dispatched = entry.type === "Dispatch" ? String(entry.value["messageIdentification"]) : "";
    if (outcomePattern.test(dispatched) && !posted.has(dispatched)) left.push(`the connector was not told ${dispatched}`);
    if (entry.type !== "TransactionStateEvent" && entry.type !== "EsmStateEvent") continue;
    if (!posted.has(String(entry.value["id"]))) left.push(`event ${String(entry.value["id"])} of ${entry.key ?? ""} was not received`);
  }
  return left;
}

/** A debit that came after the cut-off is for the next day, beyond this run; its bank may be one that never acknowledges. */
function isForAnotherDay(entry: SnapshotEntry): boolean {
  return (entry.state === "HELD" || entry.state === "ACCEPTED") && entry.closesWith !== playedDay;
}

const businessDate = "2026-11-20";
const playedDay = `ZA_EFT:${businessDate}`;
const nextDay = "ZA_EFT:2026-11-21";
const ended = new Set([
  "REJECTION_REPORTED",
  "COMPLETED",
  "UNPAID",
  "RECONCILIATION",
  "ORPHAN",
  "CREDIT_AUTH_REJECTED",
  "CREDIT_AUTH_RESPONSE_ACCEPTED",
  "CREDIT_AUTH_DELIVERY_FAILURE",
  "CREDIT_AUTH_RECONCILIATION",
]);
/** What a connector is told. */
const outcomePattern = /^[0-9a-f]{32}O\d$/;

function portsOf(world: World, ports: ProcessPorts) {
  return {
    time: ports.time,
    random: ports.random,
    log: silentLog,
    metrics: silentMetrics,
    messaging: ports.messaging,
    store: ports.process.through("store", world.store),
    serde: fixedSerde(),
    configuration: world.configuration,
    lanes,
    fail: ports.fail,
  };
}

/** Windows 12:00:30 to 12:01:00, reconciliation 12:01:20; rejected debits end with the next day's close, an hour or more away. */
function configurationOf({ creditsFinal, esmBank, onMissedWindow, maxUnacknowledged, reconciliation }: Scenario): Configuration {
  const times: SchemeTimes = {
    calendar: { version: "simulation", zone: "+02:00", workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] },
    processing: [{ opens: "12:00:30", closes: "12:01:00" }],
    reconciliation,
    cutOffMs: 1_000,
  };
  return sampleConfiguration({
    banks: bankIds.map((id) =>
      sampleBank({
        id,
        branch: branches[id],
        onUsOutcomeReport: id === "second",
        maxUnacknowledged,
        eventClasses: id === esmBank ? ["TRANSACTION_STATE", "ESM_STATE"] : ["TRANSACTION_STATE"],
      }),
    ),
    connectors: [sampleConnector({ id: connectorId })],
    schemes: [sampleScheme({ times, creditsFinal, creditDeadlineMs, onMissedWindow })],
  });
}

function produceFate(scenario: Scenario, random: Random, isTroubled: boolean): ProduceFate {
  if (!isTroubled || random.fraction() >= scenario.produceTrouble) return { kind: "append" };
  const draw = random.fraction();
  if (draw < 0.25) return { kind: "refuse" };
  if (draw < 0.5) return { kind: "lose-answer" };
  if (draw < 0.75) return { kind: "unknown" };
  return { kind: "append", delayMs: random.fraction() * 1_500 };
}

function isWithin(span: readonly [number, number] | null, time: VirtualTime): boolean {
  const elapsedMs = time.nowMs() - startAtMs;
  return span !== null && span[0] <= elapsedMs && elapsedMs < span[1];
}

function storeFault(scenario: Scenario, random: Random, isTroubled: boolean): StoreFault {
  if (!isTroubled || random.fraction() >= scenario.storeTrouble) return "none";
  const kinds: readonly StoreFault[] = ["down", "ambiguous", "torn", "slow"];
  return kinds[Math.floor(random.fraction() * kinds.length)] ?? "none";
}

function planRebalances(world: World): void {
  const names = Object.values(groups);
  for (let count = 0; count < world.scenario.rebalancesMax; count += 1) {
    const group = names[Math.floor(world.random.fraction() * names.length)] ?? groups.scheduler;
    world.time.after(world.random.fraction() * healAtMs, () => world.log.rebalance(group));
  }
}
