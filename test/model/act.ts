// Does one step of a run. A step that makes no sense where it stands (a stop without messages, a second end) does nothing: so every
// part of a list of steps is a list of steps.

import { groups, partitionOf, topics, type AnyDecoded } from "@sluice/contracts";
import type { Process } from "@sluice/delivery/delivery-world";
import { bankNamed, dateOf, dayOf, newestPause, scheme, uetrOf, type Place } from "./given.ts";
import type { Run } from "./run.ts";
import { banks, keysOfBank, type Answer, type Step } from "./steps.ts";

type Doing<D extends Step["do"]> = (run: Run, step: Extract<Step, { readonly do: D }>) => Promise<void> | void;

/** Two at most: one to hold the lanes and one to take them over. */
const processesMax = 2;
/** A process that was killed or cut off is missed after 6 s at most; then its lanes are dealt, taken, and read for 10 s at most. */
const settlingMs = 20_000;
/** Long enough for ten answers in a row. */
const outageMs = 30_000;
/** A marker is read, and what it lets go is read from the store. */
const takenInMs = 5_000;
/** The answer of its first probe, on a log that has no troubles. */
const firstSightMs = 100;

export async function act(run: Run, step: Step): Promise<void> {
  const doing = doings[step.do] as Doing<Step["do"]>;
  await doing(run, step);
  for (const process of run.processes.splice(0)) {
    if (process.isAlive()) run.processes.push(process);
    else died(run, process);
  }
  if (run.processes.length === 0 && step.do !== "advance") await start(run);
}

const doings: { readonly [D in Step["do"]]: Doing<D> } = {
  dispatch,
  stop: async (run, step) => change(run, step, "STOP"),
  redrive: async (run, step) => change(run, step, "REDRIVE"),
  plan: async (run, { inMs }) => plan(run, Math.floor(run.nowMs() + inMs)),
  async close(run) {
    await plan(run, null);
    run.given.days += 1;
  },
  async pause(run, { bank, forMs }) {
    if (newestPause(run.given, bankNamed(bank))?.isPause !== true) await pause(run, bank, true, forMs);
  },
  async resume(run, { bank }) {
    if (newestPause(run.given, bankNamed(bank))?.isPause === true) await pause(run, bank, false, null);
  },
  answer(run, { bank, key, how }) {
    if (key === null) answerAll(run, bank, how);
    else run.answers.set(`${bankNamed(bank)} ${uetrOf(bank, key)}`, how);
  },
  async outage(run, { bank, how }) {
    answerAll(run, bank, how);
    for (let key = 0; key < keysOfBank; key += 1) await dispatch(run, { do: "dispatch", bank, key, count: 3, ends: "day", inMs: 0 });
    await run.world.time.advance(outageMs);
  },
  advance: async ({ world }, { ms }) => world.time.advance(ms),
  start: async (run) => {
    if (alive(run).length < processesMax) await start(run);
  },
  kill(run, { process }) {
    troubled(run, 0);
    chosen(run, process)?.kill();
  },
  async end(run, { process }) {
    troubled(run, 0);
    const ending = chosen(run, process);
    if (ending === undefined) return;
    const stopped = ending.running.stop();
    await untilSettled(run, ending, stopped);
    ending.kill();
  },
  crash(run, { process, calls, side }) {
    const crashing = chosen(run, process);
    if (crashing === undefined) return;
    crashing.crashAfter(calls, side);
    run.crashing.add(crashing.name);
    run.isDisturbed = true;
  },
  freeze(run, { process, ms }) {
    const freezing = chosen(run, process);
    if (freezing === undefined) return;
    freezing.freeze(ms);
    freezing.client.cut(ms + 100);
    silenced(run, freezing, ms + 100);
  },
  cut(run, { process, ms }) {
    const cut = chosen(run, process);
    if (cut === undefined) return;
    cut.client.cut(ms);
    silenced(run, cut, ms);
  },
  rebalance(run) {
    run.world.log.rebalance(groups.dispatcher);
    troubled(run, 0);
  },
  store(run, { trouble, share, ms }) {
    const untilMs = run.nowMs() + ms;
    run.world.hooks.store.fault = () => (run.nowMs() < untilMs && run.random.fraction() < share ? trouble : "none");
    troubled(run, ms);
  },
  log(run, { trouble, share, ms }) {
    const untilMs = run.nowMs() + ms;
    run.world.hooks.log.produce = (client) =>
      client !== "test" && run.nowMs() < untilMs && run.random.fraction() < share ? { kind: trouble } : { kind: "append" };
    troubled(run, ms);
  },
};

function answerAll({ answers }: Run, bank: number, how: Answer): void {
  const id = bankNamed(bank);
  for (const known of answers.keys()) if (known.startsWith(`${id} `)) answers.delete(known);
  answers.set(id, how);
}

function alive({ processes }: Run): readonly Process[] {
  return processes.filter((process) => process.isAlive());
}

function chosen(run: Run, process: number): Process | undefined {
  const living = alive(run);
  return living[process % Math.max(1, living.length)];
}

export async function start(run: Run): Promise<void> {
  troubled(run, 0);
  const startedAtMs = run.nowMs();
  const process = await run.world.start();
  run.startedAtMs.set(process.name, startedAtMs);
  run.processes.push(process);
}

/** All processes end, and one starts. */
export async function restart(run: Run): Promise<void> {
  for (const process of run.processes.splice(0)) process.kill();
  await start(run);
}

function troubled(run: Run, ms: number): void {
  run.calmFromMs = Math.max(run.calmFromMs, run.nowMs() + ms + settlingMs);
  run.isDisturbed = true;
}

/** A process that has not seen the log's clock yet sees it by so much too late. */
function silenced(run: Run, { name }: Process, ms: number): void {
  const isNew = run.nowMs() - (run.startedAtMs.get(name) ?? 0) < firstSightMs;
  if (isNew || run.lagsMs.has(name)) run.lagsMs.set(name, (run.lagsMs.get(name) ?? 0) + ms);
  troubled(run, ms);
}

function died(run: Run, { name }: Process): void {
  run.crashing.delete(name);
  troubled(run, 0);
}

/** Or until it died over it. */
async function untilSettled(run: Run, process: Process, promise: Promise<void>): Promise<void> {
  let isSettled = false;
  const settle = (): void => void (isSettled = true);
  promise.then(settle, settle);
  await run.world.until(() => isSettled || !process.isAlive());
}

interface Appending {
  readonly key: string;
  readonly decoded: AnyDecoded;
  readonly partition?: number;
}

/** `known` hears the places before anything of it can be read: nobody else appends to the topic. */
async function append(run: Run, records: readonly Appending[], known: (places: readonly Place[]) => void): Promise<void> {
  const { world, settings } = run;
  const ends = Array.from({ length: settings.lanes }, (_, partition) => world.log.records({ topic: topics.dispatch, partition }).length);
  const atMs = Math.floor(run.nowMs());
  known(
    records.map(({ key, partition }) => {
      const lane = partition ?? partitionOf(key, settings.lanes);
      const offset = ends[lane] ?? 0;
      ends[lane] = offset + 1;
      return { lane, offset: BigInt(offset), atMs };
    }),
  );
  await world.append(topics.dispatch, records);
}

/** Messages of one key in a row. */
async function dispatch(run: Run, { bank, key, count, ends, inMs }: Extract<Step, { readonly do: "dispatch" }>): Promise<void> {
  const { given } = run;
  const uetr = uetrOf(bank, key);
  const atMs = Math.floor(run.nowMs());
  const limits = {
    closesWith: ends === "day" ? dayOf(given.days) : null,
    stopsAtMs: ends === "stops" ? atMs + inMs : null,
    deadlineMs: ends === "deadline" ? atMs + inMs : null,
  };
  const made = Array.from({ length: count }, (_, index) => {
    const id = `${uetr.replaceAll("-", "")}M${given.messages.length + index}`;
    const operation = key % 2 === 0 ? ("inboundDirectDebit" as const) : ("outboundDirectDebitResponse" as const);
    return { id, uetr, bank: bankNamed(bank), operation, body: `{"id":"${id}","value":1250.50}`, ...limits };
  });
  const records = made.map(({ id, body, ...rest }) => {
    const said = { messageIdentification: id, deliveryKey: uetr, body: new TextEncoder().encode(body) };
    return { key: uetr, decoded: { name: "Dispatch", value: { ...rest, ...said, causedByOffset: run.nextCause(), madeAtMs: 0 } } } as const;
  });
  await append(run, records, (places) => {
    for (const [index, place] of places.entries()) {
      const message = { ...made[index]!, ...place };
      given.messages.push(message);
      given.byId.set(message.id, message);
    }
  });
}

async function change(run: Run, step: { readonly message: number }, kind: "STOP" | "REDRIVE"): Promise<void> {
  const { given } = run;
  const message = given.messages[step.message % Math.max(1, given.messages.length)];
  if (message === undefined) return;
  const { id, uetr, bank } = message;
  const cause = run.nextCause();
  const value = { messageIdentification: id, uetr, deliveryKey: uetr, bank, change: kind, causedByOffset: cause };
  await append(run, [{ key: uetr, decoded: { name: "DispatchChange", value } }], ([place]) => {
    if (place !== undefined) given.changes.push({ kind, message, cause, ...place });
  });
}

/** A marker is given, and what it says may come true later. */
function unquiet(run: Run, atMs: number): void {
  run.quietFromMs = Math.max(run.quietFromMs, run.nowMs(), atMs) + takenInMs;
}

/** Null: the day is reconciled. */
async function plan(run: Run, closesAtMs: number | null): Promise<void> {
  const { given, settings } = run;
  const day = dayOf(given.days);
  const number = given.plans.filter((known) => known.day === day).length + 1;
  const records = Array.from({ length: settings.lanes }, (_, partition): Appending => {
    const value = { id: `${day}:${number}:${partition}`, scheme, businessDate: dateOf(given.days), number, partition };
    const decoded: AnyDecoded =
      closesAtMs === null
        ? { name: "DayReconciled", value }
        : { name: "DayTimes", value: { ...value, reconciliationAtMs: closesAtMs, calendarVersion: "1" } };
    return { key: day, decoded, partition };
  });
  unquiet(run, closesAtMs ?? 0);
  await append(run, records, (places) => void given.plans.push({ day, number, closesAtMs, places }));
}

async function pause(run: Run, bankNumber: number, isPause: boolean, forMs: number | null): Promise<void> {
  const { given, settings } = run;
  const bank = bankNamed(bankNumber);
  const number = given.pauses.filter((known) => known.bank === bank && known.isPause).length + (isPause ? 1 : 0);
  const untilMs = forMs === null ? null : Math.floor(run.nowMs() + forMs);
  const name = isPause ? "BankPaused" : "BankResumed";
  const records = Array.from({ length: settings.lanes }, (_, partition): Appending => {
    const value = { id: `bank:${bank}:${name}:${number}:${partition}`, bank, partition, number, reason: "maintenance" };
    const decoded: AnyDecoded = isPause ? { name: "BankPaused", value: { ...value, untilMs } } : { name: "BankResumed", value };
    return { key: `bank:${bank}`, decoded, partition };
  });
  unquiet(run, untilMs ?? 0);
  const saidAtMs = run.nowMs();
  await append(run, records, (places) => void given.pauses.push({ bank, number, isPause, untilMs, saidAtMs, places }));
}

/** All that was in the way is over: banks answer 202, nobody is paused, servers are well, and a process runs. */
export async function heal(run: Run): Promise<void> {
  run.world.hooks.store.fault = () => "none";
  run.world.hooks.log.produce = () => ({ kind: "append" });
  run.answers.clear();
  for (const bank of banks.keys()) if (newestPause(run.given, bankNamed(bank))?.isPause === true) await pause(run, bank, false, null);
  for (const process of alive(run)) process.crashAfter(null, "before");
  run.crashing.clear();
  if (alive(run).length === 0) await start(run);
}
