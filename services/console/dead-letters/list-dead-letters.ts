// listDeadLetters, showDeadLetter: which records were dead-lettered, where they were and why; never their content.
//
// #1 Letters come partition by partition, the oldest first. The cursor is the place that the search has reached, so a
//    page may have few rows and still a next page.

import { partitionFor, topics } from "@sluice/contracts";
import { findOffsetSince } from "@sluice/timeline";
import type { Messaging } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { formatInstant } from "../http/bank-answer.ts";
import { refuseWith } from "../decisions/decision.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { encodeCursor, parsePageRequest } from "../views/page.ts";
import { invalidRequest } from "../views/control-values.ts";
import {
  deadLetterId,
  readableKey,
  readDeadLetterAt,
  deadLetterView,
  parseDeadLetterId,
  checkReadability,
  walkDeadLetters,
  type StoredDeadLetter,
  type DeadLetterReadPorts,
} from "./read-dead-letters.ts";
import { findPartitionPosition } from "./partition-position.ts";

export interface DeadLetterQueryPorts extends DeadLetterReadPorts {
  readonly messaging: Messaging;
  readonly store: Pick<Store, "transactions" | "partitions">;
  /** Number of partitions of the topics. */
  readonly partitionCount: number;
}

const isPlace = (text: string): boolean => /^\d{1,4}:\d{1,19}$/.test(text);
/** Letters that are read one by one before the binary search by time is used again. */
const walkOnRecords = 1_000n;

export function listDeadLetters(ports: DeadLetterQueryPorts): ControlHandler {
  return async ({ query }) => {
    const page = parsePageRequest(query, isPlace);
    if (typeof page === "string") return invalidRequest(page);
    const sinceMs = parseSince(query.get("since"));
    if (sinceMs === undefined) return invalidRequest("since: an instant such as 2026-11-20T06:00:00Z.");
    const [first, after] = page.after === null ? [0, -1n] : parseDeadLetterId(page.after);
    const rows: StoredDeadLetter[] = [];
    for (let partition = first; partition < ports.partitionCount; partition += 1) {
      const from = partition === first ? after + 1n : 0n;
      const start = sinceMs === null ? from : await findStart(ports, partition, from, sinceMs);
      const { endedAt } = await walkDeadLetters(ports, partition, { from: start }, (letter) => {
        if (letter.deadLetteredAtMs >= (sinceMs ?? 0) && isAsked(letter, query)) rows.push(letter);
        return rows.length < page.limit;
      });
      if (endedAt !== null) return found(rows, encodeCursor(`${partition}:${endedAt}`));
    }
    return found(rows, null);
  };
}

export function showDeadLetter(ports: DeadLetterQueryPorts): ControlHandler {
  return async ({ path: { letter: id = "" } }) => {
    const letter = await findDeadLetter(ports, id);
    if (letter === null) return refuseWith(404, "Not known", "There is no such dead letter.");
    const { isBlocking: _stopping, ...reading } = await checkReadability(letter.deadLetter, ports.serde);
    const { service, partition, offset } = letter.deadLetter;
    const position = await findPartitionPosition(ports, service, partition);
    const progress = position === null ? null : { position, hasPassed: position > offset };
    const transaction = await loadQuarantine(ports, letter);
    return { kind: "found", body: { schema: "DeadLetter", ...deadLetterView(letter), reading, progress, transaction } };
  };
}

/** Null: there is no such dead letter. */
export async function findDeadLetter(
  ports: Pick<DeadLetterQueryPorts, "partitionCount" | keyof DeadLetterReadPorts>,
  id: string,
): Promise<StoredDeadLetter | null> {
  return parseDeadLetterId(id)[0] < ports.partitionCount ? await readDeadLetterAt(ports, id) : null;
}

/** The UETR of a dead letter of the journal, if the record was in the UETR's own partition; null: it has none. */
export function deadLetterUetr({ deadLetter }: StoredDeadLetter, partitionCount: number): string | null {
  const key = readableKey(deadLetter);
  const isUetr = key !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
  return isUetr && deadLetter.topic === topics.journal && partitionFor(key, partitionCount) === deadLetter.partition ? key : null;
}

async function loadQuarantine({ store, partitionCount }: DeadLetterQueryPorts, letter: StoredDeadLetter) {
  const uetr = deadLetterUetr(letter, partitionCount);
  if (uetr === null) return null;
  const quarantined = (await store.transactions.load([uetr])).get(uetr)?.transaction.quarantined ?? null;
  const mark =
    quarantined === null ? null : { since: formatInstant(quarantined.sinceMs), offset: quarantined.offset, records: quarantined.records };
  return { uetr, quarantined: mark };
}

function found(rows: readonly StoredDeadLetter[], next: string | null): ControlAnswer {
  const shown = rows.map((letter) => ({ ...deadLetterView(letter), cursor: encodeCursor(deadLetterId(letter)) }));
  return { kind: "found", body: { schema: "DeadLetters", rows: shown, next } };
}

/** Undefined: the text is not an instant. */
function parseSince(text: string | null): number | null | undefined {
  if (text === null) return null;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}

async function findStart({ messaging }: DeadLetterQueryPorts, partition: number, from: bigint, sinceMs: number): Promise<bigint> {
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined) return from;
  const start = from > ends.logStart ? from : ends.logStart;
  return await findOffsetSince(messaging, place, { from: start, to: ends.logEnd, sinceMs, withinRecords: walkOnRecords });
}

function isAsked(letter: StoredDeadLetter, query: URLSearchParams): boolean {
  const { service, topic, reason } = letter.deadLetter;
  const equal = { service, topic, key: readableKey(letter.deadLetter) };
  const isEqual = Object.entries(equal).every(([name, value]) => (query.get(name) ?? value) === value);
  return isEqual && reason.includes(query.get("why") ?? "");
}
