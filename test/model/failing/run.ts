// Plays a plan on the dispatcher with memory adapters under a virtual clock, and checks the laws of this folder.
//
// #1 I14: what a bank takes, and no failing message of its UETR stands before, arrives within a minute of its record.
//    This holds for the bank with failing messages, and for every other that answers 202 at once.
// #2 I4: no message is tried before the one before it in its UETR was acknowledged.
// #3 I16: when the bank takes everything, all that is left arrives.

import { type Records, topics } from "@sluice/contracts";
import type { ReceiverAnswer } from "@sluice/delivery";
import {
  createDeliveryTestEnvironment,
  deliveryDay,
  type DeliveryTestPorts,
  type ReceivedRequest,
  type RecordToAppend,
  type ScriptedAnswer,
} from "@sluice/delivery/delivery-environment";
import { startDispatcher } from "@sluice/dispatcher";
import type { Random, Time } from "@sluice/kernel";
import { sampleBank, seededRandom } from "@sluice/testkit";
import type { FailingPlan, FailingRound } from "./plan.ts";

const waitMaxMs = 60_000;
const recordsPerSendMax = 5_000;
const trickleMessages = 6;
const trickleEveryMs = 5_000;
const crowdMessages = 4;
const neighboursMax = 5;
const slowMs = { min: 2_000, max: 4_000 } as const;
const unresolvedAfterMs = 4_500;
const drainMaxMs = 15 * 60_000;

const choosyBank = "choosy";
const namelessBank = "nameless";

interface Message {
  readonly id: string;
  readonly uetr: string;
  readonly bank: string;
  readonly letter: "A" | "D";
  /** Whether the bank fails it when it comes. */
  readonly isFailing: boolean;
  /** Whether a failing message of its UETR stands before it. */
  readonly isBehindFailing: boolean;
  appendedAtMs: number;
}

type Environment = ReturnType<typeof createDeliveryTestEnvironment>;

interface Run {
  readonly plan: FailingPlan;
  readonly environment: Environment;
  readonly random: Random;
  readonly messages: Message[];
  /** Ids that the bank answers with 500. */
  readonly failing: Set<string>;
  readonly neighbours: readonly string[];
  readonly crowd: readonly string[];
}

export interface FailingFigures {
  /** The longest wait of a message that #1 is about, in milliseconds; Infinity for one that did not arrive. */
  readonly longestWaitMs: number;
  readonly late: number;
  readonly checked: number;
  readonly inversions: number;
  /** Messages that did not arrive after the bank had taken everything for a quarter of an hour. */
  readonly left: number;
}

export async function playFailingPlan(plan: FailingPlan): Promise<FailingFigures> {
  const run = openRun(plan);
  await run.environment.start();
  for (const round of plan.rounds) await playRound(run, round);
  await run.environment.time.advance(waitMaxMs);
  const checked = run.messages.filter(({ bank, isFailing, isBehindFailing }) => isTaking(run, bank) && !isFailing && !isBehindFailing);
  const waits = acknowledgedAtMs(run.environment.received);
  const waitsMs = checked.map(({ id, appendedAtMs }) => (waits.get(id) ?? Number.POSITIVE_INFINITY) - appendedAtMs);
  const left = await drain(run);
  return {
    longestWaitMs: Math.max(...waitsMs),
    late: waitsMs.filter((waitMs) => waitMs > waitMaxMs).length,
    checked: checked.length,
    inversions: countInversions(run),
    left,
  };
}

function openRun(plan: FailingPlan): Run {
  const { seed, partitionCount, configured, silent, slow } = plan;
  const others = configured - 1 - silent - slow;
  const named = (name: string, count: number): string[] => Array.from({ length: Math.max(0, count) }, (_, index) => `${name}-${index}`);
  const neighbours = named("neighbour", others - 1);
  const [silentOnes, slowOnes] = [named("silent", silent), named("slow", slow)];
  const banks = [choosyBank, ...(others > 0 ? [namelessBank] : []), ...neighbours, ...silentOnes, ...slowOnes];
  const environment = createDeliveryTestEnvironment({
    seed,
    partitionCount,
    banks: banks.map((id) => sampleBank(id === choosyBank ? { id, connections: plan.connections } : { id })),
    start: (ports) => startDispatcher(withDeadNameServer(ports)),
  });
  const failing = new Set<string>();
  const random = seededRandom(`messages ${seed}`);
  environment.answers((request) => chooseReply(plan, { failing, random }, request));
  const crowd = [...silentOnes, ...slowOnes, ...(others > 0 ? [namelessBank] : [])];
  return { plan, environment, random, messages: [], failing, neighbours: neighbours.slice(0, neighboursMax), crowd };
}

/** No connection to the nameless bank is made, because its name is never resolved. */
function withDeadNameServer(ports: DeliveryTestPorts): DeliveryTestPorts {
  const { gateway, time } = ports;
  return {
    ...ports,
    gateway: { ...gateway, post: (request) => (request.receiverId === namelessBank ? failUnresolved(time) : gateway.post(request)) },
  };
}

async function failUnresolved(time: Time): Promise<ReceiverAnswer> {
  await new Promise<void>((resolve) => void time.after(unresolvedAfterMs, resolve));
  return { kind: "silent", reason: "name-server-silent" };
}

function chooseReply(
  { answerMs }: FailingPlan,
  { failing, random }: Pick<Run, "failing" | "random">,
  { receiverId, id }: ReceivedRequest,
): ScriptedAnswer {
  if (receiverId.startsWith("silent")) return "silent";
  if (receiverId.startsWith("slow")) return { status: 202, afterMs: slowMs.min + random.fraction() * (slowMs.max - slowMs.min) };
  if (receiverId !== choosyBank) return 202;
  return { status: failing.has(id) ? 500 : 202, afterMs: answerMs };
}

function isTaking({ neighbours }: Run, bank: string): boolean {
  return bank === choosyBank || neighbours.includes(bank);
}

async function playRound(run: Run, { failing, taken, healedShare }: FailingRound): Promise<void> {
  for (const id of run.failing) if (run.random.fraction() < healedShare) run.failing.delete(id);
  const crowd = run.crowd.flatMap((bank) => Array.from({ length: crowdMessages }, () => planChain(run, bank, [false])));
  const chains = [
    ...Array.from({ length: failing }, (_, index) => planChain(run, choosyBank, failingChains[index % failingChains.length] ?? [true])),
    ...Array.from({ length: taken }, (_, index) => planChain(run, choosyBank, index % 2 === 0 ? [false] : [false, false])),
    ...run.neighbours.map((bank) => planChain(run, bank, [false, false])),
    ...crowd,
  ];
  await append(run, mix(chains, run.random));
  for (let count = 0; count < trickleMessages; count += 1) {
    await append(
      run,
      [choosyBank, ...run.neighbours].flatMap((bank) => planChain(run, bank, [false])),
    );
    await run.environment.time.advance(trickleEveryMs);
  }
}

/** A failing message stands alone, before one that is taken, or behind one. */
const failingChains: readonly (readonly boolean[])[] = [[true], [true, false], [false, true]];

function planChain({ messages, failing }: Run, bank: string, fails: readonly boolean[]): readonly Message[] {
  const uetr = `00000000-0000-4000-8000-${String(messages.length).padStart(12, "0")}`;
  const chain = fails.map((isFailing, index): Message => {
    const letter = index === 0 ? "A" : "D";
    const isBehindFailing = fails.slice(0, index).includes(true);
    return { id: `${uetr.replaceAll("-", "")}${letter}`, uetr, bank, letter, isFailing, isBehindFailing, appendedAtMs: 0 };
  });
  for (const { id, isFailing } of chain) if (isFailing) failing.add(id);
  messages.push(...chain);
  return chain;
}

/** Mixes the chains, each with its messages in order. */
function mix(chains: readonly (readonly Message[])[], random: Random): readonly Message[] {
  const drawn = chains.flatMap((chain) => {
    const places = chain.map(() => random.fraction()).toSorted((one, other) => one - other);
    return chain.map((message, index) => ({ message, place: places[index] ?? 0 }));
  });
  return drawn.toSorted((one, other) => one.place - other.place).map(({ message }) => message);
}

async function append({ environment }: Run, messages: readonly Message[]): Promise<void> {
  for (let from = 0; from < messages.length; from += recordsPerSendMax) {
    const sent = messages.slice(from, from + recordsPerSendMax);
    const appended = await environment.append(topics.dispatch, sent.map(toRecord));
    for (const [index, message] of sent.entries()) message.appendedAtMs = appended[index]?.appendedAtMs ?? 0;
  }
}

function toRecord({ id, uetr, bank, letter }: Message): RecordToAppend {
  const value: Records["Dispatch"] = {
    messageIdentification: id,
    uetr,
    deliveryKey: uetr,
    bank,
    operation: letter === "A" ? "outboundDirectDebitResponse" : "inboundDirectDebit",
    body: new TextEncoder().encode(`{"id":"${id}"}`),
    reconciliationDay: deliveryDay,
    deadlineMs: null,
    stopsAtMs: null,
    causedByOffset: letter === "A" ? 0n : 1n,
    madeAtMs: 0,
  };
  return { key: uetr, decoded: { name: "Dispatch", value } };
}

/** When each message was first answered with 202, by id. */
function acknowledgedAtMs(received: readonly ReceivedRequest[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { id, status, endedAtMs } of received) if (status === 202 && endedAtMs !== null && !found.has(id)) found.set(id, endedAtMs);
  return found;
}

/** #3. Returns how many messages of banks that take everything are left. */
async function drain(run: Run): Promise<number> {
  const { environment, failing, messages } = run;
  failing.clear();
  const due = messages.filter(({ bank }) => isTaking(run, bank)).map(({ id }) => id);
  let left = due.length;
  const untilMs = environment.time.nowMs() + drainMaxMs;
  while (left > 0 && environment.time.nowMs() < untilMs) {
    await environment.time.advance(waitMaxMs);
    const taken = acknowledgedAtMs(environment.received);
    left = due.filter((id) => !taken.has(id)).length;
  }
  return left;
}

/** #2 */
function countInversions({ environment, messages }: Run): number {
  const acknowledged = acknowledgedAtMs(environment.received);
  const triedAtMs = new Map<string, number>();
  for (const { id, atMs } of environment.received) if (!triedAtMs.has(id)) triedAtMs.set(id, atMs);
  return messages.filter((message, index) => {
    const before = messages[index - 1];
    const firstAtMs = triedAtMs.get(message.id);
    if (before === undefined || before.uetr !== message.uetr || firstAtMs === undefined) return false;
    return (acknowledged.get(before.id) ?? Number.POSITIVE_INFINITY) > firstAtMs;
  }).length;
}
