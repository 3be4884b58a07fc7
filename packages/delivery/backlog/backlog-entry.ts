// A parked message as the memory knows it, without its body. Pure.

import { failingFromAttempts } from "@sluice/contracts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { Operation } from "../port.ts";
import type { RoomKind } from "./backlog-room.ts";

export interface BacklogEntry {
  readonly id: string;
  readonly key: string;
  /** The endpoint of its operation; another one once the receiver's endpoints are replaced. */
  endpoint: Endpoint;
  /** Null where its record names none, or one that this version does not know. */
  readonly operation: Operation | null;
  readonly sequence: bigint;
  readonly reconciliationDay: string | null;
  readonly stopsAtMs: number | null;
  readonly deadlineMs: number | null;
  /** True where no attempt is made and only the end has to be reported. */
  readonly isEnding: boolean;
  /** The attempts made so far. */
  attempts: number;
  /** When the next attempt is due, in milliseconds of the monotonic clock. */
  dueMs: number;
}

/** What a due message needs: no attempt, its first, a further one, or one within the share of those that fail often. */
export type Rank = "ended" | TriedRank;
export type TriedRank = "untried" | "failed" | "failing";

/** Makes an entry due now, or within `failingWithinMs` where it fails often. */
export function hasten(entry: BacklogEntry, nowMs: number, failingWithinMs: number): void {
  entry.dueMs = Math.min(entry.dueMs, entry.attempts < failingFromAttempts ? nowMs : nowMs + failingWithinMs);
}

/** Tells whether an attempt on the message would say something about its endpoint. */
export function isFresh({ attempts }: Pick<BacklogEntry, "attempts">): boolean {
  return attempts < failingFromAttempts;
}

/** The message that was tried less is fresher; else the newer one is, because what stands first may be what fails. */
export function isFresher(one: BacklogEntry, other: BacklogEntry): boolean {
  return one.attempts === other.attempts ? one.sequence > other.sequence : one.attempts < other.attempts;
}

export function kindOf({ attempts }: BacklogEntry): RoomKind {
  return attempts === 0 ? "untried" : "failed";
}

export function rankOf({ attempts }: BacklogEntry): TriedRank {
  if (attempts === 0) return "untried";
  return attempts < failingFromAttempts ? "failed" : "failing";
}
