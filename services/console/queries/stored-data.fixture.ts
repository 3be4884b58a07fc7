// For tests of operators' queries: transactions, items and days as a scheduler stores them, many at a time.

import { partitionFor } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import {
  extendRules,
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
import {
  buildConsoleDebit,
  changeTransaction,
  readJsonObject,
  consoleStartAtMs,
  type ConsoleEnvironment,
  type TransactionChanges,
} from "../console.fixture.ts";

export const day = "ZA_EFT:2026-11-20";
const hour = 3_600_000;
const partitionCount = 3;

/** UUIDs of version 4 in ascending order. */
export function consoleUetrAt(index: number): string {
  return `${index.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
}

/** The n-th UETR of a partition. */
export function uetrInPartition(partition: number, nth: number): string {
  const found = Array.from({ length: 200 }, (_, index) => consoleUetrAt(index)).filter(
    (uetr) => partitionFor(uetr, partitionCount) === partition,
  );
  return found[nth] ?? "";
}

export function buildStoredTransaction(state: State, index: number, over: TransactionChanges = {}): Transaction {
  const uetr = consoleUetrAt(index);
  const given = buildConsoleDebit(["RECEIVED", state]);
  const queueKey = `${String(given.receivedAtMs).padStart(15, "0")}:${over.uetr ?? uetr}`;
  return changeTransaction(given, {
    uetr,
    partition: partitionFor(over.uetr ?? uetr, partitionCount),
    bank: "first",
    businessDate: "2026-11-20",
    queueKey,
    ...over,
  });
}

/** Builds a credit to the bank `first` that was received at this offset. */
export function buildStoredCredit(state: State, uetr: string, receivedOffset: bigint, over: TransactionChanges = {}): Transaction {
  const base = buildStoredTransaction(state, 0, { uetr, flow: "credit", reconciliationDay: null, deadlineMs: consoleStartAtMs + hour });
  const transitions = base.transitions.map((entry, index) => ({
    ...entry,
    state: index === 0 ? ("CREDIT_AUTH_RECEIVED" as const) : state,
    offset: receivedOffset + BigInt(index),
  }));
  return changeTransaction(base, { transitions, ...over });
}

export async function saveTransactions(
  environment: ConsoleEnvironment,
  transactions: readonly Transaction[],
  search: Partial<SearchTerms> = {},
): Promise<void> {
  const writes = transactions.map((transaction) => ({
    document: {
      transaction,
      acceptedMessage: new Uint8Array(),
      finalReport: null,
      verdict: null,
      search: { ...noSearchTerms, ...search },
      rules: extendRules(null, 1),
      traceparent: null,
    },
    expectedVersion: 0,
  }));
  await environment.settled(environment.store.transactions.write(writes));
}

export function buildItem(over: Partial<Item> = {}): Item {
  return {
    day,
    row: 9,
    cause: null,
    state: "DELIVERED",
    madeAtMs: consoleStartAtMs + 10 * hour,
    evidence: null,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
    note: null,
    ...over,
  };
}

export function buildOperatorAction(over: Partial<OperatorAction> = {}): OperatorAction {
  return {
    id: "action-1",
    operator: "operator",
    reason: "the bank called",
    requestedAtMs: consoleStartAtMs,
    person: null,
    confirmedBy: null,
    contentSha256: "0c".repeat(32),
    ...over,
  };
}

export const twoWindowPlan: DayPlanned = {
  kind: "DayPlanned",
  scheme: "ZA_EFT",
  businessDate: "2026-11-20",
  zone: "Africa/Johannesburg",
  calendarVersion: "v1",
  isWorkingDay: true,
  windows: [
    { number: 1, opensAtMs: consoleStartAtMs + hour, closesAtMs: consoleStartAtMs + 4 * hour },
    { number: 2, opensAtMs: consoleStartAtMs + 5 * hour, closesAtMs: consoleStartAtMs + 8 * hour },
  ],
  cutOffAtMs: consoleStartAtMs + 7 * hour,
  reconciliationAtMs: consoleStartAtMs + 10 * hour,
  nextBusinessDate: "2026-11-23",
  creditsFinal: "connector",
  partitionCount,
};

const about = { scheme: "ZA_EFT", businessDate: "2026-11-20" } as const;

export const creditsDeclared: DayFact = { kind: "CreditsFinalRequested", ...about, bank: null, requestedBy: "clearing", action: null };

export function partitionAnswered(partition: number, banksUnresolved: readonly string[] = []): DayFact {
  return { kind: "PartitionCredits", ...about, partition, declaration: `${day}:CreditsDeclared:1`, banksUnresolved };
}

export function firstWindowOpens(): DayFact {
  return { kind: "DayTimeReached", ...about, time: "window-opens", number: 1 };
}

/** Applies facts to a day, the first at `atMs` and each a second after the one before. */
export function applyDayFacts(facts: readonly DayFact[], atMs: number): Day {
  let made: Day | null = null;
  for (const [index, fact] of facts.entries()) {
    made = decideDay(day, made, fact, { offset: BigInt(index), appendedAtMs: atMs + index * 1_000 }).day;
  }
  if (made === null) throw new Error("the day is planned");
  return made;
}

export async function saveDay(environment: ConsoleEnvironment, saved: Day): Promise<void> {
  await environment.settled(environment.store.days.write(saved, 0));
}

/** Marks the declaration as applied in all partitions of the scheduler, at this offset. */
export async function markDeclarationApplied(environment: ConsoleEnvironment, offset: bigint): Promise<void> {
  const marker = { id: `${day}:CreditsDeclared:1`, kind: "CreditsDeclared", ...about, number: 1, bank: null, declaredBy: "connector" };
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const held = await environment.settled(environment.store.partitions.takeOver("scheduler", partition));
    const state = { markers: [{ marker, offset: String(offset), atMs: consoleStartAtMs }] };
    await environment.settled(environment.store.partitions.write("scheduler", partition, held, offset + 1n, state));
  }
}

/** Reads an answer and checks it against its documented schema. Throws if it is refused or differs. */
export async function readControlAnswer(environment: ConsoleEnvironment, path: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await environment.control(path);
  const body = await environment.settled(readJsonObject(answer));
  const documented = Object.values(controlAnswers).some((schema) => schema.safeParse(body).success);
  if (answer.status !== 200 || !documented) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return body;
}

/** Reads the rows of a list as an operator. */
export async function readControlRows(
  environment: ConsoleEnvironment,
  path: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return rowsIn(await readControlAnswer(environment, path));
}

function rowsIn({ rows }: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(rows)) throw new Error("no list");
  return rows;
}

/** Reads every page of a list. */
export async function readControlPages(
  environment: ConsoleEnvironment,
  path: string,
): Promise<readonly (readonly Readonly<Record<string, unknown>>[])[]> {
  const pages = [];
  let after = "";
  for (;;) {
    const body = await readControlAnswer(environment, `${path}${after}`);
    pages.push(rowsIn(body));
    if (typeof body["next"] !== "string") return pages;
    after = `&after=${body["next"]}`;
  }
}

/** Builds a parked message to the bank `first`. */
export function buildParkedMessage(id: string, sequence: bigint, over: Partial<ParkedMessage> = {}): ParkedMessage {
  return {
    id,
    partition: 0,
    receiverId: "first",
    deliveryKey: consoleUetrAt(1),
    uetr: consoleUetrAt(1),
    operation: "inboundDirectDebit",
    sequence,
    record: new Uint8Array([1]),
    traceparent: null,
    nextAttemptAtMs: consoleStartAtMs + 60_000,
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    stopsAtMs: null,
    attempts: 2,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    recentAttempts: [
      { atMs: consoleStartAtMs, httpStatusCode: 503, answer: "away", tookMs: 7, address: "http://first.test/events", class: "transient" },
    ],
    earlier: null,
    ended: null,
    redrive: null,
    stop: null,
    version: 1n,
    ...over,
  };
}
