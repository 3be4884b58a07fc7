// For tests of what operators ask: transactions, items and days as a scheduler leaves them, many at a time.

import { controlAnswers, partitionOf } from "@sluice/contracts";
import {
  decideDay,
  type Day,
  type DayFact,
  type DayPlanned,
  type Item,
  type OperatorAction,
  type State,
  type Transaction,
} from "@sluice/domain";
import { noSearchTerms, type ParkedMessage, type SearchTerms } from "@sluice/store";
import { debitIn, jsonOf, startAtMs, type World } from "./given.ts";

export const day = "ZA_EFT:2026-11-20";
const hour = 3_600_000;
const lanes = 3;

/** UUIDs of version 4 in ascending order. */
export function uetrOf(index: number): string {
  return `${index.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

/** The n-th UETR of a lane. */
export function uetrInLane(lane: number, nth: number): string {
  const found = Array.from({ length: 200 }, (_, index) => uetrOf(index)).filter((uetr) => partitionOf(uetr, lanes) === lane);
  return found[nth] ?? "";
}

export function transactionIn(state: State, index: number, over: Partial<Transaction> = {}): Transaction {
  const uetr = uetrOf(index);
  const given = debitIn(["RECEIVED", state]);
  const queueKey = `${String(given.receivedAtMs).padStart(15, "0")}:${over.uetr ?? uetr}`;
  return { ...given, uetr, lane: partitionOf(over.uetr ?? uetr, lanes), bank: "first", businessDate: "2026-11-20", queueKey, ...over };
}

/** A credit to the bank `first`, received at this offset. */
export function creditIn(state: State, uetr: string, receivedOffset: bigint, over: Partial<Transaction> = {}): Transaction {
  const base = transactionIn(state, 0, { uetr, flow: "credit", closesWith: "", deadlineMs: startAtMs + hour });
  const transitions = base.transitions.map((entry, index) => ({
    ...entry,
    state: index === 0 ? ("CREDIT_AUTH_RECEIVED" as const) : state,
    offset: receivedOffset + BigInt(index),
  }));
  return { ...base, transitions, ...over };
}

export async function saveAll(world: World, transactions: readonly Transaction[], search: Partial<SearchTerms> = {}): Promise<void> {
  const writes = transactions.map((transaction) => ({
    document: { transaction, acceptedMessage: new Uint8Array(), finalReport: null, verdict: null, search: { ...noSearchTerms, ...search } },
    expectedVersion: 0,
  }));
  await world.settled(world.store.transactions.write(writes));
}

export function itemOf(over: Partial<Item> = {}): Item {
  return {
    day,
    row: 9,
    cause: null,
    state: "DELIVERED",
    madeAtMs: startAtMs + 10 * hour,
    evidence: null,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
    ...over,
  };
}

export function actionOf(over: Partial<OperatorAction> = {}): OperatorAction {
  return { id: "action-1", operator: "operator", reason: "the bank called", requestedAtMs: startAtMs, ...over };
}

export const plan: DayPlanned = {
  kind: "DayPlanned",
  scheme: "ZA_EFT",
  businessDate: "2026-11-20",
  zone: "Africa/Johannesburg",
  calendarVersion: "v1",
  isWorkingDay: true,
  windows: [
    { number: 1, opensAtMs: startAtMs + hour, closesAtMs: startAtMs + 4 * hour },
    { number: 2, opensAtMs: startAtMs + 5 * hour, closesAtMs: startAtMs + 8 * hour },
  ],
  cutOffAtMs: startAtMs + 7 * hour,
  reconciliationAtMs: startAtMs + 10 * hour,
  nextBusinessDate: "2026-11-23",
  creditsFinal: "connector",
  lanes,
};

const about = { scheme: "ZA_EFT", businessDate: "2026-11-20" } as const;

export const declared: DayFact = { kind: "CreditsFinalRequested", ...about, bank: null, requestedBy: "clearing", action: null };

export function answered(lane: number, banksUnresolved: readonly string[] = []): DayFact {
  return { kind: "LaneCredits", ...about, lane, declaration: `${day}:CreditsDeclared:1`, banksUnresolved };
}

export function opensFirst(): DayFact {
  return { kind: "DayTimeReached", ...about, time: "window-opens", number: 1 };
}

/** Each fact a second after the one before; the first at `atMs`. */
export function dayAfter(facts: readonly DayFact[], atMs: number): Day {
  let made: Day | null = null;
  for (const [index, fact] of facts.entries()) {
    made = decideDay(day, made, fact, { offset: BigInt(index), appendedAtMs: atMs + index * 1_000 }).day;
  }
  if (made === null) throw new Error("the day is planned");
  return made;
}

export async function saveDay(world: World, saved: Day): Promise<void> {
  await world.settled(world.store.days.write(saved, 0));
}

/** The scheduler's lanes have passed the declaration, each at this offset. */
export async function lanesPassed(world: World, offset: bigint): Promise<void> {
  const marker = { id: `${day}:CreditsDeclared:1`, kind: "CreditsDeclared", ...about, number: 1, bank: null, declaredBy: "connector" };
  for (let lane = 0; lane < lanes; lane += 1) {
    const { epoch } = await world.settled(world.store.lanes.takeOver("scheduler", lane));
    const state = { markers: [{ marker, offset: String(offset), atMs: startAtMs }] };
    await world.settled(world.store.lanes.write("scheduler", lane, epoch, offset + 1n, state));
  }
}

/** As it is documented: no member more, none less. Throws where it is refused or differs. */
export async function answerTo(world: World, path: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await world.control(path);
  const body = await world.settled(jsonOf(answer));
  const documented = Object.values(controlAnswers).some((schema) => schema.safeParse(body).success);
  if (answer.status !== 200 || !documented) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body;
}

/** Rows of a list, asked for as an operator. */
export async function rowsOf(world: World, path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return rowsIn(await answerTo(world, path));
}

function rowsIn({ rows }: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(rows)) throw new Error("no list");
  return rows;
}

/** Every page of a list until there is no next one. */
export async function allPages(world: World, path: string): Promise<readonly (readonly Readonly<Record<string, unknown>>[])[]> {
  const pages = [];
  let after = "";
  for (;;) {
    const body = await answerTo(world, `${path}${after}`);
    pages.push(rowsIn(body));
    if (typeof body["next"] !== "string") return pages;
    after = `&after=${body["next"]}`;
  }
}

/** Not taken by the bank `first`. */
export function parkedAs(id: string, sequence: bigint, over: Partial<ParkedMessage> = {}): ParkedMessage {
  return {
    id,
    lane: 0,
    bank: "first",
    deliveryKey: uetrOf(1),
    uetr: uetrOf(1),
    operation: "inboundDirectDebit",
    sequence,
    record: new Uint8Array([1]),
    traceparent: null,
    nextAttemptAtMs: startAtMs + 60_000,
    closesWith: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    stopsAtMs: null,
    attempts: 2,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    recentAttempts: [
      { atMs: startAtMs, httpStatusCode: 503, answer: "away", tookMs: 7, address: "http://first.test/events", class: "transient" },
    ],
    earlier: null,
    ended: null,
    redrive: null,
    ...over,
  };
}
