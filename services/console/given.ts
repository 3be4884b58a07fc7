// For tests: the console over a memory log and a memory store under a virtual clock, and transactions as a scheduler leaves them.

import type { Configuration } from "@sluice/config";
import { outgoingRecord, partitionOf, sha256Hex, topics, fixedSerde, type AnyDecoded, type Records } from "@sluice/contracts";
import { decide, laneView, type State, type Transaction } from "@sluice/domain";
import { createMemoryLog } from "@sluice/messaging";
import { createMemoryStore, noSearchTerms, type StoreFault } from "@sluice/store";
import { createMetrics, silentLog, type Log, type LogFields } from "@sluice/telemetry";
import {
  createVirtualTime,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleOperator,
  sampleToken,
  sampleUetr,
  seededRandom,
} from "@sluice/testkit";
import { startConsole } from "./service.ts";

export const startAtMs = Date.UTC(2026, 10, 20, 6);
export const uetr = sampleUetr;
const lanes = 3;
const lane = partitionOf(uetr, lanes);
const serde = fixedSerde();

export type World = Awaited<ReturnType<typeof givenConsole>>;

/** What the console is started with. */
function givenPorts(over: Partial<Configuration>) {
  const time = createVirtualTime({ startAtMs });
  const world: { fault: StoreFault; lines: { event: string; fields: LogFields }[] } = { fault: "none", lines: [] };
  const perLane = Object.fromEntries(
    [topics.journal, topics.dispatch, topics.events, topics.receipts, topics.deadLetters].map((topic) => [topic, lanes]),
  );
  const messaging = createMemoryLog({ time, random: seededRandom("log"), topics: { ...perLane, [topics.probe]: 1 } });
  const store = createMemoryStore({ time, random: seededRandom("store"), hooks: { fault: () => world.fault } });
  const note = (event: string, fields: LogFields = {}): void => void world.lines.push({ event, fields });
  const log: Log = { ...silentLog, info: note, warn: note };
  const metrics = createMetrics({ withProcess: false });
  const configuration = sampleConfiguration({
    banks: [sampleBank({ id: "first" }), sampleBank({ id: "second", branch: "632005", requestsPerSecond: 2 })],
    connectors: [sampleConnector()],
    operators: [
      sampleOperator(),
      sampleOperator({ id: "reader", roles: ["read"] }),
      sampleOperator({ id: "second-person", roles: ["read", "approve"] }),
    ],
    ...over,
  });
  const random = seededRandom("console");
  return { world, ports: { time, random, log, metrics, messaging, store, serde, configuration, lanes } };
}

export async function givenConsole(over: Partial<Configuration> = {}) {
  const { world, ports } = givenPorts(over);
  const { time, messaging, store, serde, metrics } = ports;

  async function settled<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    void work.finally(() => (isDone = true)).catch(() => null);
    await time.run({ until: () => isDone, stepsMax: 1_000_000 });
    return await work;
  }

  const desk = await settled(startConsole(ports));
  await time.advance(50);

  async function ask(path: string, caller: string | null = "first"): Promise<Response> {
    const authorization: Record<string, string> = caller === null ? {} : { authorization: `Bearer ${sampleToken(caller)}` };
    return await settled(desk.fetch(new Request(`http://console${path}`, { headers: authorization })));
  }

  /** As an operator, on the control API; a body that is no text is sent as JSON. */
  async function control(path: string, asked: ControlAsked = {}): Promise<Response> {
    return await settled(desk.fetchControl(controlRequest(path, asked)));
  }

  /** Records of another UETR's, or what the test names, at the end of a topic's lane. */
  async function append(topic: string, key: string, decoded: AnyDecoded): Promise<void> {
    const producer = await settled(messaging.producer("test"));
    const record = outgoingRecord(serde, topic, key, decoded, { lanes });
    await settled(producer.send([{ ...record, partition: lane }]));
  }

  async function appendToJournal(): Promise<void> {
    await append(topics.journal, uetr, { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } });
  }

  /** On its own, so much later: whoever waits for something else moves time on. */
  async function appendToJournalAfter(delayMs: number): Promise<void> {
    const producer = await settled(messaging.producer("later"));
    const record = outgoingRecord(serde, topics.journal, uetr, { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } }, { lanes });
    time.after(delayMs, () => void producer.send([record]));
  }

  /** The scheduler has applied its lane up to this offset. */
  async function schedulerReaches(position: bigint): Promise<void> {
    const document = (await settled(store.lanes.list("scheduler"))).find(({ partition }) => partition === lane);
    const epoch = document?.epoch ?? (await settled(store.lanes.takeOver("scheduler", lane))).epoch;
    await settled(store.lanes.write("scheduler", lane, epoch, position));
  }

  async function save(transaction: Transaction, expectedVersion = 0): Promise<void> {
    const document = { transaction, acceptedMessage: new Uint8Array(), finalReport: null, verdict: null, search: noSearchTerms };
    await settled(store.transactions.write([{ document, expectedVersion }]));
  }

  return {
    time,
    world,
    messaging,
    store,
    metrics,
    desk,
    settled,
    ask,
    control,
    append,
    appendToJournal,
    appendToJournalAfter,
    schedulerReaches,
    save,
  };
}

export interface ControlAsked {
  /** Null: no token. */
  readonly operator?: string | null;
  readonly method?: string;
  readonly body?: unknown;
  readonly actionId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function controlRequest(path: string, { operator = "operator", body, actionId, ...asked }: ControlAsked): Request {
  const bytes = body === undefined ? null : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  const headers = {
    ...(operator === null ? {} : { authorization: `Bearer ${sampleToken(operator)}` }),
    ...(bytes === null ? {} : { "content-type": "application/json", "content-length": String(bytes.byteLength) }),
    ...(actionId === undefined ? {} : { "idempotency-key": actionId }),
    ...asked.headers,
  };
  return new Request(`http://console/control/v1${path}`, {
    method: asked.method ?? (bytes === null ? "GET" : "POST"),
    headers,
    body: bytes,
  });
}

export async function jsonOf(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await answer.json();
  if (typeof body !== "object" || body === null) throw new Error("not an object");
  return { ...body };
}

/** An on-us debit of the bank `first` that has been through these states, a minute apart. */
export function debitIn(states: readonly State[], over: Partial<Transaction> = {}): Transaction {
  const message = { sender: "first", messageIdentification: "M-1", contentHash: "c", substanceHash: "s" };
  const fact = {
    kind: "DirectDebitReceived",
    flow: "on-us",
    uetr,
    message,
    bank: null,
    receivedAtMs: startAtMs,
    closesWith: "ZA_EFT:2026-11-20",
    closesAtMs: startAtMs,
    scheme: "ZA_EFT",
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
  } as const;
  const place = { offset: 0n, appendedAtMs: startAtMs };
  const { transaction } = decide(uetr, null, fact, place, laneView(lane, []), sha256Hex);
  const [received] = transaction?.transitions ?? [];
  if (transaction === null || received === undefined) throw new Error("a received debit is a transaction");
  const transitions = states.map((state, index) => ({
    ...received,
    state,
    stageVersion: index + 1,
    atMs: startAtMs + index * 60_000,
    offset: BigInt(index),
  }));
  return { ...transaction, state: states.at(-1) ?? "RECEIVED", transitions, ...over };
}

export function stateEvent(stageVersion: number, over: Partial<Records["TransactionStateEvent"]> = {}): AnyDecoded {
  return { name: "TransactionStateEvent", value: { ...eventColumns(stageVersion), stageVersion, type: "DIRECT_DEBIT", ...over } };
}

export function esmEvent(stageVersion: number, over: Partial<Records["EsmStateEvent"]> = {}): AnyDecoded {
  const states = { financialTransactionState: "IN_PROGRESS", transactionState: "SENT" };
  return { name: "EsmStateEvent", value: { ...eventColumns(stageVersion), ...states, body: bodyOfEsm(stageVersion), ...over } };
}

/** As it is posted: the digits of the amount are those of the message. */
export const bodyText = (stageVersion: number): string => `{"stageVersion":${stageVersion},"value":1250.50}`;

function bodyOfEsm(stageVersion: number): Uint8Array {
  return new TextEncoder().encode(`{"class":"ESM_STATE","of":${stageVersion}}`);
}

function eventColumns(stageVersion: number) {
  return {
    id: `event-${stageVersion}`,
    uetr,
    state: `STATE-${stageVersion}`,
    bank: "first",
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    businessDate: "2026-11-20",
    amount: { value: 12_505_000n, digits: 2, currency: "ZAR" },
    enteredAtMs: startAtMs,
    causedByOffset: BigInt(stageVersion),
    deadlineMs: startAtMs,
    body: new TextEncoder().encode(bodyText(stageVersion)),
  };
}
