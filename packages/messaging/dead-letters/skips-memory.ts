// What the owner of a partition notes of the dead letters that it has read, so that the next owner reads on from there.
// It is plain JSON, kept beside the position. A store that was restored to an older point has an older note, which only
// means more to read.

import type { LogIdentity, SkipRequest } from "../port.ts";

export interface Skip {
  readonly topic: string;
  /** Equal for a record. */
  readonly firstOffset: bigint;
  readonly lastOffset: bigint;
  readonly by: SkipRequest;
  readonly isDone: boolean;
}

/** Every letter below `nextOffset` of this topic is read, and `skips` are those of operators among them. */
export interface SkipsMemory {
  readonly log: LogIdentity;
  readonly nextOffset: string;
  readonly skips: readonly NotedSkip[];
}
type NotedSkip = Omit<Skip, "firstOffset" | "lastOffset"> & { readonly firstOffset: string; readonly lastOffset: string };

/** Skips that a note may have; with more of them nothing is noted, and the next owner reads all letters. */
const notedMax = 1_000;

/** Returns null where there is nothing to note. */
export function noteSkips(log: LogIdentity, nextOffset: bigint, skips: Iterable<Skip>): SkipsMemory | null {
  const noted = [...skips].map((skip) => ({ ...skip, firstOffset: `${skip.firstOffset}`, lastOffset: `${skip.lastOffset}` }));
  return nextOffset === 0n || noted.length > notedMax ? null : { log, nextOffset: `${nextOffset}`, skips: noted };
}

/** Reads a note; null where there is none, or where it is about another topic than the one that is there now. */
export function readSkipsMemory(
  memory: SkipsMemory | null,
  log: LogIdentity,
): { readonly nextOffset: bigint; readonly skips: readonly Skip[] } | null {
  if (memory === null || memory.log.clusterId !== log.clusterId || memory.log.topicId !== log.topicId) return null;
  const skips = memory.skips.map((skip) => ({
    ...skip,
    firstOffset: BigInt(skip.firstOffset),
    lastOffset: BigInt(skip.lastOffset),
  }));
  return { nextOffset: BigInt(memory.nextOffset), skips };
}
