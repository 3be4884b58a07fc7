// One debit's story on memory adapters, made without any service: records are appended, the domain folds them, what follows is produced.

import {
  dispatchChangeRecord,
  dispatchRecord,
  eventRecords,
  factFromRecord,
  fixedSerde,
  outgoingRecord,
  recordFromBankMarker,
  recordFromMarker,
  redriveRecord,
  readCreditTransfer,
  readDirectDebit,
  readStatusReport,
  sha256Hex,
  topics,
} from "@sluice/contracts";
import type { AnyDecoded, Decoded, MessageSources, Records } from "@sluice/contracts";
import { bankKey, decide, isTransactionFact, laneView } from "@sluice/domain";
import type { BankMarker, DeliveryOperation, Marker, Output, PassedBankMarker, PassedMarker, Transaction } from "@sluice/domain";
import { createMemoryLog } from "@sluice/messaging";
import type { Appended, MemoryLog } from "@sluice/messaging";
import { createMemoryStore, noSearchTerms } from "@sluice/store";
import type { Store } from "@sluice/store";
import {
  bodyOf,
  createVirtualTime,
  creditTransfer,
  directDebit,
  offUsDebit,
  sampleUetr,
  seededRandom,
  statusReport,
} from "@sluice/testkit";
import type { JsonObject } from "@sluice/testkit";
import type { TimelinePorts } from "./read-timeline.ts";

export const uetr = sampleUetr;
export const hex = uetr.replaceAll("-", "");
export const bank = "first";
export const startAtMs = Date.UTC(2026, 10, 20, 5, 0, 0);
export const connector = "clearing";
const businessDate = "2026-11-20";
/** Of a credit. */
export const deadlineMs = startAtMs + 7_200_000;
const lanes = 1;
const eventOptions = { bank, eventDeadlineMs: 1_000, eventShape: "full", eventPayload: "full" } as const;
const operationOf = {
  A: "outboundDirectDebitResponse",
  D: "inboundDirectDebit",
  C: "inboundCreditTransferAuthorization",
  O1: "inboundDirectDebitResponse",
} as const;
type EventClass = "TRANSACTION_STATE" | "ESM_STATE";

export class Story {
  readonly time = createVirtualTime({ startAtMs, seed: 7 });
  readonly serde = fixedSerde();
  readonly log: MemoryLog;
  readonly store: Store;
  readonly markers: PassedMarker[] = [];
  readonly bankMarkers: PassedBankMarker[] = [];
  eventClasses: readonly EventClass[] = ["TRANSACTION_STATE"];
  #transaction: Transaction | null = null;
  #received: MessageSources["received"] | null = null;
  #verdict: Records["AccountVerified"] | null = null;
  #finalReport: Records["StatusReportReceived"] | null = null;

  constructor() {
    const random = seededRandom(7);
    const { time } = this;
    this.log = createMemoryLog({ time, random, topics: Object.fromEntries(Object.values(topics).map((topic) => [topic, lanes])) });
    this.store = createMemoryStore({ time, random });
  }

  get ports(): TimelinePorts {
    return { store: this.store, messaging: this.log, serde: this.serde, lanes };
  }

  async done<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.time.run({ until: () => isSettled, stepsMax: 1_000_000 });
    return promise;
  }

  async append(topic: string, decoded: AnyDecoded, key = uetr): Promise<Appended> {
    const producer = await this.done(this.log.producer("story"));
    const [appended] = await this.done(producer.send([outgoingRecord(this.serde, topic, key, decoded, { lanes })]));
    return appended!;
  }

  /** A record of the journal under the UETR, and all that follows from it. */
  async happens(decoded: AnyDecoded): Promise<void> {
    const { offset, appendedAtMs } = await this.append(topics.journal, decoded);
    if (decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived") this.#received ??= decoded.value;
    if (decoded.name === "AccountVerified") this.#verdict = decoded.value;
    if (decoded.name === "StatusReportReceived") this.#finalReport = decoded.value;
    const fact = factFromRecord(decoded, uetr);
    if (fact === null || !isTransactionFact(fact)) return;
    const before = this.#transaction?.version ?? 0;
    const outcome = decide(uetr, this.#transaction, fact, { offset, appendedAtMs }, laneView(0, this.markers, this.bankMarkers), sha256Hex);
    this.#transaction = outcome.transaction;
    if (outcome.transaction === null) return;
    const document = {
      transaction: outcome.transaction,
      acceptedMessage: new Uint8Array(),
      finalReport: null,
      verdict: null,
      search: noSearchTerms,
    };
    await this.done(this.store.transactions.write([{ document, expectedVersion: before }]));
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
    if (output.kind === "stop") await this.append(topics.dispatch, dispatchChangeRecord(output, uetr));
    if (output.kind !== "redrive") return;
    await this.append(output.target === "posting" ? topics.events : topics.dispatch, redriveRecord(output, uetr));
  }

  /** A marker of the day reaches the lane. */
  async passes(marker: Marker): Promise<Appended> {
    const place = await this.append(topics.journal, recordFromMarker(marker, 0), `${marker.scheme}:${marker.businessDate}`);
    this.markers.push({ marker, place });
    return place;
  }

  /** The bank is paused, or resumed: who it was is in its standing. */
  async pauses(kind: "BankPaused" | "BankResumed", number: number, reason: string, untilMs: number | null = null): Promise<void> {
    const same = { id: `bank:${bank}:${kind}:${number}`, bank, number, reason };
    const marker: BankMarker = kind === "BankPaused" ? { kind, ...same, untilMs } : { kind, ...same };
    const place = await this.append(topics.journal, recordFromBankMarker(marker, 0), bankKey(bank));
    this.bankMarkers.push({ marker, place });
  }

  debit(messageIdentification = "ACME-1"): Decoded<"DirectDebitReceived"> {
    return { name: "DirectDebitReceived", value: { ...debitValue(directDebit({ messageIdentification })), sender: bank } };
  }

  offUsDebit(): Decoded<"DirectDebitReceived"> {
    const value = debitValue(offUsDebit({ messageIdentification: "CLEARING-1" }));
    return { name: "DirectDebitReceived", value: { ...value, sender: connector, flow: "OFF_US", bank } };
  }

  credit(): Decoded<"CreditTransferReceived"> {
    const reading = readCreditTransfer(bodyOf(creditTransfer({ messageIdentification: "CLEARING-9" })));
    if (!reading.ok) throw new Error(reading.error.detail);
    const { message: credit, contentHash, substanceHash } = reading.read;
    const provisional = { receivedAtMs: startAtMs, bank, businessDate, deadlineMs };
    return { name: "CreditTransferReceived", value: { sender: connector, contentHash, substanceHash, ...provisional, credit } };
  }

  verdict(rollsMax = 0): Decoded<"AccountVerified"> {
    const received = this.#received!;
    const isCredit = "credit" in received;
    const { messageIdentification } = isCredit ? received.credit.messageIdentifiers : received.debit.messageIdentifiers;
    const { sender, contentHash } = received;
    const until = isCredit ? { closesWith: "", deadlineMs } : { closesWith: `ZA_EFT:${businessDate}`, deadlineMs: null };
    const dated = { bank, businessDate, subService: "SAME_DAY", calendarVersion: "1", ...until, onUsOutcomeReport: false, rollsMax };
    const judged = { sender, contentHash, messageIdentification, verdict: "ACCEPTED", reasons: [], decisions: [] } as const;
    return { name: "AccountVerified", value: { ...judged, ...dated } };
  }

  /** A not-recoverable answer. */
  refused(mark: "A" | "D"): Decoded<"DeliveryEnded"> {
    const { name, value } = this.ended(mark);
    return { name, value: { ...value, outcome: "REFUSED", httpStatusCode: 422 } };
  }

  ended(mark: "A" | "D" | "C" | "O1", operation: DeliveryOperation = operationOf[mark]): Decoded<"DeliveryEnded"> {
    const circumstances = { recentAttempts: [], breakerOpen: false, bankPaused: false, stopOffset: null, mayHaveBeenTaken: false };
    const end = { outcome: "ACKNOWLEDGED", httpStatusCode: 202, attempts: 2, anyAnswer: true } as const;
    return { name: "DeliveryEnded", value: { messageIdentification: `${hex}${mark}`, operation, ...end, ...circumstances } };
  }

  report(operation = "inboundDirectDebitResponse", letter = "D"): Decoded<"StatusReportReceived"> {
    const original = { originalMessageIdentification: `${hex}${letter}` };
    const reading = readStatusReport(bodyOf(statusReport({ messageIdentification: "PSR-1", ...original })));
    if (!reading.ok) throw new Error(reading.error.detail);
    const { message: report, contentHash, substanceHash } = reading.read;
    const value = { sender: bank, contentHash, substanceHash, receivedAtMs: startAtMs, report, operation };
    return { name: "StatusReportReceived", value };
  }

  async receipt(webhookId: string, operation: string, stageVersion: number | null): Promise<void> {
    const refused = { atMs: startAtMs + 1_000, httpStatusCode: 503, answer: "busy", tookMs: 4, address: null, class: "TRANSIENT" } as const;
    const taken = { atMs: startAtMs + 2_000, httpStatusCode: 202, answer: null, tookMs: 3, address: null, class: "ACKNOWLEDGED" } as const;
    const times = { firstAttemptAtMs: startAtMs + 1_000, endedAtMs: startAtMs + 2_003 };
    const end = { outcome: "ACKNOWLEDGED", attempts: 2, ...times, recentAttempts: [refused, taken], earlier: null } as const;
    await this.append(topics.receipts, { name: "Receipt", value: { webhookId, uetr, bank, operation, stageVersion, ...end } });
  }

  /** The window and the gate open for the lane. */
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
      { marker: { kind: "WindowOpened", ...opened }, place: first },
      { marker: { kind: "GateOpened", ...gate }, place: second },
    );
  }

  /** An off-us debit's whole way, and its outcome acknowledged by the connector. */
  async completesOffUs(): Promise<void> {
    await this.happens(this.offUsDebit());
    await this.happens(this.verdict());
    await this.open();
    await this.happens({ name: "Release", value: { scheme: "ZA_EFT", businessDate, windowNumber: 1, bank } });
    await this.happens(this.ended("D"));
    await this.happens(this.report());
    await this.happens(this.ended("O1"));
  }

  /** A credit that its bank booked; the connector has not acknowledged the outcome yet. */
  async booksCredit(): Promise<void> {
    await this.happens(this.credit());
    await this.happens(this.verdict());
    await this.happens(this.ended("C"));
    await this.happens(this.report("inboundCreditTransferAuthorizationResponse", "C"));
  }

  /** The debit's whole way, with a receipt of its first report and its first event. */
  async completes(): Promise<void> {
    await this.happens(this.debit());
    await this.happens(this.verdict());
    await this.happens(this.ended("A"));
    await this.open();
    await this.happens({ name: "Release", value: { scheme: "ZA_EFT", businessDate: "2026-11-20", windowNumber: 1, bank } });
    await this.happens(this.ended("D"));
    await this.happens(this.report());
    await this.receipt(`${hex}A`, "outboundDirectDebitResponse", null);
  }
}

function debitValue(message: JsonObject): Records["DirectDebitReceived"] {
  const reading = readDirectDebit(bodyOf(message));
  if (!reading.ok) throw new Error(reading.error.detail);
  const { message: debit, contentHash, substanceHash } = reading.read;
  const closes = { closesWith: `ZA_EFT:${businessDate}`, closesAtMs: startAtMs + 90_000 };
  return { sender: bank, contentHash, substanceHash, receivedAtMs: startAtMs, ...closes, debit, flow: "ON_US", bank: "" };
}
