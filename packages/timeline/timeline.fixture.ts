// The story of one transaction on memory adapters, made without any service: records are appended, the domain folds
// them, and the resulting records are produced.

import {
  type AnyDecodedRecord,
  createFixedSerde,
  type DecodedRecord,
  dispatchChangeRecord,
  dispatchRecord,
  eventRecords,
  factFromRecord,
  type MessageSources,
  outgoingRecord,
  readCreditTransfer,
  readDirectDebit,
  readStatusReport,
  recordFromBankMarker,
  recordFromMarker,
  type Records,
  requestRecord,
  sha256Hex,
  topics,
} from "@sluice/contracts";
import {
  extendRules,
  type AppliedBankMarker,
  type AppliedMarker,
  bankKey,
  type BankMarker,
  createPartitionView,
  decide,
  type DeliveryOperation,
  isTransactionFact,
  type Marker,
  type Output,
  type Transaction,
} from "@sluice/domain";
import { type AppendResult, createMemoryBroker, type MemoryBroker } from "@sluice/messaging";
import { createMemoryStore, noSearchTerms, type Store } from "@sluice/store";
import {
  buildCreditTransfer,
  buildDirectDebit,
  buildOffUsDebit,
  buildStatusReport,
  createVirtualTime,
  encodeBody,
  type MessageObject,
  sampleUetr,
  seededRandom,
} from "@sluice/testkit";
import type { TimelinePorts } from "./read-timeline.ts";

export const storyUetr = sampleUetr;
export const storyUetrHex = storyUetr.replaceAll("-", "");
export const storyBank = "first";
export const storyStartMs = Date.UTC(2026, 10, 20, 5, 0, 0);
export const storyConnector = "clearing";
const businessDate = "2026-11-20";
/** Deadline of the story's credit. */
export const storyDeadlineMs = storyStartMs + 7_200_000;
const partitionCount = 1;
const eventOptions = { bank: storyBank, eventDeadlineMs: 1_000, eventShape: "full", eventPayload: "full" } as const;
const operations = {
  A: "outboundDirectDebitResponse",
  D: "inboundDirectDebit",
  C: "inboundCreditTransferAuthorization",
  O1: "inboundDirectDebitResponse",
} as const;
type EventClass = "TRANSACTION_STATE" | "ESM_STATE";

export class TimelineStory {
  readonly time = createVirtualTime({ startAtMs: storyStartMs, seed: 7 });
  readonly serde = createFixedSerde();
  readonly broker: MemoryBroker;
  readonly store: Store;
  readonly markers: AppliedMarker[] = [];
  readonly bankMarkers: AppliedBankMarker[] = [];
  eventClasses: readonly EventClass[] = ["TRANSACTION_STATE"];
  #transaction: Transaction | null = null;
  #received: MessageSources["received"] | null = null;
  #verdict: Records["AccountVerified"] | null = null;
  #finalReport: Records["StatusReportReceived"] | null = null;

  constructor() {
    const random = seededRandom(7);
    const { time } = this;
    this.broker = createMemoryBroker({
      time,
      random,
      topics: Object.fromEntries(Object.values(topics).map((topic) => [topic, partitionCount])),
    });
    this.store = createMemoryStore({ time, random });
  }

  get ports(): TimelinePorts {
    return { store: this.store, messaging: this.broker, serde: this.serde, partitionCount };
  }

  settle<T>(promise: Promise<T>): Promise<T> {
    return this.time.finish(promise);
  }

  async append(topic: string, decoded: AnyDecodedRecord, key = storyUetr): Promise<AppendResult> {
    const producer = await this.settle(this.broker.producer("story"));
    const [appended] = await this.settle(producer.send([outgoingRecord(this.serde, topic, key, decoded, { partitionCount })]));
    return appended!;
  }

  /** Appends a journal record of the UETR, applies it, and produces its outputs. */
  async appendFact(decoded: AnyDecodedRecord): Promise<void> {
    const { offset, appendedAtMs } = await this.append(topics.journal, decoded);
    if (decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived") this.#received ??= decoded.value;
    if (decoded.name === "AccountVerified") this.#verdict = decoded.value;
    if (decoded.name === "StatusReportReceived") this.#finalReport = decoded.value;
    const fact = factFromRecord(decoded, storyUetr);
    if (fact === null || !isTransactionFact(fact)) return;
    const before = this.#transaction?.version ?? 0;
    const outcome = decide(
      storyUetr,
      this.#transaction,
      fact,
      { offset, appendedAtMs },
      createPartitionView(0, this.markers, this.bankMarkers),
      sha256Hex,
    );
    this.#transaction = outcome.transaction;
    if (outcome.transaction === null) return;
    const document = {
      transaction: outcome.transaction,
      acceptedMessage: new Uint8Array(),
      finalReport: null,
      verdict: null,
      search: noSearchTerms,
      rules: extendRules(null, 1),
      traceparent: null,
    };
    await this.settle(this.store.transactions.write([{ document, expectedVersion: before }]));
    for (const output of outcome.outputs) await this.#produce(output);
  }

  async #produce(output: Output): Promise<void> {
    const sources: MessageSources = {
      received: this.#received!,
      verdict: this.#verdict,
      finalReport: this.#finalReport,
      answered: this.#received,
    };
    if (output.kind === "event") {
      for (const record of eventRecords(output, sources, { ...eventOptions, eventClasses: this.eventClasses })) {
        await this.append(topics.events, record);
      }
    }
    if (output.kind === "dispatch") await this.append(topics.dispatch, dispatchRecord(output, sources));
    if (output.kind === "stop") await this.append(topics.dispatch, dispatchChangeRecord(output, storyUetr));
    if (output.kind !== "redrive" && output.kind !== "give-up") return;
    const by = { operator: "thandi", confirmedBy: "sipho" };
    await this.append(output.target === "posting" ? topics.events : topics.dispatch, requestRecord(output, storyUetr, by));
  }

  /** Appends a marker of the day to the partition. */
  async applyMarker(marker: Marker): Promise<AppendResult> {
    const place = await this.append(topics.journal, recordFromMarker(marker, 0), `${marker.scheme}:${marker.businessDate}`);
    this.markers.push({ marker, position: place });
    return place;
  }

  /** Pauses or resumes the bank. The operator is in the bank's state. */
  async changePause(kind: "BankPaused" | "BankResumed", number: number, reason: string, untilMs: number | null = null): Promise<void> {
    const same = { id: `bank:${storyBank}:${kind}:${number}`, bank: storyBank, number, reason };
    const marker: BankMarker = kind === "BankPaused" ? { kind, ...same, untilMs } : { kind, ...same };
    const place = await this.append(topics.journal, recordFromBankMarker(marker, 0), bankKey(storyBank));
    this.bankMarkers.push({ marker, position: place });
  }

  debit(messageIdentification = "ACME-1"): DecodedRecord<"DirectDebitReceived"> {
    return { name: "DirectDebitReceived", value: { ...debitValue(buildDirectDebit({ messageIdentification })), sender: storyBank } };
  }

  offUsDebit(): DecodedRecord<"DirectDebitReceived"> {
    const value = debitValue(buildOffUsDebit({ messageIdentification: "CLEARING-1" }));
    return { name: "DirectDebitReceived", value: { ...value, sender: storyConnector, flow: "OFF_US", bank: storyBank } };
  }

  credit(): DecodedRecord<"CreditTransferReceived"> {
    const reading = readCreditTransfer(encodeBody(buildCreditTransfer({ messageIdentification: "CLEARING-9" })));
    if (!reading.ok) throw new Error(reading.error.detail);
    const { message: credit, contentHash, substanceHash } = reading.read;
    const provisional = { receivedAtMs: storyStartMs, bank: storyBank, businessDate, deadlineMs: storyDeadlineMs };
    return { name: "CreditTransferReceived", value: { sender: storyConnector, contentHash, substanceHash, ...provisional, credit } };
  }

  verdict(carryOversMax = 0): DecodedRecord<"AccountVerified"> {
    const received = this.#received!;
    const isCredit = "credit" in received;
    const { messageIdentification } = isCredit ? received.credit.messageIdentifiers : received.debit.messageIdentifiers;
    const { sender, contentHash } = received;
    const until = isCredit
      ? { reconciliationDay: null, deadlineMs: storyDeadlineMs }
      : { reconciliationDay: `ZA_EFT:${businessDate}`, deadlineMs: null };
    const dated = {
      bank: storyBank,
      businessDate,
      subService: "SAME_DAY",
      calendarVersion: "1",
      ...until,
      onUsOutcomeReport: false,
      carryOversMax,
    };
    const decided = { sender, contentHash, messageIdentification, verdict: "ACCEPTED", reasons: [], decisions: [] } as const;
    return { name: "AccountVerified", value: { ...decided, ...dated } };
  }

  /** The end of a delivery that was refused for good. */
  refused(mark: "A" | "D"): DecodedRecord<"DeliveryEnded"> {
    const { name, value } = this.ended(mark);
    return { name, value: { ...value, outcome: "REFUSED", httpStatusCode: 422 } };
  }

  ended(mark: "A" | "D" | "C" | "O1", operation: DeliveryOperation = operations[mark]): DecodedRecord<"DeliveryEnded"> {
    const circumstances = { recentAttempts: [], isBreakerOpen: false, isReceiverPaused: false, stopOffset: null, mayHaveBeenTaken: false };
    const end = { outcome: "ACKNOWLEDGED", httpStatusCode: 202, attempts: 2, anyAnswer: true } as const;
    return { name: "DeliveryEnded", value: { messageIdentification: `${storyUetrHex}${mark}`, operation, ...end, ...circumstances } };
  }

  report(operation = "inboundDirectDebitResponse", letter = "D"): DecodedRecord<"StatusReportReceived"> {
    const original = { originalMessageIdentification: `${storyUetrHex}${letter}` };
    const reading = readStatusReport(encodeBody(buildStatusReport({ messageIdentification: "PSR-1", ...original })));
    if (!reading.ok) throw new Error(reading.error.detail);
    const { message: report, contentHash, substanceHash } = reading.read;
    const value = { sender: storyBank, contentHash, substanceHash, receivedAtMs: storyStartMs, report, operation };
    return { name: "StatusReportReceived", value };
  }

  async receipt(webhookId: string, operation: string, stageVersion: number | null): Promise<void> {
    const refused = {
      atMs: storyStartMs + 1_000,
      httpStatusCode: 503,
      answer: "busy",
      tookMs: 4,
      address: null,
      class: "TRANSIENT",
    } as const;
    const taken = {
      atMs: storyStartMs + 2_000,
      httpStatusCode: 202,
      answer: null,
      tookMs: 3,
      address: null,
      class: "ACKNOWLEDGED",
    } as const;
    const times = { firstAttemptAtMs: storyStartMs + 1_000, endedAtMs: storyStartMs + 2_003 };
    const end = {
      outcome: "ACKNOWLEDGED",
      attempts: 2,
      ...times,
      recentAttempts: [refused, taken],
      earlier: null,
      stoppedBy: null,
      confirmedBy: null,
    } as const;
    await this.append(topics.receipts, {
      name: "Receipt",
      value: { webhookId, uetr: storyUetr, bank: storyBank, operation, stageVersion, ...end },
    });
  }

  /** Opens the window and the gate in the partition. */
  async open(): Promise<void> {
    const base = { scheme: "ZA_EFT", businessDate: "2026-11-20" };
    const day = "ZA_EFT:2026-11-20";
    const opened = { ...base, id: `${day}:WindowOpened:1`, number: 1 };
    const gate = { ...base, id: `${day}:GateOpened:1`, number: 1, banks: null, except: [] };
    const first = await this.append(
      topics.journal,
      { name: "WindowOpened", value: { ...opened, id: `${opened.id}:0`, partition: 0 } },
      day,
    );
    const second = await this.append(topics.journal, { name: "GateOpened", value: { ...gate, id: `${gate.id}:0`, partition: 0 } }, day);
    this.markers.push(
      { marker: { kind: "WindowOpened", ...opened }, position: first },
      { marker: { kind: "GateOpened", ...gate }, position: second },
    );
  }

  /** Completes an off-us debit, with its outcome report acknowledged by the connector. */
  async completeOffUsDebit(): Promise<void> {
    await this.appendFact(this.offUsDebit());
    await this.appendFact(this.verdict());
    await this.open();
    await this.appendFact({ name: "Release", value: { scheme: "ZA_EFT", businessDate, windowNumber: 1, bank: storyBank } });
    await this.appendFact(this.ended("D"));
    await this.appendFact(this.report());
    await this.appendFact(this.ended("O1"));
  }

  /** Appends a credit that its bank has booked; the connector has not acknowledged the outcome report yet. */
  async bookCredit(): Promise<void> {
    await this.appendFact(this.credit());
    await this.appendFact(this.verdict());
    await this.appendFact(this.ended("C"));
    await this.appendFact(this.report("inboundCreditTransferAuthorizationResponse", "C"));
  }

  /** Completes the debit, with a receipt of its first report. */
  async completeDebit(): Promise<void> {
    await this.appendFact(this.debit());
    await this.appendFact(this.verdict());
    await this.appendFact(this.ended("A"));
    await this.open();
    await this.appendFact({ name: "Release", value: { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank: storyBank } });
    await this.appendFact(this.ended("D"));
    await this.appendFact(this.report());
    await this.receipt(`${storyUetrHex}A`, "outboundDirectDebitResponse", null);
  }
}

function debitValue(message: MessageObject): Records["DirectDebitReceived"] {
  const reading = readDirectDebit(encodeBody(message));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, contentHash, substanceHash } = reading.read;
  const closes = { reconciliationDay: `ZA_EFT:${businessDate}`, closesAtMs: storyStartMs + 90_000 };
  return { sender: storyBank, contentHash, substanceHash, receivedAtMs: storyStartMs, ...closes, debit, flow: "ON_US", bank: null };
}
