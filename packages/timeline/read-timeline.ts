// Builds the timeline of one UETR from its snapshot and from its records in the topics journal, dispatch, events and
// receipts. It only reads, and needs no running service.

import {
  amountText,
  type AnyDecodedRecord,
  type CreditTransfer,
  type DirectDebit,
  partitionFor,
  type Records,
  type Serde,
  topics,
} from "@sluice/contracts";
import { bankKey, type BankState, type Transaction } from "@sluice/domain";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { toTimelineDecision, toTimelineItem, toTimelineQuarantine, listPauses, formatResult } from "./decisions.ts";
import { describeFact } from "./fact-detail.ts";
import { searchPartition, type PartitionSearch } from "./search-partition.ts";
import { readEnds, loadWaiting, type DeliveryProgress } from "./delivery-progress.ts";
import type { Timeline, TimelineDecision, TimelineEvent, TimelineFact, TimelineMessage, TimelineState } from "./timeline.ts";

export interface TimelinePorts {
  readonly store: Pick<Store, "transactions" | "banks" | "deliveries" | "postings">;
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Number of partitions of the topics. */
  readonly partitionCount: number;
  /** Most records of a partition that are searched; 200,000 by default. */
  readonly searchedRecordsMax?: bigint;
}

const sharedUetrsMax = 20;

/** Returns null if nothing is known of the UETR. Rejects with the Faults of store and messaging. */
export async function readTimeline(uetr: string, ports: TimelinePorts): Promise<Timeline | null> {
  const key = uetr.toLowerCase();
  const partition = partitionFor(key, ports.partitionCount);
  const transaction = (await ports.store.transactions.load([key])).get(key)?.transaction ?? null;
  const when = { sinceMs: transaction === null ? null : findStartMs(transaction), aroundMs: listKnownTimes(transaction) };
  const names = [topics.journal, topics.dispatch, topics.events, topics.receipts] as const;
  const logs: Found[] = [];
  const bank = transaction?.bank ?? null;
  const keys = bank === null ? [key] : [key, bankKey(bank)];
  for (const topic of names) logs.push(await find(ports, { topic, partition }, { ...when, keys: topic === topics.journal ? keys : [key] }));
  const [found, dispatch, events, receipts] = logs.map(({ records }) => records);
  const journal = (found ?? []).filter((record) => !isOfBank(record));
  if (transaction === null && journal.length === 0) return null;
  const progress = await readProgress([...(dispatch ?? []), ...(events ?? [])], { receipts: receipts ?? [], journal }, ports);
  const sent = buildSentMessages(dispatch ?? [], progress);
  const amount = readAmount(journal);
  const decisions = (transaction?.decisions ?? []).map(toTimelineDecision);
  return {
    uetr: key,
    partition,
    state: transaction?.state ?? null,
    flow: transaction?.flow ?? null,
    scheme: transaction?.scheme ?? null,
    bank: transaction?.bank ?? null,
    businessDate: transaction?.businessDate ?? null,
    reconciliationDay: transaction?.reconciliationDay ?? null,
    deadlineMs: transaction?.deadlineMs ?? null,
    outcome: transaction?.outcomeReport ?? null,
    amount,
    states: transaction === null ? [] : buildStates(transaction, groupEvents(events ?? [], progress)),
    messages: [...buildReceivedMessages(journal), ...sent].toSorted(byOffset),
    facts: buildFacts(journal, decisions),
    items: (transaction?.items ?? []).map(toTimelineItem),
    decisions,
    pauses: transaction === null ? [] : listPauses(transaction, (found ?? []).filter(isOfBank), await loadBankState(bank, ports)),
    quarantined: toTimelineQuarantine(transaction),
    observations: (transaction?.observations.last ?? []).map((observation) => ({ ...observation, offset: String(observation.offset) })),
    sharesIdentificationWith: transaction === null ? [] : await findSharedIdentification(transaction, ports),
    isComplete: logs.every(({ isComplete }) => isComplete),
  };
}

async function readProgress(
  made: readonly FoundRecord[],
  { receipts, journal }: { readonly receipts: readonly FoundRecord[]; readonly journal: readonly FoundRecord[] },
  { store }: TimelinePorts,
): Promise<DeliveryProgress> {
  const ids = made.flatMap(({ decoded }) => {
    if (decoded.name === "Dispatch") return [decoded.value.messageIdentification];
    return decoded.name === "TransactionStateEvent" || decoded.name === "EsmStateEvent" ? [decoded.value.id] : [];
  });
  return { ends: readEnds(receipts, journal), waiting: await loadWaiting([...new Set(ids)], store) };
}

async function findSharedIdentification({ uetr, message }: Transaction, { store }: TimelinePorts): Promise<readonly string[]> {
  if (message === null) return [];
  const all = await store.transactions.identified(message.sender, message.messageIdentification, sharedUetrsMax + 1);
  return all.filter((other) => other !== uetr).slice(0, sharedUetrsMax);
}

/** Tells whether the record is about the bank: markers and requests of a bank share its key. */
function isOfBank({ decoded }: FoundRecord): boolean {
  return decoded.name.startsWith("Bank");
}

async function loadBankState(bank: string | null, { store }: TimelinePorts): Promise<BankState | null> {
  return bank === null ? null : ((await store.banks.load([bank])).get(bank) ?? null);
}

interface FoundRecord extends ReceivedRecord {
  readonly decoded: AnyDecodedRecord;
}

interface Found {
  readonly records: readonly FoundRecord[];
  readonly isComplete: boolean;
}

async function find(
  ports: TimelinePorts,
  partition: { topic: string; partition: number },
  search: Pick<PartitionSearch, "keys" | "sinceMs" | "aroundMs">,
): Promise<Found> {
  const { messaging, serde, searchedRecordsMax } = ports;
  const recordsMax = searchedRecordsMax === undefined ? {} : { recordsMax: searchedRecordsMax };
  const { records, isComplete } = await searchPartition(messaging, partition, { ...search, ...recordsMax });
  const decoded = await Promise.all(records.map((record) => decode(record, serde)));
  const read = records.flatMap((record, index) => {
    const one = decoded[index] ?? null;
    return one === null ? [] : [{ ...record, decoded: one }];
  });
  return { records: read, isComplete: isComplete && read.length === records.length };
}

/** Returns null for an unreadable record; a timeline shows the readable ones. */
async function decode({ value }: ReceivedRecord, serde: Serde): Promise<AnyDecodedRecord | null> {
  try {
    if (value !== null && serde.knows?.(value) === false) await serde.learn(value);
    return value === null ? null : serde.decode(value);
  } catch {
    return null;
  }
}

/** Returns the times at which a state or an item began; messages, events and receipts were appended around them. */
function listKnownTimes(transaction: Transaction | null): readonly number[] {
  return transaction === null
    ? []
    : [...transaction.transitions.map(({ atMs }) => atMs), ...transaction.items.map(({ madeAtMs }) => madeAtMs)];
}

/** Returns the time of the UETR's first record, including orphan reports. */
function findStartMs({ transitions, observations, quarantined }: Transaction): number | null {
  const times = [
    transitions[0]?.atMs,
    quarantined?.sinceMs,
    observations.count === observations.last.length ? observations.last[0]?.atMs : undefined,
  ];
  const known = times.filter((atMs) => atMs !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

function readAmount(journal: readonly FoundRecord[]): string | null {
  for (const { decoded } of journal) {
    const payment = readPayment(decoded);
    if (payment === null) continue;
    const { bankSettlementAmount } = payment.amounts;
    return `${bankSettlementAmount.currency} ${amountText(bankSettlementAmount)}`;
  }
  return null;
}

function readPayment(decoded: AnyDecodedRecord): DirectDebit | CreditTransfer | null {
  if (decoded.name === "DirectDebitReceived") return decoded.value.debit;
  return decoded.name === "CreditTransferReceived" ? decoded.value.credit : null;
}

interface StageEvents {
  readonly event: TimelineEvent | null;
  readonly esmEvent: TimelineEvent | null;
}

/**
 * Groups events by state. An event of class ESM_STATE has no stageVersion, and belongs to the state that the same
 * record caused.
 */
function groupEvents(events: readonly FoundRecord[], { ends, waiting }: DeliveryProgress): ReadonlyMap<number, StageEvents> {
  const byStage = new Map<number, StageEvents>();
  const stageByEntry = new Map<string, number>();
  const findPosting = (id: string) => ({ posting: ends.get(id) ?? null, waiting: waiting.get(id) ?? null });
  for (const { offset, decoded } of events) {
    if (decoded.name !== "TransactionStateEvent" && decoded.name !== "EsmStateEvent") continue;
    const { id, state, causedByOffset } = decoded.value;
    const entered = `${causedByOffset} ${state}`;
    if (decoded.name === "TransactionStateEvent") stageByEntry.set(entered, decoded.value.stageVersion);
    const stageVersion = stageByEntry.get(entered);
    if (stageVersion === undefined) continue;
    const known = byStage.get(stageVersion) ?? { event: null, esmEvent: null };
    const member = decoded.name === "TransactionStateEvent" ? "event" : "esmEvent";
    const event = known[member] ?? { id, offset: String(offset), copies: 0, ...findPosting(id) };
    byStage.set(stageVersion, { ...known, [member]: { ...event, copies: event.copies + 1 } });
  }
  return byStage;
}

function buildStates({ transitions }: Transaction, events: ReadonlyMap<number, StageEvents>): readonly TimelineState[] {
  return transitions.map((entry) => ({
    stageVersion: entry.stageVersion,
    state: entry.state,
    offset: String(entry.offset),
    atMs: entry.atMs,
    markerOffset: entry.markerOffset === null ? null : String(entry.markerOffset),
    businessDate: entry.businessDate,
    messageIdentification: entry.messageIdentification,
    httpStatusCode: entry.httpStatusCode,
    ...(events.get(entry.stageVersion) ?? { event: null, esmEvent: null }),
  }));
}

const notSent = { delivery: null, waiting: null, stoppedByOffset: null, redrivenByOffsets: [] } as const;

function buildReceivedMessages(journal: readonly FoundRecord[]): readonly TimelineMessage[] {
  return journal.flatMap(({ offset, appendedAtMs, decoded }) => {
    const message = readMessage(decoded);
    if (message === null) return [];
    const place = { offset: String(offset), atMs: appendedAtMs, dispatchOffset: null, copies: 1 };
    return [{ direction: "in" as const, ...message, ...place, ...notSent }];
  });
}

function readMessage(decoded: AnyDecodedRecord): Pick<TimelineMessage, "operation" | "messageIdentification" | "bank"> | null {
  if (decoded.name === "StatusReportReceived") {
    const { sender, report, operation } = decoded.value;
    return { operation, messageIdentification: report.messageIdentifiers.messageIdentification, bank: sender };
  }
  const payment = readPayment(decoded);
  const operation = readPaymentOperation(decoded);
  if (payment === null || operation === null) return null;
  return { ...operation, messageIdentification: payment.messageIdentifiers.messageIdentification };
}

function readPaymentOperation(decoded: AnyDecodedRecord): Pick<TimelineMessage, "operation" | "bank"> | null {
  if (decoded.name === "CreditTransferReceived") return { operation: "inboundCreditTransferAuthorization", bank: decoded.value.sender };
  if (decoded.name !== "DirectDebitReceived") return null;
  const { flow, sender } = decoded.value;
  return { operation: flow === "OFF_US" ? "inboundDirectDebit" : "outboundDirectDebit", bank: sender };
}

function buildSentMessages(dispatch: readonly FoundRecord[], { ends, waiting }: DeliveryProgress): readonly TimelineMessage[] {
  const byId = new Map<string, TimelineMessage>();
  for (const { offset, decoded } of dispatch) {
    if (decoded.name === "Dispatch") {
      const { messageIdentification: id } = decoded.value;
      const message = byId.get(id) ?? {
        ...toSentMessage(decoded.value, offset),
        delivery: ends.get(id) ?? null,
        waiting: waiting.get(id) ?? null,
      };
      byId.set(id, { ...message, copies: message.copies + 1 });
    }
    const message = decoded.name === "DispatchChange" ? byId.get(decoded.value.messageIdentification) : undefined;
    if (decoded.name !== "DispatchChange" || message === undefined) continue;
    byId.set(message.messageIdentification, applyChange(message, decoded.value.change, String(decoded.value.causedByOffset)));
  }
  return [...byId.values()];
}

function applyChange(message: TimelineMessage, change: Records["DispatchChange"]["change"], offset: string): TimelineMessage {
  const { stoppedByOffset, redrivenByOffsets } = message;
  if (change === "STOP") return { ...message, stoppedByOffset: stoppedByOffset ?? offset };
  if (change !== "REDRIVE") return message;
  return { ...message, redrivenByOffsets: [...new Set([...redrivenByOffsets, offset])] };
}

function toSentMessage(value: Records["Dispatch"], dispatchOffset: bigint): TimelineMessage {
  const { messageIdentification, operation, bank, causedByOffset, madeAtMs } = value;
  return {
    direction: "out",
    operation,
    messageIdentification,
    bank,
    offset: String(causedByOffset),
    atMs: madeAtMs,
    dispatchOffset: String(dispatchOffset),
    copies: 0,
    ...notSent,
  };
}

function buildFacts(journal: readonly FoundRecord[], decisions: readonly TimelineDecision[]): readonly TimelineFact[] {
  return journal.flatMap(({ offset, appendedAtMs, decoded }) => {
    const found = describeFact(decoded);
    if (found === null) return [];
    const decision = decisions.find((one) => one.offset === String(offset));
    const detail = decision === undefined ? found.detail : `${found.detail}; ${formatResult(decision)}`;
    return [{ name: decoded.name, offset: String(offset), atMs: appendedAtMs, ...found, detail }];
  });
}

function byOffset(a: { readonly offset: string }, b: { readonly offset: string }): number {
  const [left, right] = [BigInt(a.offset), BigInt(b.offset)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
