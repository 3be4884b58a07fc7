// Draws a simulated day from its seed: debits and credits, the behaviour of banks and connector, and the faults.

import type { SchemeTimes } from "@sluice/calendar";
import { topics } from "@sluice/contracts";
import type { Random } from "@sluice/kernel";
import {
  acknowledge,
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  drawUetr,
  dropConnection,
  invalidAccount,
  type MessageObject,
  refuse,
  reportPending,
  reportRejected,
  reportSettled,
  type ScriptRule,
  seededRandom,
  staySilent,
  validAccount,
} from "@sluice/testkit";
import { drawActions, type PlannedAction } from "./operators.ts";

export interface ScenarioMessage {
  /** The bank or connector that sends it. */
  readonly party: string;
  readonly what: "debit" | "off-us debit" | "credit" | "credits final";
  readonly sendAtMs: number;
  readonly message: MessageObject;
}

export interface Scenario {
  readonly messages: readonly ScenarioMessage[];
  readonly creditsFinal: "clock" | "connector";
  /** The bank that also gets events of class ESM_STATE; null for none. */
  readonly esmBank: string | null;
  readonly scripts: ReadonlyMap<string, readonly ScriptRule[]>;
  /** The probability that a process dies at one side of a port call. */
  readonly crashPerCall: number;
  /** The probability that a process is cut off and frozen between a port call's effect and its answer. */
  readonly freezePerCall: number;
  /** The probability that a produce is refused, or written with its answer lost. */
  readonly produceTrouble: number;
  /** The probability of a fault in a store call. */
  readonly storeTrouble: number;
  /** The probability that the answer of a bank, or of ingress, is lost on the way. */
  readonly lostAnswer: number;
  readonly rebalancesMax: number;
  /** The number of times that a process is cut off from the broker, sometimes for longer than its session. */
  readonly cutsMax: number;
  /** The batches that no reader can read for some seconds. */
  readonly unreadable: readonly PlannedUnreadable[];
  /** When no reader gets any record, as throttled clients do. */
  readonly throttles: readonly PlannedThrottle[];
  /** The probability that the leader does not know all records yet when a reading begins. */
  readonly behindPerRead: number;
  /** The clocks of the brokers; none: all show the true time. */
  readonly brokerClocks: readonly PlannedClock[];
  /** When the store is copied, and how many seconds later it goes back to the copy; null for never. */
  readonly storeGoesBack: { readonly copiedAtMs: number; readonly secondsBack: number } | null;
  /** When an operator rebuilds the store, in milliseconds from the start of the run; null for never. */
  readonly rebuildAtMs: number | null;
  /** The number of instances of each service but ingress. */
  readonly instances: number;
  readonly ingressInstances: number;
  /** The windows of each date, in local time. The first one opens and the last one closes at the times of the day. */
  readonly windows: readonly DailyWindow[];
  readonly skewMaxMs: number;
  /** What happens to a debit that misses its window. */
  readonly onMissedWindow: "reconcile" | "carry-over";
  /** The actions of operators. */
  readonly actions: readonly PlannedAction[];
  /** The services that do not run. */
  readonly absentServices: readonly ("validator" | "dispatcher")[];
  /** When ingress is unreachable: from and until, in milliseconds from the start of the run. */
  readonly ingressAwayMs: readonly [number, number] | null;
  /** When the broker refuses every produce: from and until, in milliseconds from the start of the run. */
  readonly brokerAwayMs: readonly [number, number] | null;
  /** The number of a bank's debits that may be released and not yet acknowledged. */
  readonly maxUnacknowledged: number;
  /** The local time of the reconciliation. */
  readonly reconciliation: string;
  /** When the day is examined first, in milliseconds from the start of the run. */
  readonly firstLookMs: number;
}

/** Records that are appended from `atMs` on and cannot be read until `untilMs`, from the start of the run. */
interface PlannedUnreadable {
  readonly topic: string;
  /** A number from 0 up to 1, which picks the partition. */
  readonly partition: number;
  readonly atMs: number;
  readonly untilMs: number;
  readonly records: number;
}

/** From and until, in milliseconds from the start of the run. */
export interface PlannedThrottle {
  readonly atMs: number;
  readonly untilMs: number;
}

/** A broker's clock: milliseconds ahead of the true time, and one step back. */
interface PlannedClock {
  readonly aheadMs: number;
  readonly stepsBackAtMs: number;
  readonly stepMs: number;
}

/** The times of the day, in milliseconds from the start of the run. */
export interface SimulatedDayTimes {
  readonly postFromMs: number;
  readonly postUntilMs: number;
  readonly opensMs: number;
  readonly closesMs: number;
  readonly reconcilesMs: number;
  readonly healMs: number;
}

export const simulatedConnectorId = "clearing";
export const simulatedBankIds = ["first", "second"] as const;
export const simulatedBranches: Readonly<Record<(typeof simulatedBankIds)[number], string>> = { first: "250655", second: "251345" };

type DailyWindow = SchemeTimes["processing"][number];
const oneWindow: readonly DailyWindow[] = [{ opens: "12:00:30", closes: "12:01:00" }];
const twoWindows: readonly DailyWindow[] = [
  { opens: "12:00:30", closes: "12:00:40" },
  { opens: "12:00:46", closes: "12:01:00" },
];

/** A scenario without faults, in which nothing is drawn. */
export const calmScenario: Scenario = {
  messages: [],
  creditsFinal: "clock",
  esmBank: null,
  scripts: new Map(),
  crashPerCall: 0,
  freezePerCall: 0,
  produceTrouble: 0,
  storeTrouble: 0,
  lostAnswer: 0,
  rebalancesMax: 0,
  cutsMax: 0,
  unreadable: [],
  throttles: [],
  behindPerRead: 0,
  brokerClocks: [],
  storeGoesBack: null,
  rebuildAtMs: null,
  instances: 1,
  ingressInstances: 1,
  windows: oneWindow,
  skewMaxMs: 0,
  onMissedWindow: "reconcile",
  actions: [],
  absentServices: [],
  ingressAwayMs: null,
  brokerAwayMs: null,
  maxUnacknowledged: 256,
  reconciliation: "12:01:20",
  firstLookMs: 140_000,
};

/** Instances of each service; there are as many partitions. */
const instancesMax = 3;

/** Draws a scenario. Even seeds are calm (only latencies and order vary), odd ones have faults. */
export function drawScenario(seed: number, random: Random, day: SimulatedDayTimes): Scenario {
  const { postFromMs, postUntilMs, opensMs } = day;
  const isCalm = seed % 2 === 0;
  const messages: ScenarioMessage[] = [];
  const scripts = new Map<string, ScriptRule[]>(
    [...simulatedBankIds, simulatedConnectorId].map((party) => [party, drawEventRules(random)]),
  );
  const debitCount = 6 + Math.floor(random.fraction() * 10);
  for (let number = 0; number < debitCount; number += 1) {
    const bank = simulatedBankIds[Math.floor(random.fraction() * simulatedBankIds.length)] ?? "first";
    const uetr = drawUetr(random);
    const draw = random.fraction();
    const isBad = random.fraction() < 0.15;
    const message = buildDirectDebit({
      uetr: draw < 0.05 ? uetr.toUpperCase() : uetr,
      messageIdentification: draw > 0.95 ? "FILE-1" : `M-${seed}-${number}`,
      amount: (1 + Math.floor(random.fraction() * 100_000) / 100).toFixed(2),
      debtorBranch: simulatedBranches[bank],
      debtorAccount: isBad ? invalidAccount(number) : validAccount(number),
      creditorAccount: validAccount(1_000 + number),
    });
    const sendAtMs = postFromMs + random.fraction() * (postUntilMs - postFromMs);
    messages.push({ party: bank, what: "debit", sendAtMs, message });
    scripts.get(bank)?.push(...drawDebitRules(uetr, isBad, random));
    messages.push(...drawRepeats({ party: bank, what: "debit", sendAtMs, message }, random));
  }
  for (const planned of drawConnectorMessages(seed, random, postFromMs, postUntilMs)) {
    messages.push(planned.sent, ...drawRepeats(planned.sent, random));
    scripts.get(planned.bank)?.push(...planned.rules);
    scripts.get(simulatedConnectorId)?.push(...drawConnectorRules(random));
  }
  const creditsFinal = random.fraction() < 0.6 ? "connector" : "clock";
  if (creditsFinal === "connector" && random.fraction() < 0.9) messages.push(drawDeclaration(random, opensMs));
  const installation = seededRandom(`installation ${seed}`);
  const windows = installation.fraction() < 0.5 ? oneWindow : twoWindows;
  const share = (most: number): number => (isCalm ? 0 : random.fraction() * most);
  return {
    ...calmScenario,
    messages,
    creditsFinal,
    esmBank: random.fraction() < 0.4 ? "first" : null,
    scripts,
    crashPerCall: share(0.015),
    freezePerCall: share(0.004),
    produceTrouble: share(0.05),
    storeTrouble: share(0.03),
    lostAnswer: share(0.1),
    rebalancesMax: Math.floor(share(4)),
    cutsMax: Math.floor(share(5)),
    unreadable: isCalm ? [] : drawUnreadable(seededRandom(`unreadable ${seed}`), day.healMs),
    ...(isCalm ? {} : drawLogAndStore(seed, seededRandom(`log and store ${seed}`), day)),
    instances: 1 + Math.floor(random.fraction() * instancesMax),
    ingressInstances: 1 + Math.floor(installation.fraction() * 2),
    windows,
    skewMaxMs: share(900),
    onMissedWindow: random.fraction() < 0.3 ? "carry-over" : "reconcile",
    actions: drawActions(seededRandom(`operators ${seed}`), {
      ...day,
      lastWindow: windows.length,
      banks: simulatedBankIds,
      uetrs: messages.flatMap(({ message }) => readUetr(message)),
    }),
  };
}

/** Milliseconds that a batch cannot be read; readings that grow rarer add as much again. */
const unreadableMaxMs = 4_000;
const unreadableCountMax = 6;

function drawUnreadable(random: Random, healMs: number): readonly PlannedUnreadable[] {
  const read = [topics.journal, topics.dispatch, topics.events];
  return Array.from({ length: Math.floor(random.fraction() * (unreadableCountMax + 1)) }, () => {
    const atMs = random.fraction() * (healMs - 2 * unreadableMaxMs);
    return {
      topic: read[Math.floor(random.fraction() * read.length)] ?? topics.journal,
      partition: random.fraction(),
      atMs,
      untilMs: atMs + random.fraction() * unreadableMaxMs,
      records: 1 + Math.floor(random.fraction() * 10),
    };
  });
}

const throttlesMax = 3;
/** Milliseconds that a broker throttles at once. */
const throttleMaxMs = 5_000;
const brokerCount = 3;
const clockAheadMaxMs = 500;
const clockStepMaxMs = 2_000;
/** Milliseconds by which two brokers' clocks, or one of them and a bank's, differ at most on such a day. */
export const clocksApartMaxMs = clockAheadMaxMs + clockStepMaxMs;
const secondsBackMax = 20;
/** On every tenth day an operator rebuilds the store. */
const rebuildEverySeeds = 10;

/** Draws what happens to the log and the store as a whole: on a third of the days each, the rebuild on a tenth. */
function drawLogAndStore(
  seed: number,
  random: Random,
  { postFromMs, reconcilesMs, healMs }: SimulatedDayTimes,
): Pick<Scenario, "throttles" | "behindPerRead" | "brokerClocks" | "storeGoesBack" | "rebuildAtMs"> {
  const isDrawn = (): boolean => random.fraction() < 1 / 3;
  const between = (from: number, to: number): number => from + random.fraction() * (to - from);
  const drawThrottle = (): PlannedThrottle => {
    const atMs = between(0, healMs - throttleMaxMs);
    return { atMs, untilMs: atMs + between(0, throttleMaxMs) };
  };
  const drawClock = (): PlannedClock => ({
    aheadMs: between(0, clockAheadMaxMs),
    stepsBackAtMs: between(postFromMs, reconcilesMs),
    stepMs: between(0, clockStepMaxMs),
  });
  const secondsBack = between(0, secondsBackMax);
  // The remainder is that of an odd seed: even ones are calm.
  const isRebuilt = seed % rebuildEverySeeds === 5;
  return {
    throttles: isDrawn() ? Array.from({ length: 1 + Math.floor(random.fraction() * throttlesMax) }, drawThrottle) : [],
    behindPerRead: isDrawn() ? between(0, 0.5) : 0,
    brokerClocks: isDrawn() ? Array.from({ length: brokerCount }, drawClock) : [],
    storeGoesBack: isDrawn() ? { copiedAtMs: between(postFromMs, healMs - secondsBackMax * 1_000), secondsBack } : null,
    rebuildAtMs: isRebuilt ? between(postFromMs, reconcilesMs) : null,
  };
}

function readUetr(message: MessageObject): readonly string[] {
  const identifiers = message["transactionIdentifiers"];
  const uetr = typeof identifiers === "object" && identifiers !== null && "uetr" in identifiers ? identifiers.uetr : null;
  return typeof uetr === "string" ? [uetr.toLowerCase()] : [];
}

interface ConnectorMessage {
  readonly bank: string;
  readonly sent: ScenarioMessage;
  readonly rules: readonly ScriptRule[];
}

/** Draws off-us debits and credits. */
function drawConnectorMessages(seed: number, random: Random, postFromMs: number, postUntilMs: number): readonly ConnectorMessage[] {
  return Array.from({ length: 3 + Math.floor(random.fraction() * 8) }, (_, number) => {
    const bank = simulatedBankIds[Math.floor(random.fraction() * simulatedBankIds.length)] ?? "first";
    const uetr = drawUetr(random);
    const isBad = random.fraction() < 0.15;
    const account = isBad ? invalidAccount(number) : validAccount(2_000 + number);
    const amount = (1 + Math.floor(random.fraction() * 100_000) / 100).toFixed(2);
    const common = { uetr, messageIdentification: `C-${seed}-${number}`, amount };
    const isCredit = random.fraction() < 0.6;
    const message = isCredit
      ? buildCreditTransfer({ ...common, creditorBranch: simulatedBranches[bank], creditorAccount: account })
      : buildOffUsDebit({ ...common, debtorBranch: simulatedBranches[bank], debtorAccount: account });
    const sendAtMs = postFromMs + random.fraction() * (postUntilMs - postFromMs);
    const what = isCredit ? "credit" : "off-us debit";
    return {
      bank,
      sent: { party: simulatedConnectorId, what, sendAtMs, message },
      rules: isCredit ? drawCreditRules(uetr, random) : drawDebitRules(uetr, isBad, random),
    };
  });
}

function drawDeclaration(random: Random, opensMs: number): ScenarioMessage {
  const sendAtMs = opensMs - 5_000 + random.fraction() * 15_000;
  return { party: simulatedConnectorId, what: "credits final", sendAtMs, message: {} };
}

/** Draws the connector's faults. It acknowledges every outcome report in the end. */
function drawConnectorRules(random: Random): readonly ScriptRule[] {
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 2)];
  if (random.fraction() < 0.2) return [{ operation: "inboundDirectDebitResponse", attempts, answer: refuse(503) }];
  return random.fraction() < 0.2 ? [{ operation: "inboundCreditTransferAuthorizationResponse", attempts, answer: refuse(500) }] : [];
}

/**
 * Draws how a bank treats a credit: it answers late, never before the deadline, with a final refusal, or with an answer
 * that leaves open what it did.
 */
function drawCreditRules(uetr: string, random: Random): readonly ScriptRule[] {
  const draw = random.fraction();
  const operation = "inboundCreditTransferAuthorization";
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 3)];
  if (draw < 0.1) return [{ uetr, operation, attempts, answer: refuse(503), isActedOn: random.fraction() < 0.5 }];
  if (draw < 0.17) return [{ uetr, operation, answer: staySilent }];
  if (draw < 0.24) return [{ uetr, operation, answer: refuse(400) }];
  if (draw < 0.3)
    return [
      { uetr, operation, attempts: [1, 1], answer: dropConnection, isActedOn: true },
      { uetr, operation, answer: refuse(400) },
    ];
  if (draw < 0.4) return [{ uetr, reports: [reportRejected({ afterMs: 200, jitterMs: 2_000 })] }];
  if (draw < 0.47) return [{ uetr, reports: [] }];
  if (draw < 0.54) return [{ uetr, reports: [reportPending(), reportSettled({ afterMs: 1_000, jitterMs: 4_000 })] }];
  if (draw < 0.6) return [{ uetr, reports: [reportSettled(), reportRejected({ afterMs: 3_000 })] }];
  if (draw < 0.75)
    return [{ uetr, answer: acknowledge({ afterMs: 50, jitterMs: 3_000 }), reports: [reportSettled({ afterMs: 100, jitterMs: 20_000 })] }];
  return [];
}

/** Draws repeats, conflicts and refused duplicates of a message. */
function drawRepeats(planned: ScenarioMessage, random: Random): readonly ScenarioMessage[] {
  const { message } = planned;
  const draw = random.fraction();
  const sendAtMs = planned.sendAtMs + random.fraction() * 20_000;
  const again = (changed: MessageObject): readonly ScenarioMessage[] => [{ ...planned, sendAtMs, message: changed }];
  if (draw < 0.1) return again(message);
  const identifiers = message["messageIdentifiers"] as MessageObject;
  const renamed = {
    ...message,
    messageIdentifiers: { ...identifiers, messageIdentification: `AGAIN-${Math.floor(random.fraction() * 1e6)}` },
  };
  const other = { purpose: { schema: "CODE", value: "OTHR" } };
  if (draw < 0.15) return again(renamed);
  if (draw < 0.2) return again({ ...renamed, ...other });
  if (draw < 0.25) return again({ ...message, ...other });
  return [];
}

function drawEventRules(random: Random): ScriptRule[] {
  if (random.fraction() < 0.7) return [];
  return [{ operation: "events", attempts: [1, 1 + Math.floor(random.fraction() * 2)], answer: refuse(503) }];
}

function drawDebitRules(uetr: string, isBad: boolean, random: Random): readonly ScriptRule[] {
  const draw = random.fraction();
  const attempts: readonly [number, number] = [1, 1 + Math.floor(random.fraction() * 3)];
  if (draw < 0.1) return [{ uetr, operation: "outboundDirectDebitResponse", attempts, answer: refuse(503) }];
  // An unanswered rejection would end only with the next day's close, after this run.
  if (draw < 0.15) return isBad ? [] : [{ uetr, operation: "outboundDirectDebitResponse", answer: staySilent }];
  if (draw < 0.25) return [{ uetr, operation: "inboundDirectDebit", attempts, answer: refuse(500), isActedOn: random.fraction() < 0.5 }];
  if (draw < 0.3) return [{ uetr, operation: "inboundDirectDebit", answer: staySilent }];
  if (draw < 0.35) return [{ uetr, operation: "inboundDirectDebit", answer: refuse(400) }];
  if (draw < 0.4) return [{ uetr, operation: "inboundDirectDebit", attempts: [1, 1], answer: dropConnection, isActedOn: true }];
  if (draw < 0.5) return [{ uetr, reports: [reportRejected({ afterMs: 200, jitterMs: 2_000 })] }];
  if (draw < 0.55) return [{ uetr, reports: [] }];
  if (draw < 0.6) return [{ uetr, reports: [reportSettled({ copies: 2, jitterMs: 500 })] }];
  if (draw < 0.65) return [{ uetr, reports: [reportPending(), reportSettled({ afterMs: 1_000, jitterMs: 2_000 })] }];
  if (draw < 0.7) return [{ uetr, reports: [reportSettled(), reportRejected({ afterMs: 3_000 })] }];
  if (draw < 0.8) return [{ uetr, answer: acknowledge({ afterMs: 50, jitterMs: 3_000 }) }];
  return [];
}
