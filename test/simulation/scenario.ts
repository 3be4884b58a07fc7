// Draws a simulated day from its seed: debits and credits, the behaviour of banks and connector, and the faults.

import { topics } from "@sluice/contracts";
import type { Random } from "@sluice/kernel";
import { type ScriptRule, seededRandom } from "@sluice/testkit";
import { drawDates, earlyWindow, noon, type PlayedDates } from "./dates.ts";
import {
  drawDeclaration,
  drawEventRules,
  drawMessages,
  drawRefused,
  readUetr,
  type ScenarioMessage,
  simulatedBankIds,
  simulatedConnectorId,
} from "./messages.ts";
import { drawForeignRecords, type PlannedForeignRecord } from "./foreign-records.ts";
import { drawActions, type PlannedAction } from "./operators.ts";
import { drawUpdate, instancesMax, type PlannedUpdate } from "./two-releases.ts";

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
  /** Records that nothing of Sluice wrote. */
  readonly foreignRecords: readonly PlannedForeignRecord[];
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
  /** When each scheduler is replaced by one of a newer release; null for no update. */
  readonly update: PlannedUpdate | null;
  /** The number of instances of each service but ingress. */
  readonly instances: number;
  readonly ingressInstances: number;
  /** When and where the day is played, with its windows. */
  readonly dates: PlayedDates;
  /** Milliseconds that a record is kept in a topic that is not kept for ever; null: for ever. */
  readonly retentionMs: number | null;
  readonly skewMaxMs: number;
  /** What happens to a debit that misses its window. */
  readonly onMissedWindow: "reconcile" | "carry-over";
  /** What a page of a scheduler's tasks holds; null: as much as in a deployment. */
  readonly pages: { readonly keysMax: number; readonly rowsMax: number } | null;
  /** The actions of operators. */
  readonly actions: readonly PlannedAction[];
  /** The services that do not run. */
  readonly absentServices: readonly ("validator" | "dispatcher")[];
  /** When ingress is unreachable: from and until, in milliseconds from the start of the run. */
  readonly ingressAwayMs: readonly [number, number] | null;
  /** When the broker refuses every produce: from and until, in milliseconds from the start of the run. */
  readonly brokerAwayMs: readonly [number, number] | null;
  /** The number of partitions of each topic. */
  readonly partitionCount: number;
  /** The number of a bank's debits that may be released and not yet acknowledged. */
  readonly maxUnacknowledged: number;
  /** When the day is examined first, in milliseconds from the start of the run. */
  readonly firstLookMs: number;
  /** When a day that has not ended is given up, in milliseconds from the start of the run, or of its evening. */
  readonly lastLookMs: number;
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
  foreignRecords: [],
  throttles: [],
  behindPerRead: 0,
  brokerClocks: [],
  storeGoesBack: null,
  rebuildAtMs: null,
  update: null,
  instances: 1,
  ingressInstances: 1,
  dates: noon,
  retentionMs: null,
  skewMaxMs: 0,
  onMissedWindow: "reconcile",
  pages: null,
  actions: [],
  absentServices: [],
  ingressAwayMs: null,
  brokerAwayMs: null,
  partitionCount: 3,
  maxUnacknowledged: 256,
  firstLookMs: 140_000,
  lastLookMs: 900_000,
};

/** Draws a scenario. Even seeds are calm (only latencies and order vary), odd ones have faults. */
export function drawScenario(seed: number, random: Random, day: SimulatedDayTimes): Scenario {
  const drawn = drawDay(seed, random, day);
  return { ...drawn, brokerClocks: drawn.brokerClocks.map((clock) => limitStep(clock, drawn.skewMaxMs)) };
}

/**
 * Nobody corrects a clock here, and ingress rightly accepts nothing while its own is two seconds off the broker's. So a
 * step leaves that much to the clocks of processes.
 */
function limitStep(clock: PlannedClock, processSkewMaxMs: number): PlannedClock {
  return { ...clock, stepMs: Math.min(clock.stepMs, acceptedSkewMaxMs - processSkewMaxMs - skewMarginMs) };
}

function drawDay(seed: number, random: Random, day: SimulatedDayTimes): Scenario {
  const { postFromMs, postUntilMs, opensMs } = day;
  const isCalm = seed % 2 === 0;
  const scripts = new Map<string, ScriptRule[]>(
    [...simulatedBankIds, simulatedConnectorId].map((party) => [party, drawEventRules(random)]),
  );
  const drawn = [drawMessages(random, { label: `${seed}`, fromMs: postFromMs, untilMs: postUntilMs })];
  const creditsFinal = random.fraction() < 0.6 ? "connector" : "clock";
  const isDeclared = creditsFinal === "connector" && random.fraction() < 0.9;
  const declaredAtMs = isDeclared ? opensMs - 5_000 + random.fraction() * 15_000 : 0;
  const { pages, maxUnacknowledged, rounds } = drawSizes(seededRandom(`sizes ${seed}`));
  for (let round = 0; round < rounds; round += 1)
    drawn.push(
      drawMessages(seededRandom(`round ${round} of ${seed}`), { label: `${seed}-r${round}`, fromMs: postFromMs, untilMs: postUntilMs }),
    );
  const installation = seededRandom(`installation ${seed}`);
  const isTwoWindows = installation.fraction() >= 0.5;
  const ingressInstances = 1 + Math.floor(installation.fraction() * 2);
  const dates = drawDates(seededRandom(`dates ${seed}`), isTwoWindows);
  const declarations = isDeclared ? [drawDeclaration(declaredAtMs, dates.played[0] ?? "")] : [];
  if (dates.night !== null) drawn.push(...drawSecondDate(seed, day, dates.night));
  if (dates.night !== null && isDeclared) declarations.push(drawDeclaration(earlyWindow.opensMs - 3_000, dates.played[1] ?? ""));
  for (const [party, rules] of drawn.flatMap(({ rules: drawnRules }) => drawnRules)) scripts.get(party)?.push(...rules);
  const uetrs = (drawn[0]?.messages ?? []).flatMap(({ message }) => readUetr(message));
  const refused = drawRefused(seededRandom(`refused ${seed}`), { label: `${seed}`, fromMs: postFromMs, untilMs: postUntilMs }, uetrs);
  const messages = [...drawn.flatMap((one) => one.messages), ...declarations, ...refused];
  const drawInstances = (instances: number): Pick<Scenario, "instances" | "update"> => {
    const update = isCalm ? null : drawUpdate(seededRandom(`update ${seed}`), postFromMs, day.closesMs);
    return update === null ? { instances, update } : { instances: Math.max(2, instances), update };
  };
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
    foreignRecords: isCalm ? [] : drawForeign(seededRandom(`foreign ${seed}`), day, uetrs),
    ...(isCalm ? {} : drawLogAndStore(seed, seededRandom(`log and store ${seed}`), day)),
    ...drawInstances(1 + Math.floor(random.fraction() * instancesMax)),
    ingressInstances,
    dates,
    ...(dates.night === null ? {} : { firstLookMs: dates.night.untilMs + calmScenario.firstLookMs }),
    skewMaxMs: share(900),
    onMissedWindow: random.fraction() < 0.3 ? "carry-over" : "reconcile",
    pages,
    maxUnacknowledged,
    actions: drawActions(seededRandom(`operators ${seed}`), {
      ...day,
      lastWindow: dates.windows.length,
      banks: simulatedBankIds,
      uetrs,
    }),
  };
}

const pageKeysMax = 4;
const pageRowsMax = 8;
/** On one day in eight there are as many messages as on several others together. */
const crowdedShare = 1 / 8;
const roundsMax = 4;

/**
 * Draws the sizes of pages, so small on half of the days that queues have more than one, and the crowded days. On half
 * of these a bank takes few debits at once.
 */
function drawSizes(random: Random): Pick<Scenario, "pages" | "maxUnacknowledged"> & { readonly rounds: number } {
  const whole = (most: number): number => 1 + Math.floor(random.fraction() * most);
  const pages = random.fraction() < 0.5 ? { keysMax: whole(pageKeysMax), rowsMax: whole(pageRowsMax) } : null;
  if (random.fraction() >= crowdedShare) return { pages, maxUnacknowledged: calmScenario.maxUnacknowledged, rounds: 0 };
  const isPaced = random.fraction() < 0.5;
  return { pages, maxUnacknowledged: isPaced ? whole(30) : calmScenario.maxUnacknowledged, rounds: whole(roundsMax) };
}

/** Draws the messages of the second date: around midnight, and in the evening. */
function drawSecondDate(seed: number, { postFromMs, postUntilMs }: SimulatedDayTimes, { untilMs }: { readonly untilMs: number }) {
  const random = seededRandom(`second date ${seed}`);
  return [
    drawMessages(random, { label: `${seed}-2`, fromMs: earlyWindow.postFromMs, untilMs: earlyWindow.postUntilMs }),
    drawMessages(random, { label: `${seed}-3`, fromMs: untilMs + postFromMs, untilMs: untilMs + postUntilMs }),
  ];
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

/** The share of troubled days on which somebody else writes to the topics. */
const foreignShare = 1 / 3;

function drawForeign(
  random: Random,
  { postFromMs, closesMs }: SimulatedDayTimes,
  uetrs: readonly string[],
): readonly PlannedForeignRecord[] {
  if (random.fraction() >= foreignShare) return [];
  return drawForeignRecords(random, { fromMs: postFromMs, untilMs: closesMs, uetrs });
}

const throttlesMax = 3;
/** Milliseconds that a broker throttles at once. */
const throttleMaxMs = 5_000;
const brokerCount = 3;
const clockAheadMaxMs = 500;
const clockStepMaxMs = 2_000;
/** Milliseconds: what ingress accepts (`skewMaxMs` of messaging), and what a slow answer may add to that. */
const acceptedSkewMaxMs = 2_000;
const skewMarginMs = 100;
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
