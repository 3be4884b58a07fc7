// The newest rebuild: which partitions are done, how fast it is, and when it would be through.
//
// #1 It takes partitions one after another. What is left is the rest of the one under way, and all records of those
//    that it has not begun; its speed is that since its begin.
// #2 A builder that was killed says nothing more. So one that is silent for long is named silent.

import type { RebuildProgress } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import { formatOptionalInstant } from "../views/control-values.ts";

interface RebuiltPlace {
  readonly service: string;
  readonly partition: number;
  readonly logEnd: bigint;
  readonly rebuild: RebuildProgress | null;
}

/** Longer than the comparison of a partition, during which nothing is said. */
const silentAfterMs = 10 * 60_000;

/** Null: there was none. */
export function rebuildView(places: readonly RebuiltPlace[], nowMs: number | null) {
  const all = places.flatMap(({ rebuild, ...place }) => (rebuild === null ? [] : [{ ...place, rebuild }]));
  const newest = all.toSorted((a, b) => b.rebuild.updatedMs - a.rebuild.updatedMs)[0]?.rebuild;
  if (newest === undefined) return null;
  const own = all.filter(({ rebuild }) => rebuild.id === newest.id).toSorted((a, b) => a.partition - b.partition);
  const first = own[0]?.partition ?? 0;
  const count = newest.lastPartition - first + 1;
  const notBegun = places.filter(
    ({ service, partition }) =>
      service === "scheduler" && partition > first && partition <= newest.lastPartition && own.every((one) => one.partition !== partition),
  );
  const ended = own.filter(({ rebuild }) => rebuild.end !== null).length;
  const done = own.reduce((sum, { rebuild }) => sum + rebuild.done, 0n);
  const of = own.reduce((sum, { rebuild, logEnd }) => sum + (rebuild.of === 0n ? logEnd : rebuild.of), 0n);
  const left = of - done + notBegun.reduce((sum, { logEnd }) => sum + logEnd, 0n);
  const startedMs = Math.min(...own.map(({ rebuild }) => rebuild.startedMs));
  const tookMs = newest.updatedMs - startedMs;
  const isRunning = ended < own.length || notBegun.length > 0;
  const isSilent = isRunning && nowMs !== null && nowMs - newest.updatedMs > silentAfterMs;
  const isKnown = isRunning && !isSilent && tookMs > 0 && done > 0n;
  return {
    id: newest.id,
    state: isSilent ? "silent" : isRunning ? "running" : "ended",
    startedAt: formatInstant(startedMs),
    updatedAt: formatInstant(newest.updatedMs),
    partitionsDone: ended,
    partitionsCount: count,
    done,
    left,
    finishesAt: formatOptionalInstant(isKnown ? Math.round(newest.updatedMs + (Number(left) * tookMs) / Number(done)) : null),
    rows: own.map(({ partition, rebuild }) => ({
      partition,
      done: rebuild.done,
      of: rebuild.of,
      startedAt: formatInstant(rebuild.startedMs),
      updatedAt: formatInstant(rebuild.updatedMs),
      end: rebuild.end,
    })),
  };
}
