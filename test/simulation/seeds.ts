// Selects the seeds of a test run, and checks one of them.

import { checkHistory, type CheckOptions } from "@sluice/checker";
import { lookIntervalMs } from "@sluice/messaging";
import { plannedDays } from "./dates.ts";
import { findPassedOver } from "./passed-over.ts";
import { clocksApartMaxMs, type Scenario } from "./scenario.ts";
import { cutMaxMs, simulate, simulatedDayTimes } from "./simulate.ts";
import { allTroubles, findTroubles, type Trouble } from "./troubles.ts";

/**
 * CI runs seeds 1 … 160 and those that once found a bug, `./sluice test --long` runs 1 … 2,000. Even seeds are calm,
 * odd ones have faults. `SLUICE_SEED` runs that seed alone, and the first of the other kind.
 */
const seedsInCi = 160;
const seedsLong = 2_000;
const seedsThatFoundBugs = [407, 439, 461, 749, 781, 1561, 1859, 1909];

/** What half of the troubled days must have; nothing where one seed alone is asked for. */
export const requiredTroubles: readonly Trouble[] = process.env["SLUICE_SEED"] === undefined ? allTroubles : [];

/**
 * Selects the seeds of one kind. Two test files run one `half` each of the troubled seeds, so that two cores share
 * them.
 */
export function selectSeeds(kind: "calm" | "troubled", half: 0 | 1 | null = null): readonly number[] {
  const requested = process.env["SLUICE_SEED"];
  const count = process.env["SLUICE_LONG"] === "1" ? seedsLong : seedsInCi;
  const planned = [...Array.from({ length: count }, (_, index) => index + 1), ...seedsThatFoundBugs.filter((seed) => seed > count)];
  const all = requested === undefined ? planned : [Number(requested)];
  const matching = all.filter((seed) => (seed % 2 === 0) === (kind === "calm"));
  const wanted = half === null ? matching : matching.filter((_, index) => index % 2 === half);
  return wanted.length > 0 ? wanted : [kind === "calm" ? 2 : 1];
}

/**
 * Milliseconds between a debit's HELD and the release that should have seen it: a crash, a slow store and a delayed
 * produce.
 */
const queueToleranceMs = 10_000;

/**
 * Milliseconds within which a message is first tried if only banks have faults, because one bank's faults delay no
 * other bank.
 */
const firstAttemptWithinMs = 5_000;

function isolationOptions(seed: number): { readonly firstAttemptWithinMs?: number } {
  return seed % 2 === 0 ? { firstAttemptWithinMs } : {};
}

/** Milliseconds until every process has noticed that the store went back: a freeze, a look, and what was under way. */
const noticedWithinMs = cutMaxMs + lookIntervalMs + 5_000;

/**
 * What cannot be checked where the store went back, and no more than that.
 * I12: nothing but the store knows which messages were refused since its copy, because receipts are kept for weeks only
 * and nobody reads them. Such a message is tried again, and the journal takes its second outcome as a repeat.
 * I4: until a process notices, it parks events that are sent again, at the offsets of their repeats. The successor
 * cannot tell them from its own, and removing them could lose one. So a later event may go first.
 */
function restoreOptions({ storeGoesBack, dates }: Scenario): CheckOptions {
  if (storeGoesBack === null) return {};
  const copiedAtMs = dates.startAtMs + storeGoesBack.copiedAtMs;
  const untilMs = copiedAtMs + storeGoesBack.secondsBack * 1_000 + noticedWithinMs + clocksApartMaxMs;
  return { forgotten: { fromMs: copiedAtMs - clocksApartMaxMs, untilMs } };
}

/** Where two dates are played, their windows are known, and nobody is attempted at night. */
function datesOptions({ dates }: Scenario): CheckOptions {
  const { night, startAtMs } = dates;
  if (night === null) return {};
  const stopped = { fromMs: startAtMs + night.fromMs, untilMs: startAtMs + night.untilMs };
  return { stopped, plannedDays: plannedDays("ZA_EFT", dates, simulatedDayTimes) };
}

export interface SeedVerdict {
  readonly seed: number;
  /**
   * Broken promises, unfinished work (I16), requests that the OpenAPI document does not describe, and what a service
   * does at the broker without a right; empty in a good run.
   */
  readonly wrong: readonly string[];
  /** The crashes and the last port calls of a bad run. */
  readonly evidence: readonly string[];
  readonly troubles: readonly Trouble[];
  /** How much the checker examined. */
  readonly checked: number;
}

export async function checkSeed(seed: number): Promise<SeedVerdict> {
  const end = await simulate(seed);
  const brokerClocksApartMs = end.scenario.brokerClocks.length > 0 ? clocksApartMaxMs : 0;
  const found = checkHistory(end.history, {
    queueToleranceMs,
    clockToleranceMs: brokerClocksApartMs,
    brokerClocksApartMs,
    ...isolationOptions(seed),
    ...restoreOptions(end.scenario),
    ...datesOptions(end.scenario),
  });
  const { counts, violations } = found;
  const closesAtMs = end.scenario.dates.startAtMs + simulatedDayTimes.closesMs;
  const wrong = [
    ...end.unfinished,
    ...(seed % 2 === 0 ? findPassedOver(end.scenario, end.history, closesAtMs) : []),
    ...end.undocumented,
    ...[...end.uses.forbidden].map((use) => `without a right at the broker: ${use}`),
    ...violations.map(({ promise, uetr, text }) => `${promise} ${uetr ?? ""} ${text}`),
  ];
  const evidence = wrong.length === 0 ? [] : [...end.crashes, ...end.tail.slice(-40)];
  return { seed, wrong, evidence, troubles: findTroubles(end), checked: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}
