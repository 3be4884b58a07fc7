// Simulates all services, unchanged, in one process on memory adapters, under a virtual clock and a seed.
//
// #1 Nothing reads a real clock or real randomness. One seed is one run, to the last byte of every port call
//    (`trace.ts`).
// #2 Processes die between any two of their effects and are restarted. Calls are refused, answered late, or take effect
//    with the answer lost. Partitions move, batches cannot be read for a while, and clocks differ. The store goes back
//    to an older point, readings get nothing for a while or end early, and brokers' clocks step back. Somebody else
//    writes bytes that nobody can read, and an operator replays what they quarantine. No fault is injected from
//    `healAtMs` on.
// #3 The run ends when every delivery and every transaction has ended, or at `lastLookMs` (I16).
// #4 The checker examines the history: what banks sent and received, every record of every topic, and the snapshots.
// #5 In every third run personal data is sealed, each process has to ask for its keys, and nothing else changes.
// #6 In every second run, calm or troubled, operators' records must be signed, and nothing else changes.
// #7 Where a scenario says so, retention takes what is old from every topic that is not kept for ever
//    (`log-and-store/retention.ts`).

import type { HistoryEntry, SnapshotEntry } from "@sluice/checker";
import { type Configuration, readRulesFolder } from "@sluice/config";
import type { SchemeTimes } from "@sluice/calendar";
import { groups, type Serde, topics } from "@sluice/contracts";
import { startConsole } from "@sluice/console";
import { startDispatcher } from "@sluice/dispatcher";
import { startEventPublisher } from "@sluice/event-publisher";
import { startIngress } from "@sluice/ingress";
import { createMemoryBroker, type MemoryBroker, type OutgoingRecord } from "@sluice/messaging";
import { machineTime, type Random, silentLogger, silentMetrics, type Time } from "@sluice/kernel";
import { startScheduler } from "@sluice/scheduler";
import { createDataKeys, createSealingSerde, type DataKeys, type KeyService } from "@sluice/secrecy";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { checkConservation, createMemoryStore, type MemoryStore, type MemoryStoreHooks, type StoreFault } from "@sluice/store";
import {
  createMemoryRecorder,
  createVirtualTime,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleOperator,
  sampleScheme,
  seededRandom,
  type VirtualTime,
} from "@sluice/testkit";
import { startValidator } from "@sluice/validator";
import { type BrokerUses, watchBrokerUses } from "./findings/broker-uses.ts";
import { type CipherUse, countCipherUses } from "./findings/cipher-uses.ts";
import { createCluster, type SimulatedProcessPorts } from "./cluster.ts";
import { findUndocumented } from "./findings/undocumented.ts";
import { brokerClocks, fetchFate, planStoreGoingBack, produceFate, storeFault } from "./log-and-store/faults.ts";
import { repairOperator, startForeignRecords } from "./foreign-records.ts";
import { findUnhandled, readHistory, simulatedSerde } from "./read-history.ts";
import { findRenderedOtherwise } from "./rendered-again.ts";
import { withRetention } from "./log-and-store/retention.ts";
import { startSimulatedRebuild } from "./simulated-rebuild.ts";
import { simulatedSignatures, startSimulatedOperators } from "./operators.ts";
import { simulatedBankIds, simulatedBranches, simulatedConnectorId } from "./messages.ts";
import { drawScenario, type Scenario, type SimulatedDayTimes } from "./scenario.ts";
import { startSimulatedParties } from "./simulated-network.ts";
import type { CrashPlan } from "./simulated-process.ts";
import { createTrace, type Trace } from "./trace.ts";
import { type SimulatedUpdate, startSimulatedUpdate } from "./two-releases.ts";

/** Milliseconds until a credit's deadline; some credits end by it, before and after the faults end. */
const creditDeadlineMs = 100_000;
const healAtMs = 110_000;
export const simulatedDayTimes: SimulatedDayTimes = {
  postFromMs: 4_000,
  postUntilMs: 25_000,
  opensMs: 30_000,
  closesMs: 60_000,
  reconcilesMs: 80_000,
  healMs: healAtMs,
};
const noCrashes: CrashPlan = { perCall: 0, freezePerCall: 0 };
/** Milliseconds of a cut at most; a session lasts 6 s. */
export const cutMaxMs = 14_000;
const cutsUntilMs = 85_000;
const stepsMax = 3_000_000;

export interface SimulationEnd {
  readonly seed: number;
  readonly scenario: Scenario;
  /** The fingerprint of the run. */
  readonly traceHash: string;
  readonly traceLines: number;
  readonly history: readonly HistoryEntry[];
  readonly crashes: readonly string[];
  /** Deliveries and transactions that had not ended at the time limit; empty in a good run (I16). */
  readonly unfinished: readonly string[];
  /** Requests and answers that the OpenAPI document does not describe; empty in a good run. */
  readonly undocumented: readonly string[];
  /** Each kind of fault that a produce, a reading or a call of the store met, once. */
  readonly fates: ReadonlySet<string>;
  readonly uses: Pick<BrokerUses, "used" | "forbidden">;
  /** How many records retention took. */
  readonly taken: number;
  /** The last lines of the trace, for a failing run. */
  readonly tail: readonly string[];
}

interface SimulatedEnvironment {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly scenario: Scenario;
  readonly configuration: Configuration;
  readonly broker: MemoryBroker;
  readonly store: MemoryStore;
  /** #5; null: this run seals nothing. */
  readonly keys: KeyService | null;
  readonly meter: SimulationMeter | null;
}

/** Simulates the day that a seed draws. */
export function simulate(seed: number): Promise<SimulationEnd> {
  return simulateScenario(seed, drawScenario(seed, seededRandom(`scenario ${seed}`), simulatedDayTimes));
}

/** Sees what the services ask of broker and store. */
export interface SimulationMeter {
  /** One request with the records of a batch. */
  produced(process: string, batch: readonly OutgoingRecord[]): void;
  /** A commit of one partition; those of one process at one moment go in one request. */
  committed(process: string, atMs: number): void;
  /** A call of the store, for example `transactions.write`. */
  called(process: string, operation: string): void;
  /** What a call writes to the store, in characters of JSON. */
  wrote(characters: number): void;
  /** Personal data was sealed, or opened. */
  usedCipher(process: string, use: CipherUse): void;
}

export async function simulateScenario(seed: number, scenario: Scenario, meter: SimulationMeter | null = null): Promise<SimulationEnd> {
  const { partitionCount } = scenario;
  const { startAtMs, played, next, night } = scenario.dates;
  const time = createVirtualTime({ startAtMs, seed });
  const random = seededRandom(`environment ${seed}`);
  const trace = meter === null ? createTrace(time) : createMeteredTrace(meter);
  const elapsedMs = (): number => time.nowMs() - startAtMs;
  const eveningAtMs = night?.untilMs ?? 0;
  const isTroubled = (): boolean => elapsedMs() < healAtMs || (elapsedMs() >= eveningAtMs && elapsedMs() < eveningAtMs + healAtMs);
  const fates = new Set<string>();
  const uses = watchBrokerUses();
  const met = <F extends string>(port: string, fate: F): F => {
    fates.add(`${port} ${fate}`);
    return fate;
  };
  const memoryBroker = createMemoryBroker({
    time,
    random,
    topics: Object.fromEntries(Object.values(topics).map((topic) => [topic, topic === topics.probe ? 1 : partitionCount])),
    brokerNowMs: brokerClocks(scenario, time, startAtMs),
    hooks: {
      produce(client, batch) {
        meter?.produced(client, batch);
        if (isWithin(scenario.brokerAwayMs, time)) return { kind: "refuse" };
        const fate = produceFate(scenario, random, isTroubled());
        met("produce", fate.kind);
        return fate;
      },
      observe(client, operation, key) {
        uses.observe(client, operation, key);
        if (operation === "commit") meter?.committed(client, time.monotonicMs());
      },
      fetch: () => met("fetch", fetchFate(scenario, random, { elapsedMs: elapsedMs(), isTroubled: isTroubled() })),
    },
  });
  const { broker, takenCount } = withRetention(memoryBroker, { time, partitionCount, retentionMs: scenario.retentionMs });
  const storeFate = (): StoreFault => met("store", storeFault(scenario, random, isTroubled()));
  const store = createMemoryStore({
    time,
    random,
    hooks: { fault: storeFate, ...(meter === null ? {} : { observe: meterWrites(meter) }) },
  });
  const keys = seed % 3 === 1 ? createMemoryKeyService(String(seed)) : null;
  const signing = seed % 4 < 2 ? simulatedSignatures : null;
  const operatorSignatures = signing?.settings ?? null;
  const configuration = { ...buildConfiguration(scenario), sealPersonalData: keys !== null, operatorSignatures };
  const environment: SimulatedEnvironment = { time, random, scenario, configuration, broker, store, keys, meter };
  // The checker has the keys too, and asks for them outside of the run's time.
  const examining = sealingSerde(keys, machineTime);
  const crashes = (): CrashPlan => (isTroubled() ? { perCall: scenario.crashPerCall, freezePerCall: scenario.freezePerCall } : noCrashes);
  const cluster = createCluster({ time, random, broker, trace, crashes, skewMaxMs: scenario.skewMaxMs });

  const recorder = createMemoryRecorder();
  const banks = startSimulatedParties({
    time,
    random,
    scenario,
    recorder,
    isTroubled,
    ingress: () => (isWithin(scenario.ingressAwayMs, time) ? [] : ingress.up()),
  });
  const ingress = cluster.run({
    name: "ingress",
    instances: scenario.ingressInstances,
    start: async (ports) => startIngress(servicePorts(environment, ports)),
  });
  const update = startSimulatedUpdate(scenario.update, time);
  const schedulers = cluster.run({
    name: "scheduler",
    instances: scenario.instances,
    start: (ports) => startScheduler(schedulerPorts(environment, ports, update)),
  });
  update.run(schedulers);
  const others = [
    schedulers,
    cluster.run({
      name: "validator",
      instances: scenario.absentServices.includes("validator") ? 0 : scenario.instances,
      start: (ports) => startValidator({ ...servicePorts(environment, ports), rules: readRulesFolder(null) }),
    }),
    cluster.run({
      name: "dispatcher",
      instances: scenario.absentServices.includes("dispatcher") ? 0 : scenario.instances,
      start: (ports) => startDispatcher({ ...servicePorts(environment, ports), gateway: ports.process.through("gateway", banks.gateway) }),
    }),
    cluster.run({
      name: "event-publisher",
      instances: scenario.instances,
      start: (ports) =>
        startEventPublisher({ ...servicePorts(environment, ports), gateway: ports.process.through("gateway", banks.gateway) }),
    }),
  ];
  const operators = startSimulatedOperators({
    time,
    random,
    broker,
    store,
    partitionCount,
    startAtMs,
    businessDate: played[0] ?? "",
    actions: scenario.actions,
    sign: (record) => signing?.sign(record) ?? record,
  });
  const isRepaired = scenario.foreignRecords.length > 0;
  const desk = isRepaired
    ? cluster.run({
        name: "console",
        instances: 1,
        start: (ports) => startConsole({ ...servicePorts(environment, ports), operatorKey: () => signing?.key ?? null }),
      })
    : null;
  const { foreignRecords: foreigners } = scenario;
  const foreign = startForeignRecords({ time, random, broker, store, partitionCount, startAtMs, records: foreigners, console: desk });
  for (const planned of scenario.messages) time.after(planned.sendAtMs, () => banks.send(planned));
  planRebalances(environment);
  planUnreadable(environment);
  planStoreGoingBack(scenario, time, store, () => trace.add("store", "store", met("store", "gone-back"), []));
  const rebuild = startSimulatedRebuild({ cluster, atMs: scenario.rebuildAtMs, time, ports: (ports) => servicePorts(environment, ports) });
  for (let count = 0; count < scenario.cutsMax; count += 1) {
    time.after(random.fraction() * cutsUntilMs, () => cluster.cutOne(1_000 + random.fraction() * cutMaxMs, random.fraction() < 0.5));
  }
  if (night !== null) time.after(night.fromMs, () => cluster.stopAll(night.untilMs - night.fromMs));

  await time.run({ untilMs: startAtMs + scenario.firstLookMs, stepsMax });
  let records = await readHistory(broker, store, time, partitionCount, examining);
  const pendingCount = (): number => banks.pendingCount() + operators.pendingCount() + rebuild.pendingCount() + foreign.pendingCount();
  const days = played.map(dayOf);
  const look = async (): Promise<readonly string[]> => [
    ...findUnfinished(records, recorder.receivedEntries(), { days, busyParties: pendingCount() }),
    ...(await findUnhandled(broker, store, time, partitionCount)),
  ];
  let remaining = await look();
  while (remaining.length > 0 && elapsedMs() < eveningAtMs + scenario.lastLookMs) {
    await time.run({ untilMs: time.nowMs() + 5_000, stepsMax });
    records = await readHistory(broker, store, time, partitionCount, examining);
    remaining = await look();
  }
  const history = [...recorder.requests.map(({ entry }) => entry), ...operators.entries(), ...foreign.entries(), ...records];
  const services = [ingress, ...others, ...(desk === null ? [] : [desk])];
  const stopping = Promise.all([...services.map((replicas) => replicas.stop()), rebuild.stop(), banks.stop()]);
  await time.run({ untilMs: time.nowMs() + 30_000, stepsMax });
  await stopping;
  const unaccounted = await findUnaccounted(environment, [...days, dayOf(next)]);
  remaining = [...remaining, ...update.wrong(), ...unaccounted, ...(await findRenderedOtherwise({ ...environment, serde: examining }))];
  const undocumentedRequests = findUndocumented(recorder.requests);
  const traced = { traceHash: trace.hash(), traceLines: trace.lines(), tail: trace.tail() };
  const found = { crashes: cluster.crashes, unfinished: remaining, undocumented: undocumentedRequests, fates, uses, taken: takenCount() };
  return { seed, scenario, ...traced, history, ...found };
}

/** A trace that keeps no fingerprint, which takes longer than the run: it only counts calls of the store. */
function createMeteredTrace(meter: SimulationMeter): Trace {
  return {
    add(process, port, operation) {
      if (port === "store" || port.startsWith("store.")) meter.called(process, `${port}.${operation}`.slice("store.".length));
    },
    lines: () => 0,
    hash: () => "",
    tail: () => [],
  };
}

function meterWrites(meter: SimulationMeter): NonNullable<MemoryStoreHooks["observe"]> {
  return (call) => {
    if (call.isWrite) meter.wrote(call.payload().length);
  };
}

/** Finds where ledgers and documents disagree (I11), for each day that a debit of the run may have. */
async function findUnaccounted({ store, time }: SimulatedEnvironment, keys: readonly string[]): Promise<readonly string[]> {
  let isAnswered = false;
  const counting = Promise.all(keys.map((day) => checkConservation(store, day))).finally(() => (isAnswered = true));
  await time.run({ until: () => isAnswered, stepsMax });
  const days = await counting;
  if (days.every(({ rows }) => rows.length === 0)) return ["I11: nothing was counted"];
  return days.flatMap(({ day, partitions: counted }) =>
    counted.flatMap(({ partition, findings }) => findings.map((text) => `I11 ${day}, partition ${partition}: ${text}`)),
  );
}

/** Describes all unfinished work, each item in a few words. */
function findUnfinished(
  entries: readonly HistoryEntry[],
  received: readonly HistoryEntry[],
  { days, busyParties }: { readonly days: readonly string[]; readonly busyParties: number },
): readonly string[] {
  const remaining: string[] = [];
  if (busyParties > 0) remaining.push(`${busyParties} requests of banks or operators, or a rebuild, under way`);
  const acknowledged = new Set(received.map((entry) => (entry.kind === "received" && entry.status === 202 ? entry.webhookId : "")));
  for (const entry of entries) {
    if (entry.kind === "snapshot" && !ended.has(entry.state) && !isForAnotherDay(entry, days))
      remaining.push(`${entry.uetr} is ${entry.state}`);
    if (entry.kind === "snapshot" && entry.items.some((item) => item.row === null))
      remaining.push(`${entry.uetr} has an item without a row`);
    if (entry.kind !== "record") continue;
    const dispatched = entry.type === "Dispatch" ? String(entry.value["messageIdentification"]) : "";
    if (outcomePattern.test(dispatched) && !acknowledged.has(dispatched)) remaining.push(`the connector did not acknowledge ${dispatched}`);
    if (entry.type !== "TransactionStateEvent" && entry.type !== "EsmStateEvent") continue;
    if (!acknowledged.has(String(entry.value["id"])))
      remaining.push(`event ${String(entry.value["id"])} of ${entry.key ?? ""} was not received`);
  }
  return remaining;
}

/**
 * True for a debit of the date after the last close. Its bank may never acknowledge, and after midnight its early
 * window may have released it.
 */
function isForAnotherDay({ state, reconciliationDay }: SnapshotEntry, days: readonly string[]): boolean {
  return ["HELD", "ACCEPTED", "RELEASED", "DELIVERED"].includes(state) && !days.includes(reconciliationDay ?? "");
}

const dayOf = (date: string): string => `ZA_EFT:${date}`;
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
/** The identification of an outcome report to a connector. */
const outcomePattern = /^[0-9a-f]{32}O\d$/;

function servicePorts(environment: SimulatedEnvironment, ports: SimulatedProcessPorts) {
  const { meter } = environment;
  const watch = (keys: DataKeys): DataKeys =>
    meter === null ? keys : countCipherUses(keys, (use) => meter.usedCipher(ports.process.name, use));
  return {
    time: ports.time,
    random: ports.random,
    logger: silentLogger,
    metrics: silentMetrics,
    messaging: ports.messaging,
    store: ports.process.through("store", environment.store),
    serde: sealingSerde(environment.keys, ports.time, watch),
    configuration: environment.configuration,
    partitionCount: environment.configuration.partitionCount,
    fail: ports.fail,
  };
}

/** #5 */
function sealingSerde(service: KeyService | null, time: Time, watch: (keys: DataKeys) => DataKeys = (keys) => keys): Serde {
  return service === null ? simulatedSerde : createSealingSerde({ serde: simulatedSerde, keys: watch(createDataKeys({ service, time })) });
}

function schedulerPorts(environment: SimulatedEnvironment, ports: SimulatedProcessPorts, update: SimulatedUpdate) {
  const rulesVersion = update.versionOf(ports.instance);
  const store = ports.process.through("store", update.watch(environment.store, rulesVersion));
  const { pages } = environment.scenario;
  return { ...servicePorts(environment, ports), rulesVersion, store, ...(pages === null ? {} : { pages }) };
}

/** Rejected debits end with the next day's close. */
function buildConfiguration({ creditsFinal, esmBank, onMissedWindow, maxUnacknowledged, dates, partitionCount }: Scenario): Configuration {
  const times: SchemeTimes = {
    calendar: { version: "simulation", zone: dates.zone, workingDays: [1, 2, 3, 4, 5, 6, 7], holidays: [] },
    processing: dates.windows,
    reconciliation: dates.reconciliation,
    cutOffMs: 1_000,
  };
  return sampleConfiguration({
    partitionCount,
    banks: simulatedBankIds.map((id) =>
      sampleBank({
        id,
        branch: simulatedBranches[id],
        onUsOutcomeReport: id === "second",
        maxUnacknowledged,
        eventClasses: id === esmBank ? ["TRANSACTION_STATE", "ESM_STATE"] : ["TRANSACTION_STATE"],
      }),
    ),
    connectors: [sampleConnector({ id: simulatedConnectorId })],
    operators: [sampleOperator({ id: repairOperator })],
    schemes: [sampleScheme({ times, creditsFinal, creditDeadlineMs, onMissedWindow })],
  });
}

function isWithin(span: readonly [number, number] | null, time: VirtualTime): boolean {
  const elapsedMs = time.monotonicMs();
  return span !== null && span[0] <= elapsedMs && elapsedMs < span[1];
}

/** The memory adapter takes the range before its records are there, so no process has read them. */
function planUnreadable({ scenario, time, broker }: SimulatedEnvironment): void {
  for (const { topic, partition: fraction, atMs, untilMs, records } of scenario.unreadable) {
    const partition = { topic, partition: Math.floor(fraction * scenario.partitionCount) };
    time.after(atMs, () => {
      const firstOffset = BigInt(broker.records(partition).length);
      const lastOffset = firstOffset + BigInt(records) - 1n;
      broker.breakBatch(partition, { firstOffset, lastOffset, reason: "checksum", areKeysKnown: true });
    });
    time.after(untilMs, () => broker.breakBatch(partition, null));
  }
}

function planRebalances(environment: SimulatedEnvironment): void {
  const names = Object.values(groups);
  for (let count = 0; count < environment.scenario.rebalancesMax; count += 1) {
    const group = names[Math.floor(environment.random.fraction() * names.length)] ?? groups.scheduler;
    environment.time.after(environment.random.fraction() * healAtMs, () => environment.broker.rebalance(group));
  }
}
