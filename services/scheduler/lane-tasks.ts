// The standing tasks of a lane's owner, from take-over on. They see what the lane did, after it is written and produced, and append facts; none
// keeps anything that must survive.

import { dayKey } from "@sluice/domain";
import type { Day, Marker } from "@sluice/domain";
import type { OpenRow } from "@sluice/store";
import type { LaneContext } from "./lane-context.ts";
import { startClosing } from "./closing.ts";
import { startConserving } from "./conserving.ts";
import { startCrediting } from "./crediting.ts";
import { startDayClock } from "./day-clock.ts";
import { startDeadlines } from "./deadlines.ts";
import type { Turn } from "./handler.ts";
import type { LaneLedgers } from "./lane-ledgers.ts";
import type { LaneMarkers } from "./lane-markers.ts";
import { hasBegun } from "./passed-day.ts";
import { startReleasing } from "./releasing.ts";
import { startUnplanned } from "./unplanned.ts";

export interface LaneTasks {
  /** At take-over, each open transaction of the lane; then `wake`. */
  fill(row: OpenRow): void;
  /** What a batch did. */
  saw(turns: readonly Turn[]): void;
  /** A marker that the lane has passed for the first time. */
  passed(marker: Marker): void;
  /** A bank was paused or resumed. */
  passedOfBank(): void;
  wake(): void;
  stop(): void;
}

export interface LaneTasksOptions {
  readonly context: LaneContext;
  readonly lane: number;
  readonly markers: LaneMarkers;
  readonly ledgers: LaneLedgers;
  /** Open days of this lane. */
  readonly days: readonly Day[];
  /** All that lay in the log when the lane was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
}

/** They do nothing before they are woken. */
export function startLaneTasks({ context, lane, markers, ledgers, days, isCaughtUp }: LaneTasksOptions): LaneTasks {
  const { configuration, store, append, agreedTime, acknowledgedAtMs, lanes, time, log, metrics } = context;
  const agreedNowMs = (): number | null => agreedTime.nowMs();
  const maxUnacknowledged = (bank: string): number => configuration.banks.find(({ id }) => id === bank)?.maxUnacknowledged ?? 0;
  const common = { lane, markers, append, time, log };
  const releasing = startReleasing({
    ...common,
    lanes,
    store: store.transactions,
    maxUnacknowledged,
    agreedNowMs,
    isCaughtUp,
    acknowledgedAtMs,
    metrics,
  });
  const closing = startClosing({ ...common, store: store.transactions });
  const crediting = startCrediting({ ...common, store: store.transactions, metrics });
  const deadlines = startDeadlines({ lane, store: store.transactions, append, agreedNowMs, isCaughtUp, time, log, metrics });
  const dayClock = startDayClock({ lane, days, append, agreedNowMs, time, log });
  const inTurn = context.conservationTurn;
  const conserving = startConserving({ lane, ledgers, store: store.transactions, inTurn, metrics, time, log });
  conserving.fill(markers.days().filter((day) => hasBegun(markers.passed(day))));
  const { schemes } = configuration;
  const unplanned = startUnplanned({ ...common, lanes, schemes, agreedNowMs, isCaughtUp });
  const tasks = [releasing, closing, crediting, deadlines, dayClock, conserving, unplanned];

  return {
    fill(row) {
      releasing.fill(row);
      closing.fill(row);
      deadlines.fill(row);
      unplanned.fill(row);
    },
    saw(turns) {
      for (const { transaction, day, name, decision, record } of turns) {
        if (day !== null) dayClock.saw(day);
        if (transaction === null) continue;
        releasing.saw(transaction, releases.has(name));
        crediting.saw(transaction);
        unplanned.saw(transaction);
        const isJudged = decision !== "put-aside";
        deadlines.saw(transaction, isJudged && name === "DeadlinePassed" ? record.appendedAtMs : null);
      }
      deadlines.caughtUp();
      unplanned.caughtUp();
      releasing.wake();
    },
    passed(marker) {
      closing.passed(marker);
      if (marker.kind === "DayReconciled") conserving.close(dayKey(marker.scheme, marker.businessDate));
      if (gateMarkers.has(marker.kind)) crediting.wake();
      releasing.wake();
    },
    passedOfBank: () => releasing.wake(),
    wake() {
      for (const task of tasks) task.wake();
    },
    stop() {
      for (const task of tasks) task.stop();
    },
  };
}

/** A Release, also one that was put aside; what nobody could read may have been one: a second Release changes nothing, a missing one is waited for. */
const releases: ReadonlySet<Turn["name"]> = new Set<Turn["name"]>(["Release", "unreadable"]);

const gateMarkers: ReadonlySet<Marker["kind"]> = new Set<Marker["kind"]>(["CreditsDeclared", "GateOpened", "DayReconciled"]);
