// For tests: the console over a memory broker and a memory store under a virtual clock, and transactions as a scheduler
// stores them.

import type { Configuration } from "@sluice/config";
import {
  type AcceptedMessage,
  outgoingRecord,
  partitionedTopics,
  partitionFor,
  sha256Hex,
  topics,
  createFixedSerde,
  readDirectDebit,
  type ReadResult,
  readStatusReport,
  type AnyDecodedRecord,
  type Records,
} from "@sluice/contracts";
import { decide, createPartitionView, extendRules, type State, type Transaction } from "@sluice/domain";
import { createMemoryBroker, type ProduceFate } from "@sluice/messaging";
import { createMemoryStore, noSearchTerms, type StoreFault, type TransactionDocument } from "@sluice/store";
import { createMetrics } from "@sluice/service";
import { silentLogger, type Logger, type LogFields } from "@sluice/kernel";
import {
  buildDirectDebit,
  buildStatusReport,
  createVirtualTime,
  encodeBody,
  sampleBank,
  sampleConfiguration,
  sampleConnector,
  sampleOperator,
  sampleToken,
  sampleUetr,
  seededRandom,
} from "@sluice/testkit";
import { type ConsoleServicePorts, startConsole } from "./service.ts";

export const consoleStartAtMs = Date.UTC(2026, 10, 20, 6);
export const consoleUetr = sampleUetr;
const partitionCount = 3;
const partition = partitionFor(consoleUetr, partitionCount);
const serde = createFixedSerde();

export type ConsoleEnvironment = Awaited<ReturnType<typeof openConsoleEnvironment>>;

/** Creates the ports that the console is started with. */
function createPorts(over: Partial<Configuration>) {
  const time = createVirtualTime({ startAtMs: consoleStartAtMs });
  const environment: {
    fault: StoreFault;
    journalFate: ProduceFate;
    /** The topic whose leaders do not know all records yet, so that every reading to its end ends early; null: none. */
    behindTopic: string | null;
    /** Calls of the store that take two seconds; null: none. */
    slowCall: string | null;
    lines: { event: string; fields: LogFields }[];
    /** The store's operations, in the order of their calls. */
    storeCalls: string[];
    /** Topics that the console has read. */
    readonly topicsRead: Set<string>;
  } = {
    fault: "none",
    journalFate: { kind: "append" },
    behindTopic: null,
    slowCall: null,
    lines: [],
    storeCalls: [],
    topicsRead: new Set(),
  };
  const perPartition = Object.fromEntries(partitionedTopics.map((topic) => [topic, partitionCount]));
  const messaging = createMemoryBroker({
    time,
    random: seededRandom("log"),
    topics: { ...perPartition, [topics.probe]: 1 },
    hooks: {
      produce: (_, [record]) => (record?.topic === topics.journal ? environment.journalFate : { kind: "append" }),
      fetch: (_, { topic }) => {
        environment.topicsRead.add(topic);
        return topic === environment.behindTopic ? "behind" : "answer";
      },
    },
  });
  const store = createMemoryStore({
    time,
    random: seededRandom("store"),
    hooks: {
      fault: ({ operation }) => {
        environment.storeCalls.push(operation);
        return operation === environment.slowCall ? "slow" : environment.fault;
      },
    },
  });
  const note = (event: string, fields: LogFields = {}): void => void environment.lines.push({ event, fields });
  const logger: Logger = { ...silentLogger, info: note, warn: note };
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
  return { environment, ports: { time, random, logger, metrics, messaging, store, serde, configuration, partitionCount } };
}

type KeptBytes = Pick<TransactionDocument, "acceptedMessage" | "verdict" | "finalReport">;

const keptNothing: KeptBytes = { acceptedMessage: new Uint8Array(), verdict: null, finalReport: null };

/** What a transaction keeps of the journal that was received, accepted and reported settled. */
export function buildKeptBytes(uetr = consoleUetr): KeptBytes {
  const { message: debit, contentHash, substanceHash } = requireRead(readDirectDebit(encodeBody(buildDirectDebit({ uetr }))));
  const { message: report, ...hashes } = requireRead(readStatusReport(encodeBody(buildStatusReport({ uetr }))));
  const came = { sender: "first", receivedAtMs: consoleStartAtMs };
  const day = { reconciliationDay: "ZA_EFT:2026-11-20", closesAtMs: consoleStartAtMs };
  const { messageIdentification } = debit.messageIdentifiers;
  const dated = { bank: "first", businessDate: "2026-11-20", reconciliationDay: "ZA_EFT:2026-11-20", deadlineMs: null };
  const rest = { decisions: [], subService: "SAME_DAY", calendarVersion: "test-1", onUsOutcomeReport: false, carryOversMax: 0 } as const;
  const subject = { sender: "first", messageIdentification, contentHash };
  return {
    acceptedMessage: serde.encode("DirectDebitReceived", {
      ...came,
      contentHash,
      substanceHash,
      ...day,
      flow: "ON_US",
      bank: null,
      debit,
    }),
    verdict: serde.encode("AccountVerified", { ...subject, verdict: "ACCEPTED", reasons: [], ...dated, ...rest }),
    finalReport: serde.encode("StatusReportReceived", {
      ...came,
      contentHash: hashes.contentHash,
      substanceHash: hashes.substanceHash,
      report,
      operation: "inboundDirectDebitResponse",
    }),
  };
}

function requireRead<T>(result: ReadResult<T>): AcceptedMessage<T> {
  if (!result.ok) throw new Error("the sample message is read");
  return result.read;
}

type OptionalPorts = Pick<
  ConsoleServicePorts,
  "askAlarms" | "askProcesses" | "auditKeys" | "helpFolder" | "keyService" | "operatorKey" | "tracePage"
>;

export async function openConsoleEnvironment(over: Partial<Configuration> = {}, more: OptionalPorts = {}) {
  const { environment, ports } = createPorts(over);
  const { time, messaging, store, serde, metrics } = ports;

  const settled = time.finish;

  const desk = await settled(startConsole({ ...ports, ...more }));
  await time.advance(50);

  async function ask(path: string, caller: string | null = "first"): Promise<Response> {
    const authorization: Record<string, string> = caller === null ? {} : { authorization: `Bearer ${sampleToken(caller)}` };
    return await settled(desk.fetch(new Request(`http://console${path}`, { headers: authorization })));
  }

  /** Calls the control API as an operator; a body that is not a text is sent as JSON. */
  async function control(path: string, asked: ControlRequestInput = {}): Promise<Response> {
    return await settled(desk.fetchControl(buildControlRequest(path, asked)));
  }

  /** Appends a record to the partition of the sample UETR, whatever its key is. */
  async function append(topic: string, key: string, decoded: AnyDecodedRecord): Promise<void> {
    const producer = await settled(messaging.producer("test"));
    const record = outgoingRecord(serde, topic, key, decoded, { partitionCount });
    await settled(producer.send([{ ...record, partition }]));
  }

  async function appendToJournal(): Promise<void> {
    await append(topics.journal, consoleUetr, { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } });
  }

  /** Appends a record after a delay, while the test waits for something else. */
  async function appendToJournalAfter(delayMs: number): Promise<void> {
    const producer = await settled(messaging.producer("later"));
    const record = outgoingRecord(
      serde,
      topics.journal,
      consoleUetr,
      { name: "DayClosed", value: { day: "ZA_EFT:2026-11-20" } },
      { partitionCount },
    );
    time.after(delayMs, () => void producer.send([record]));
  }

  /** Sets the scheduler's position in the partition. */
  async function schedulerReaches(position: bigint): Promise<void> {
    const document = (await settled(store.partitions.list("scheduler"))).find((one) => one.partition === partition);
    const held = document ?? (await settled(store.partitions.takeOver("scheduler", partition)));
    await settled(store.partitions.write("scheduler", partition, held, position));
  }

  async function save(transaction: Transaction, expectedVersion = 0, kept: KeptBytes = keptNothing): Promise<void> {
    const document = {
      ...kept,
      traceparent: null,
      transaction,
      search: noSearchTerms,
      rules: extendRules(null, 1),
    };
    await settled(store.transactions.write([{ document, expectedVersion }]));
  }

  return {
    time,
    environment,
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

export interface ControlRequestInput {
  /** Id of the operator; null: no token is sent. */
  readonly operator?: string | null;
  readonly method?: string;
  readonly body?: unknown;
  readonly actionId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function buildControlRequest(path: string, { operator = "operator", body, actionId, ...asked }: ControlRequestInput): Request {
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

export async function readJsonObject(answer: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await answer.json();
  if (typeof body !== "object" || body === null) throw new Error("not an object");
  return { ...body };
}

/** Members of a transaction, of whatever flow. */
export type TransactionChanges = { readonly [K in keyof Transaction]?: Transaction[K] };

/** Changes members of a transaction; nobody checks that they fit together. */
export function changeTransaction(transaction: Transaction, changes: TransactionChanges): Transaction {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- A test gives the members that it needs.
  return { ...transaction, ...changes } as Transaction;
}

/** Builds an on-us debit of the bank `first` that has been through these states, a minute apart. */
export function buildConsoleDebit(states: readonly State[], over: TransactionChanges = {}): Transaction {
  const message = { sender: "first", messageIdentification: "M-1", contentHash: "c", substanceHash: "s" };
  const fact = {
    kind: "DirectDebitReceived",
    flow: "on-us",
    uetr: consoleUetr,
    message,
    bank: null,
    receivedAtMs: consoleStartAtMs,
    reconciliationDay: "ZA_EFT:2026-11-20",
    closesAtMs: consoleStartAtMs,
    scheme: "ZA_EFT",
    amountTenThousandths: 12_505_000n,
    currency: "ZAR",
  } as const;
  const place = { offset: 0n, appendedAtMs: consoleStartAtMs };
  const { transaction } = decide(consoleUetr, null, fact, place, createPartitionView(partition, []), sha256Hex);
  const [received] = transaction?.transitions ?? [];
  if (transaction === null || received === undefined) throw new Error("a received debit is a transaction");
  const transitions = states.map((state, index) => ({
    ...received,
    state,
    stageVersion: index + 1,
    atMs: consoleStartAtMs + index * 60_000,
    offset: BigInt(index),
  }));
  return changeTransaction(transaction, { state: states.at(-1) ?? "RECEIVED", transitions, ...over });
}

/** Builds what is known of a UETR under which only a bank's report came. */
export function buildConsoleOrphan(): Transaction {
  const fact = {
    kind: "StatusReportReceived",
    about: "debit",
    message: { sender: "first", messageIdentification: "R-1", contentHash: "c", substanceHash: "s" },
    receivedAtMs: consoleStartAtMs,
    outcome: "made",
    originalMessageIdentification: "M-1",
  } as const;
  const place = { offset: 0n, appendedAtMs: consoleStartAtMs };
  const { transaction } = decide(consoleUetr, null, fact, place, createPartitionView(partition, []), sha256Hex);
  if (transaction === null) throw new Error("a report is kept");
  return transaction;
}

/** Builds what is known of a UETR under which only a record came that could not be read. */
export function buildConsoleUnread(holds: "debit" | "credit", uetr = consoleUetr, offset = 0n): Transaction {
  const fact = { kind: "RecordDeadLettered", reason: "not-readable", holds } as const;
  const place = { offset, appendedAtMs: consoleStartAtMs };
  const { transaction } = decide(uetr, null, fact, place, createPartitionView(partition, []), sha256Hex);
  if (transaction === null) throw new Error("a dead letter is kept");
  return transaction;
}

export function buildStateEvent(stageVersion: number, over: Partial<Records["TransactionStateEvent"]> = {}): AnyDecodedRecord {
  return { name: "TransactionStateEvent", value: { ...eventColumns(stageVersion), stageVersion, type: "DIRECT_DEBIT", ...over } };
}

export function buildEsmEvent(stageVersion: number, over: Partial<Records["EsmStateEvent"]> = {}): AnyDecodedRecord {
  const states = { financialTransactionState: "IN_PROGRESS", transactionState: "SENT" };
  return { name: "EsmStateEvent", value: { ...eventColumns(stageVersion), ...states, body: buildEsmBody(stageVersion), ...over } };
}

/** Body of an event as it is posted; the amount has the digits of the message. */
export const eventBodyText = (stageVersion: number): string => `{"stageVersion":${stageVersion},"value":1250.50}`;

function buildEsmBody(stageVersion: number): Uint8Array {
  return new TextEncoder().encode(`{"class":"ESM_STATE","of":${stageVersion}}`);
}

function eventColumns(stageVersion: number) {
  return {
    id: `event-${stageVersion}`,
    uetr: consoleUetr,
    state: `STATE-${stageVersion}`,
    bank: "first",
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    businessDate: "2026-11-20",
    amount: { value: 12_505_000n, digits: 2, currency: "ZAR" },
    enteredAtMs: consoleStartAtMs,
    causedByOffset: BigInt(stageVersion),
    deadlineMs: consoleStartAtMs,
    body: new TextEncoder().encode(eventBodyText(stageVersion)),
  };
}
