// Unplanned days: days are planned a week ahead, so some never were where no scheduler ran for longer than that, or where schedulers learnt of a
// scheme later than those who take its debits. What is open on such a date would wait for a close that nobody appends. So the owner of its lane has
// the day planned when it is past: its windows are missed, in order, and it is reconciled.
//
// 1. Only a past date, by agreed time in the scheme's zone, of which the lane has passed no marker. All others are planned by `planning.ts`.
// 2. Nothing is appended before all that lay in the log when the lane was taken is handled: the day's own markers may lie there.
// 3. By the configuration of this process; where the day was planned after all, a second plan changes nothing.
//
// Bound: dates that open debits name and that have no marker yet, `wantedMax` at most; the others are seen by the next owner.

import type { Scheme } from "@sluice/config";
import { dayKey, isUnresolved } from "@sluice/domain";
import type { DayKey, DayPlanned, Transaction } from "@sluice/domain";
import type { Time } from "@sluice/runtime";
import type { OpenRow } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import type { AppendFacts } from "./appending.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { localDate, planOf } from "./planning.ts";
import { failedTurnPauseMs, startStandingTask } from "./standing-task.ts";

export interface UnplannedOptions {
  readonly lane: number;
  readonly lanes: number;
  readonly schemes: readonly Scheme[];
  readonly markers: LaneMarkers;
  readonly append: AppendFacts;
  agreedNowMs(): number | null;
  /** All that lay in the log when the lane was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  readonly time: Time;
  readonly log: Log;
}

export interface Unplanned {
  /** At take-over, each open transaction of the lane. */
  fill(row: OpenRow): void;
  /** A transaction as a record left it. */
  saw(transaction: Transaction): void;
  /** Perhaps all that lay in the log has now been handled. */
  caughtUp(): void;
  wake(): void;
  stop(): void;
}

const wantedMax = 1_000;
/** Until agreed time is known. */
const askAgainMs = 1_000;

export function startUnplanned(options: UnplannedOptions): Unplanned {
  const { lane, lanes, schemes, markers, append, time, log } = options;
  const wanted = new Set<DayKey>();
  const task = startStandingTask({ name: "unplanned", lane, time, log, turn });
  let isLookedAt = false;

  async function turn(): Promise<number | null> {
    if (!options.isCaughtUp()) return null;
    const nowMs = options.agreedNowMs();
    if (nowMs === null) return askAgainMs;
    isLookedAt = true;
    for (const day of wanted) if (markers.passed(day).length > 0) wanted.delete(day);
    const plans = schemes.flatMap((scheme) => plansOfPast(scheme, nowMs));
    if (plans.length === 0) return null;
    const days = plans.map((plan) => dayKey(plan.scheme, plan.businessDate));
    if (!(await append(plans.map((fact) => ({ key: dayKey(fact.scheme, fact.businessDate), fact }))))) return failedTurnPauseMs;
    for (const day of days) wanted.delete(day);
    log.error("days.were-not-planned", { lane, days });
    return null;
  }

  /** #1 */
  function plansOfPast(scheme: Scheme, nowMs: number): readonly DayPlanned[] {
    const today = localDate(scheme, nowMs);
    const dates = [...wanted].filter((day) => day.startsWith(`${scheme.id}:`)).map((day) => day.slice(scheme.id.length + 1));
    return dates.filter((date) => date < today).map((date) => planOf(scheme, lanes, date));
  }

  function want({ state, flow, closesWith }: Pick<Transaction, "state" | "flow" | "closesWith">): void {
    if (flow === "credit" || closesWith === "" || !isUnresolved(state) || wanted.has(closesWith)) return;
    if (wanted.size >= wantedMax || markers.passed(closesWith).length > 0) return;
    wanted.add(closesWith);
    isLookedAt = false;
  }

  return {
    fill: want,
    saw: want,
    caughtUp() {
      if (!isLookedAt && wanted.size > 0) task.wake();
    },
    wake: () => task.wake(),
    stop: () => task.stop(),
  };
}
