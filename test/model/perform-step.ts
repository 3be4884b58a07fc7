// Performs one step of a run. A step that makes no sense at its place (a stop without messages, a second end) does
// nothing, so every part of a list of steps is a valid list of steps.

import { groups, partitionFor, topics, type AnyDecodedRecord } from "@sluice/contracts";
import type { DeliveryTestProcess } from "@sluice/delivery/delivery-environment";
import { bankIdAt, inputBusinessDate, inputDayKey, newestPause, modelOperator, modelScheme, inputUetr, type InputPlace } from "./inputs.ts";
import type { ModelRun } from "./model-run.ts";
import { modelBanks, keysPerBank, type BankAnswerKind, type ModelStep } from "./steps.ts";

type Performer<D extends ModelStep["do"]> = (run: ModelRun, step: Extract<ModelStep, { readonly do: D }>) => Promise<void> | void;

/** The number of processes at most: one that owns the partitions and one that takes them over. */
const processesMax = 2;
/**
 * Milliseconds until a fault is forgotten: a lost process is noticed within 6 s, and a take-over reads for at most 10 s
 * after that.
 */
const settlingMs = 20_000;
/** Milliseconds until a late write takes effect: longer than a dead process keeps its partitions. */
const lateWriteMs = 20_000;
/** Milliseconds of an outage, long enough for ten answers in a row. */
const outageMs = 30_000;
/** Milliseconds until a marker is read and the messages that it lets go are read from the store. */
const takenInMs = 5_000;
/** Milliseconds until a new process has the answer of its first probe from a healthy broker. */
const firstSampleMs = 100;

export async function performStep(run: ModelRun, step: ModelStep): Promise<void> {
  const performer = performers[step.do] as Performer<ModelStep["do"]>;
  await performer(run, step);
  for (const process of run.processes.splice(0)) {
    if (process.isAlive()) run.processes.push(process);
    else forgetProcess(run, process);
  }
  if (run.processes.length === 0 && step.do !== "advance") await startDispatcherProcess(run);
}

const performers: { readonly [D in ModelStep["do"]]: Performer<D> } = {
  dispatch,
  stop: async (run, step) => change(run, step, "STOP"),
  redrive: async (run, step) => change(run, step, "REDRIVE"),
  "give-up": async (run, step) => change(run, step, "GIVE_UP"),
  plan: async (run, { inMs }) => plan(run, Math.floor(run.nowMs() + inMs)),
  async close(run) {
    await plan(run, null);
    run.inputs.dayNumber += 1;
  },
  async pause(run, { bank, forMs }) {
    if (newestPause(run.inputs, bankIdAt(bank))?.isPause !== true) await pause(run, bank, true, forMs);
  },
  async resume(run, { bank }) {
    if (newestPause(run.inputs, bankIdAt(bank))?.isPause === true) await pause(run, bank, false, null);
  },
  answer(run, { bank, key, how }) {
    if (key === null) answerAll(run, bank, how);
    else run.answers.set(`${bankIdAt(bank)} ${inputUetr(bank, key)}`, how);
  },
  async outage(run, { bank, how }) {
    answerAll(run, bank, how);
    for (let key = 0; key < keysPerBank; key += 1) await dispatch(run, { do: "dispatch", bank, key, count: 3, ends: "day", inMs: 0 });
    await run.environment.time.advance(outageMs);
  },
  advance: async ({ environment }, { ms }) => environment.time.advance(ms),
  start: async (run) => {
    if (liveProcesses(run).length < processesMax) await startDispatcherProcess(run);
  },
  kill(run, { process }) {
    markTroubled(run, 0);
    pickProcess(run, process)?.kill();
  },
  async end(run, { process }) {
    markTroubled(run, 0);
    const ending = pickProcess(run, process);
    if (ending === undefined) return;
    const stopped = ending.running.stop();
    await untilSettled(run, ending, stopped);
    ending.kill();
  },
  crash(run, { process, calls, side }) {
    const crashing = pickProcess(run, process);
    if (crashing === undefined) return;
    crashing.crashAfter(calls, side);
    run.crashing.add(crashing.name);
    run.isDisturbed = true;
  },
  freeze(run, { process, ms }) {
    const freezing = pickProcess(run, process);
    if (freezing === undefined) return;
    freezing.freeze(ms);
    freezing.client.cut(ms + 100);
    markDelayed(run, freezing, ms + 100);
  },
  cut(run, { process, ms }) {
    const cut = pickProcess(run, process);
    if (cut === undefined) return;
    cut.client.cut(ms);
    markDelayed(run, cut, ms);
  },
  rebalance(run) {
    run.environment.broker.rebalance(groups.dispatcher);
    markTroubled(run, 0);
  },
  store(run, { trouble, share, ms }) {
    const untilMs = run.nowMs() + ms;
    run.environment.hooks.store.lateMs = lateWriteMs;
    run.environment.hooks.store.fault = () => (run.nowMs() < untilMs && run.random.fraction() < share ? trouble : "none");
    markTroubled(run, trouble === "late" ? ms + lateWriteMs : ms);
  },
  log(run, { trouble, share, ms }) {
    const untilMs = run.nowMs() + ms;
    run.environment.hooks.log.produce = (client) =>
      client !== "test" && run.nowMs() < untilMs && run.random.fraction() < share ? { kind: trouble } : { kind: "append" };
    markTroubled(run, ms);
  },
};

function answerAll({ answers }: ModelRun, bank: number, how: BankAnswerKind): void {
  const id = bankIdAt(bank);
  for (const known of answers.keys()) if (known.startsWith(`${id} `)) answers.delete(known);
  answers.set(id, how);
}

function liveProcesses({ processes }: ModelRun): readonly DeliveryTestProcess[] {
  return processes.filter((process) => process.isAlive());
}

function pickProcess(run: ModelRun, process: number): DeliveryTestProcess | undefined {
  const living = liveProcesses(run);
  return living[process % Math.max(1, living.length)];
}

export async function startDispatcherProcess(run: ModelRun): Promise<void> {
  markTroubled(run, 0);
  const startedAtMs = run.nowMs();
  const process = await run.environment.start();
  run.startedAtMs.set(process.name, startedAtMs);
  run.processes.push(process);
}

/** Kills all processes and starts one. */
export async function restartDispatcher(run: ModelRun): Promise<void> {
  for (const process of run.processes.splice(0)) process.kill();
  await startDispatcherProcess(run);
}

function markTroubled(run: ModelRun, ms: number): void {
  run.calmFromMs = Math.max(run.calmFromMs, run.nowMs() + ms + settlingMs);
  run.isDisturbed = true;
}

/**
 * Extends the lag of a process that has no sample of the broker clock yet, because the fault delays its first sample.
 */
function markDelayed(run: ModelRun, { name }: DeliveryTestProcess, ms: number): void {
  const isNew = run.nowMs() - (run.startedAtMs.get(name) ?? 0) < firstSampleMs;
  if (isNew || run.lagsMs.has(name)) run.lagsMs.set(name, (run.lagsMs.get(name) ?? 0) + ms);
  markTroubled(run, ms);
}

function forgetProcess(run: ModelRun, { name }: DeliveryTestProcess): void {
  run.crashing.delete(name);
  markTroubled(run, 0);
}

/** Waits until the promise has settled or the process has died. */
async function untilSettled(run: ModelRun, process: DeliveryTestProcess, promise: Promise<void>): Promise<void> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  await run.environment.until(() => isSettled || !process.isAlive());
}

interface Appending {
  readonly key: string;
  readonly decoded: AnyDecodedRecord;
  readonly partition?: number;
}

/**
 * Appends records. `onPlaced` gets their places before any of them can be read, since nothing else appends to the
 * topic.
 */
async function append(run: ModelRun, records: readonly Appending[], onPlaced: (places: readonly InputPlace[]) => void): Promise<void> {
  const { environment, settings } = run;
  const ends = Array.from(
    { length: settings.partitionCount },
    (_, partition) => environment.broker.records({ topic: topics.dispatch, partition }).length,
  );
  const atMs = Math.floor(run.nowMs());
  onPlaced(
    records.map(({ key, partition: given }) => {
      const partition = given ?? partitionFor(key, settings.partitionCount);
      const offset = ends[partition] ?? 0;
      ends[partition] = offset + 1;
      return { partition, offset: BigInt(offset), atMs };
    }),
  );
  await environment.append(topics.dispatch, records);
}

/** Dispatches consecutive messages of one key. */
async function dispatch(run: ModelRun, { bank, key, count, ends, inMs }: Extract<ModelStep, { readonly do: "dispatch" }>): Promise<void> {
  const { inputs } = run;
  const uetr = inputUetr(bank, key);
  const atMs = Math.floor(run.nowMs());
  const limits = {
    reconciliationDay: ends === "day" ? inputDayKey(inputs.dayNumber) : null,
    stopsAtMs: ends === "stops" ? atMs + inMs : null,
    deadlineMs: ends === "deadline" ? atMs + inMs : null,
  };
  const made = Array.from({ length: count }, (_, index) => {
    const id = `${uetr.replaceAll("-", "")}M${inputs.messages.length + index}`;
    const operation = key % 2 === 0 ? ("inboundDirectDebit" as const) : ("outboundDirectDebitResponse" as const);
    return { id, uetr, bank: bankIdAt(bank), operation, body: `{"id":"${id}","value":1250.50}`, ...limits };
  });
  const records = made.map(({ id, body, ...rest }) => {
    const content = { messageIdentification: id, deliveryKey: uetr, body: new TextEncoder().encode(body) };
    return {
      key: uetr,
      decoded: { name: "Dispatch", value: { ...rest, ...content, causedByOffset: run.nextCause(), madeAtMs: 0 } },
    } as const;
  });
  await append(run, records, (places) => {
    for (const [index, place] of places.entries()) {
      const message = { ...made[index]!, ...place };
      inputs.messages.push(message);
      inputs.byId.set(message.id, message);
    }
  });
}

async function change(run: ModelRun, step: { readonly message: number }, kind: "STOP" | "REDRIVE" | "GIVE_UP"): Promise<void> {
  const { inputs } = run;
  const message = inputs.messages[step.message % Math.max(1, inputs.messages.length)];
  if (message === undefined) return;
  const { id, uetr, bank } = message;
  const cause = run.nextCause();
  const who = { stoppedBy: kind === "GIVE_UP" ? modelOperator : null, confirmedBy: null };
  const value = { messageIdentification: id, uetr, deliveryKey: uetr, bank, change: kind, causedByOffset: cause, ...who };
  await append(run, [{ key: uetr, decoded: { name: "DispatchChange", value } }], ([place]) => {
    if (place !== undefined) inputs.changes.push({ kind, message, cause, ...place });
  });
}

/** Notes that a marker was appended, whose effect may come at `atMs`. */
function markUnquiet(run: ModelRun, atMs: number): void {
  run.quietFromMs = Math.max(run.quietFromMs, run.nowMs(), atMs) + takenInMs;
}

/** Plans the day's close; with null the day is reconciled. */
async function plan(run: ModelRun, closesAtMs: number | null): Promise<void> {
  const { inputs, settings } = run;
  const day = inputDayKey(inputs.dayNumber);
  const number = inputs.plans.filter((known) => known.day === day).length + 1;
  const records = Array.from({ length: settings.partitionCount }, (_, partition): Appending => {
    const value = {
      id: `${day}:${number}:${partition}`,
      scheme: modelScheme,
      businessDate: inputBusinessDate(inputs.dayNumber),
      number,
      partition,
    };
    const decoded: AnyDecodedRecord =
      closesAtMs === null
        ? { name: "DayReconciled", value }
        : { name: "DayTimes", value: { ...value, reconciliationAtMs: closesAtMs, calendarVersion: "1" } };
    return { key: day, decoded, partition };
  });
  markUnquiet(run, closesAtMs ?? 0);
  await append(run, records, (places) => void inputs.plans.push({ day, number, closesAtMs, places }));
}

async function pause(run: ModelRun, bankNumber: number, isPause: boolean, forMs: number | null): Promise<void> {
  const { inputs, settings } = run;
  const bank = bankIdAt(bankNumber);
  const number = inputs.pauses.filter((known) => known.bank === bank && known.isPause).length + (isPause ? 1 : 0);
  const untilMs = forMs === null ? null : Math.floor(run.nowMs() + forMs);
  const name = isPause ? "BankPaused" : "BankResumed";
  const records = Array.from({ length: settings.partitionCount }, (_, partition): Appending => {
    const value = { id: `bank:${bank}:${name}:${number}:${partition}`, bank, partition, number, reason: "maintenance" };
    const decoded: AnyDecodedRecord = isPause ? { name: "BankPaused", value: { ...value, untilMs } } : { name: "BankResumed", value };
    return { key: `bank:${bank}`, decoded, partition };
  });
  markUnquiet(run, untilMs ?? 0);
  const saidAtMs = run.nowMs();
  await append(run, records, (places) => void inputs.pauses.push({ bank, number, isPause, untilMs, requestedAtMs: saidAtMs, places }));
}

/** Ends all faults: banks answer 202, no bank is paused, store and broker are healthy, and a process runs. */
export async function healEverything(run: ModelRun): Promise<void> {
  run.environment.hooks.store.fault = () => "none";
  run.environment.hooks.log.produce = () => ({ kind: "append" });
  run.answers.clear();
  for (const bank of modelBanks.keys()) if (newestPause(run.inputs, bankIdAt(bank))?.isPause === true) await pause(run, bank, false, null);
  for (const process of liveProcesses(run)) process.crashAfter(null, "before");
  run.crashing.clear();
  if (liveProcesses(run).length === 0) await startDispatcherProcess(run);
}
