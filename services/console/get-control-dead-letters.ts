// listDeadLetters, showDeadLetter: what was put aside, where it lay and why; never what it says.
//
// #1 Partition by partition, the oldest first. The cursor is the place that the reading has come to, so a page may have few rows and a next one.

import { partitionOf, topics } from "@sluice/contracts";
import { offsetSince } from "@sluice/timeline";
import type { Messaging } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { instantText } from "./answer.ts";
import { refused } from "./acting.ts";
import type { ControlAnswer, ControlHandler } from "./control-handler.ts";
import { cursorOf, pageIn } from "./control-page.ts";
import { invalid } from "./control-values.ts";
import {
  idOf,
  keyTextOf,
  letterAt,
  letterView,
  placeIn,
  readingNow,
  walkLetters,
  type Letter,
  type LetterPorts,
} from "./dead-letter-reading.ts";
import { standingOf } from "./lane-standing.ts";

export interface DeadLetterPorts extends LetterPorts {
  readonly messaging: Messaging;
  readonly store: Pick<Store, "transactions" | "lanes">;
  /** Partitions of the topics. */
  readonly lanes: number;
}

const isPlace = (text: string): boolean => /^\d{1,4}:\d{1,19}$/.test(text);
/** So many letters are walked over before the log is halved again. */
const walkOnRecords = 1_000n;

export function listDeadLetters(ports: DeadLetterPorts): ControlHandler {
  return async ({ query }) => {
    const page = pageIn(query, isPlace);
    if (typeof page === "string") return invalid(page);
    const sinceMs = sinceIn(query.get("since"));
    if (sinceMs === undefined) return invalid("since: an instant such as 2026-11-20T06:00:00Z.");
    const [first, after] = page.after === null ? [0, -1n] : placeIn(page.after);
    const rows: Letter[] = [];
    for (let partition = first; partition < ports.lanes; partition += 1) {
      const from = partition === first ? after + 1n : 0n;
      const start = sinceMs === null ? from : await startSince(ports, partition, from, sinceMs);
      const { endedAt } = await walkLetters(ports, partition, { from: start }, (letter) => {
        if (letter.putAsideAtMs >= (sinceMs ?? 0) && isAsked(letter, query)) rows.push(letter);
        return rows.length < page.limit;
      });
      if (endedAt !== null) return found(rows, cursorOf(`${partition}:${endedAt}`));
    }
    return found(rows, null);
  };
}

export function showDeadLetter(ports: DeadLetterPorts): ControlHandler {
  return async ({ path: { letter: id = "" } }) => {
    const letter = await letterOf(ports, id);
    if (letter === null) return refused(404, "Not known", "There is no such dead letter.");
    const { isStopping: _stopping, ...reading } = await readingNow(letter.said, ports.serde);
    const { service, partition, offset } = letter.said;
    const position = await standingOf(ports, service, partition);
    const lane = position === null ? null : { position, hasPassed: position > offset };
    const transaction = await transactionOf(ports, letter);
    return { kind: "found", body: { schema: "DeadLetter", ...letterView(letter), reading, lane, transaction } };
  };
}

/** Null: there is none. */
export async function letterOf(ports: Pick<DeadLetterPorts, "lanes" | keyof LetterPorts>, id: string): Promise<Letter | null> {
  return placeIn(id)[0] < ports.lanes ? await letterAt(ports, id) : null;
}

/** The UETR that a letter of the journal is about, in its own lane; null: it is about none. */
export function uetrOf({ said }: Letter, lanes: number): string | null {
  const key = keyTextOf(said);
  const isUetr = key !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key);
  return isUetr && said.topic === topics.journal && partitionOf(key, lanes) === said.partition ? key : null;
}

async function transactionOf({ store, lanes }: DeadLetterPorts, letter: Letter) {
  const uetr = uetrOf(letter, lanes);
  if (uetr === null) return null;
  const parked = (await store.transactions.load([uetr])).get(uetr)?.transaction.parked ?? null;
  const mark = parked === null ? null : { since: instantText(parked.sinceMs), offset: parked.offset, records: parked.records };
  return { uetr, parked: mark };
}

function found(rows: readonly Letter[], next: string | null): ControlAnswer {
  const shown = rows.map((letter) => ({ ...letterView(letter), cursor: cursorOf(idOf(letter)) }));
  return { kind: "found", body: { schema: "DeadLetters", rows: shown, next } };
}

/** Undefined: it is no instant. */
function sinceIn(text: string | null): number | null | undefined {
  if (text === null) return null;
  try {
    return Temporal.Instant.from(text).epochMilliseconds;
  } catch {
    return undefined;
  }
}

async function startSince({ messaging }: DeadLetterPorts, partition: number, from: bigint, sinceMs: number): Promise<bigint> {
  const place = { topic: topics.deadLetters, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined) return from;
  const start = from > ends.logStart ? from : ends.logStart;
  return await offsetSince(messaging, place, { from: start, to: ends.logEnd, sinceMs, withinRecords: walkOnRecords });
}

function isAsked(letter: Letter, query: URLSearchParams): boolean {
  const { service, topic, reason } = letter.said;
  const equal = { service, topic, key: keyTextOf(letter.said) };
  const isEqual = Object.entries(equal).every(([name, value]) => (query.get(name) ?? value) === value);
  return isEqual && reason.includes(query.get("why") ?? "");
}
