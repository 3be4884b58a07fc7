// A lane under one owner epoch: taken by raising the epoch, held until another owner raises it or the lane is given up.
//
// 1. Starts at the lane's own position, not at the group's offset: a store that was restored to an older point is repaired by replay.
// 2. The markers passed are those of the lane's document, and those that this process has passed itself.
// 3. A lane that is held is not taken; one that was built anew goes on at the position of its new build, whatever this process did before.
// 4. Before the first record is handled, one projected read of the lane has filled the standing tasks.

import { partitionOf } from "@sluice/contracts";
import { Fault } from "@sluice/runtime";
import type { LaneHold, OpenRow } from "@sluice/store";
import type { LaneContext } from "./lane-context.ts";
import type { LaneLedgers } from "./lane-ledgers.ts";
import { createLaneMarkers, passedFromState, passedNothing } from "./lane-markers.ts";
import type { LaneMarkers, Passed } from "./lane-markers.ts";
import { createLanePosition } from "./lane-position.ts";
import type { LanePosition } from "./lane-position.ts";
import { startLaneTasks } from "./lane-tasks.ts";
import type { LaneTasks } from "./lane-tasks.ts";
import type { SnapshotCache } from "./snapshot-cache.ts";

export interface Tenure {
  readonly lane: number;
  readonly epoch: number;
  /** As the lane's document had it. */
  readonly startAt: bigint;
  /** The build of its transactions that is in use. */
  readonly build: number;
  readonly markers: LaneMarkers;
  readonly position: LanePosition;
  readonly cache: SnapshotCache;
  readonly tasks: LaneTasks;
}

const pageRowsMax = 5_000;

export interface TakeOptions {
  readonly context: LaneContext;
  readonly lane: number;
  readonly ledgers: LaneLedgers;
  /** Markers that this process has passed under an earlier epoch. */
  readonly passed: Passed;
  /** The build in which it did so; null: it never had the lane. */
  readonly build: number | null;
  /** What this process has done under an earlier epoch. */
  readonly doneOffset: bigint;
  /** All that lay in the log when the lane was assigned has been handled. */
  readonly isCaughtUp: () => boolean;
  readonly lost: () => void;
}

/** Rejects with the store's Faults. Its tasks sleep until they are woken: they ask whether the lane has caught up, which its owner knows. */
export async function takeLane(options: TakeOptions): Promise<Tenure> {
  const { context, lane, ledgers, lost } = options;
  const { service, store, time, log, lanes } = context;
  const { epoch, position: startAt, state, build, hold } = await store.lanes.takeOver(service, lane);
  if (hold !== null) await heldBack(context, lane, hold);
  // What was done in another build lies there: here all begins at the position.
  const isAnew = options.build !== null && options.build !== build;
  const { passed, doneOffset } = isAnew ? { passed: passedNothing, doneOffset: 0n } : options;
  await ledgers.retake(startAt, isAnew);
  const kept = passedFromState(state);
  const markers = createLaneMarkers(lane, { ofDays: [...kept.ofDays, ...passed.ofDays], ofBanks: [...kept.ofBanks, ...passed.ofBanks] });
  const days = (await store.days.open()).filter((day) => partitionOf(day.key, lanes) === lane);
  const tasks = startLaneTasks({ context, lane, markers, ledgers, days, isCaughtUp: options.isCaughtUp });
  const open = await fill(context, lane, tasks);
  const position = createLanePosition({
    service,
    lane,
    epoch,
    position: startAt,
    store: store.lanes,
    state: () => markers.toState(),
    before: () => ledgers.write(),
    lost() {
      tasks.stop();
      log.warn("lane.lost", { lane, epoch });
      lost();
    },
    time,
    log,
  });
  if (doneOffset > startAt) {
    position.stateChanged();
    position.done(doneOffset);
  }
  log.info("lane.taken", { lane, epoch, position: startAt, markers: markers.all().ofDays.length, days: days.length, open });
  return { lane, epoch, startAt, build, markers, position, cache: context.snapshots(), tasks };
}

/** Longer than any lease: one that ends later was written by a clock that is ahead, and would keep the lane for as long as that. */
export const leaseLeftMaxMs = 600_000;

/** Whoever builds the lane anew holds it. A lease that is over, by agreed time, is ended; either way the lane is asked for again. */
async function heldBack({ service, store, agreedTime, log }: LaneContext, lane: number, hold: LaneHold): Promise<never> {
  const nowMs = agreedTime.nowMs();
  const isOver = nowMs !== null && (hold.untilMs <= nowMs || hold.untilMs - nowMs > leaseLeftMaxMs);
  if (isOver) await store.lanes.release(service, lane, hold.id);
  if (isOver) log.warn("lane.hold-over", { lane, hold: hold.id });
  throw new Fault("scheduler.lane-held", `lane ${lane} is held by ${hold.id}`, { isRetryable: true });
}

async function fill({ store }: LaneContext, lane: number, tasks: LaneTasks): Promise<number> {
  let after: string | null = null;
  let count = 0;
  do {
    const rows: readonly OpenRow[] = await store.transactions.open(lane, after, pageRowsMax);
    for (const row of rows) tasks.fill(row);
    count += rows.length;
    after = rows.length === pageRowsMax ? (rows.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
  return count;
}
