// The timeline of one UETR from what is there: the snapshot, and the records under its key in journal, dispatch, events and receipts. A query:
// it changes nothing and needs no service to run.

import { amountText, partitionOf, topics } from "@sluice/contracts";
import type { AnyDecoded, CreditTransfer, DirectDebit, Records, Serde } from "@sluice/contracts";
import { bankKey } from "@sluice/domain";
import type { BankStanding, Transaction } from "@sluice/domain";
import type { Messaging, ReceivedRecord } from "@sluice/messaging";
import type { Store } from "@sluice/store";
import { decisionOf, itemOf, parkedOf, pausesOf, resultText } from "./decided.ts";
import { detailOf } from "./fact-detail.ts";
import { searchLog, type Search } from "./search-log.ts";
import { endsById, waitingOf, type Sending } from "./sending.ts";
import type { Timeline, TimelineDecision, TimelineEvent, TimelineFact, TimelineMessage, TimelineState } from "./timeline.ts";

export interface TimelinePorts {
  readonly store: Pick<Store, "transactions" | "banks" | "deliveries" | "postings">;
  readonly messaging: Messaging;
  readonly serde: Serde;
  /** Partitions of the topics. */
  readonly lanes: number;
  /** Records of a log that are walked over at most, 200,000 where none is given. */
  readonly searchedRecordsMax?: bigint;
}

const sharedUetrsMax = 20;

/** null: nothing is known of it. Rejects with the Faults of the store and the log. */
export async function readTimeline(uetr: string, ports: TimelinePorts): Promise<Timeline | null> {
  const key = uetr.toLowerCase();
  const lane = partitionOf(key, ports.lanes);
  const transaction = (await ports.store.transactions.load([key])).get(key)?.transaction ?? null;
  const when = { sinceMs: transaction === null ? null : beganAtMs(transaction), aroundMs: timesOf(transaction) };
  const names = [topics.journal, topics.dispatch, topics.events, topics.receipts] as const;
  const logs: Found[] = [];
  const bank = transaction?.bank ?? null;
  const keys = bank === null ? [key] : [key, bankKey(bank)];
  for (const topic of names)
    logs.push(await find(ports, { topic, partition: lane }, { ...when, keys: topic === topics.journal ? keys : [key] }));
  const [found, dispatch, events, receipts] = logs.map(({ records }) => records);
  const journal = (found ?? []).filter((record) => !isOfBank(record));
  if (transaction === null && journal.length === 0) return null;
  const sending = await sendingOf([...(dispatch ?? []), ...(events ?? [])], receipts ?? [], ports);
  const sent = dispatched(dispatch ?? [], sending);
  const amount = amountIn(journal);
  const decisions = (transaction?.decisions ?? []).map(decisionOf);
  return {
    uetr: key,
    lane,
    state: transaction?.state ?? null,
    flow: transaction?.flow ?? null,
    scheme: transaction?.scheme ?? null,
    bank: transaction?.bank ?? null,
    businessDate: transaction?.businessDate ?? null,
    closesWith: transaction?.closesWith ?? null,
    deadlineMs: transaction?.deadlineMs ?? null,
    outcome: transaction?.outcome ?? null,
    amount,
    states: transaction === null ? [] : statesOf(transaction, eventsByStage(events ?? [], sending)),
    messages: [...received(journal), ...sent].toSorted(byOffset),
    facts: factsOf(journal, decisions),
    items: (transaction?.items ?? []).map(itemOf),
    decisions,
    pauses: transaction === null ? [] : pausesOf(transaction, (found ?? []).filter(isOfBank), await standingOf(bank, ports)),
    parked: parkedOf(transaction),
    remarks: (transaction?.remarks.last ?? []).map((remark) => ({ ...remark, offset: String(remark.offset) })),
    sharesIdentificationWith: transaction === null ? [] : await sharing(transaction, ports),
    isComplete: logs.every(({ isComplete }) => isComplete),
  };
}

async function sendingOf(made: readonly FoundRecord[], receipts: readonly FoundRecord[], { store }: TimelinePorts): Promise<Sending> {
  const ids = made.flatMap(({ decoded }) => {
    if (decoded.name === "Dispatch") return [decoded.value.messageIdentification];
    return decoded.name === "TransactionStateEvent" || decoded.name === "EsmStateEvent" ? [decoded.value.id] : [];
  });
  return { ends: endsById(receipts), waiting: await waitingOf([...new Set(ids)], store) };
}

async function sharing({ uetr, message }: Transaction, { store }: TimelinePorts): Promise<readonly string[]> {
  if (message === null) return [];
  const all = await store.transactions.identified(message.sender, message.messageIdentification, sharedUetrsMax + 1);
  return all.filter((other) => other !== uetr).slice(0, sharedUetrsMax);
}

/** In its bank's lane what was asked of the bank lies under the same key as the markers: those count. */
function isOfBank({ decoded }: FoundRecord): boolean {
  return decoded.name.startsWith("Bank");
}

async function standingOf(bank: string | null, { store }: TimelinePorts): Promise<BankStanding | null> {
  return bank === null ? null : ((await store.banks.load([bank])).get(bank) ?? null);
}

interface FoundRecord extends ReceivedRecord {
  readonly decoded: AnyDecoded;
}

interface Found {
  readonly records: readonly FoundRecord[];
  readonly isComplete: boolean;
}

async function find(
  ports: TimelinePorts,
  partition: { topic: string; partition: number },
  search: Pick<Search, "keys" | "sinceMs" | "aroundMs">,
): Promise<Found> {
  const { messaging, serde, searchedRecordsMax } = ports;
  const recordsMax = searchedRecordsMax === undefined ? {} : { recordsMax: searchedRecordsMax };
  const { records, isComplete } = await searchLog(messaging, partition, { ...search, ...recordsMax });
  const read = records.flatMap((record) => {
    const decoded = decode(record, serde);
    return decoded === null ? [] : [{ ...record, decoded }];
  });
  return { records: read, isComplete: isComplete && read.length === records.length };
}

/** null: it cannot be read; a timeline shows what can. */
function decode({ value }: ReceivedRecord, serde: Serde): AnyDecoded | null {
  try {
    return value === null ? null : serde.decode(value);
  } catch {
    return null;
  }
}

/** A state, and with it the messages, events and receipts of that moment. */
function timesOf(transaction: Transaction | null): readonly number[] {
  return transaction === null
    ? []
    : [...transaction.transitions.map(({ atMs }) => atMs), ...transaction.items.map(({ madeAtMs }) => madeAtMs)];
}

/** Of the first record under the key, orphan reports included. */
function beganAtMs({ transitions, remarks, parked }: Transaction): number | null {
  const times = [transitions[0]?.atMs, parked?.sinceMs, remarks.count === remarks.last.length ? remarks.last[0]?.atMs : undefined];
  const known = times.filter((atMs) => atMs !== undefined);
  return known.length === 0 ? null : Math.min(...known);
}

function amountIn(journal: readonly FoundRecord[]): string | null {
  for (const { decoded } of journal) {
    const payment = paymentIn(decoded);
    if (payment === null) continue;
    const { bankSettlementAmount } = payment.amounts;
    return `${bankSettlementAmount.currency} ${amountText(bankSettlementAmount)}`;
  }
  return null;
}

function paymentIn(decoded: AnyDecoded): DirectDebit | CreditTransfer | null {
  if (decoded.name === "DirectDebitReceived") return decoded.value.debit;
  return decoded.name === "CreditTransferReceived" ? decoded.value.credit : null;
}

interface StageEvents {
  readonly event: TimelineEvent | null;
  readonly esmEvent: TimelineEvent | null;
}

/** An event of class ESM_STATE has no stageVersion: it belongs to the state that the same record caused. */
function eventsByStage(events: readonly FoundRecord[], { ends, waiting }: Sending): ReadonlyMap<number, StageEvents> {
  const byStage = new Map<number, StageEvents>();
  const stageOf = new Map<string, number>();
  const postingOf = (id: string) => ({ posting: ends.get(id) ?? null, waiting: waiting.get(id) ?? null });
  for (const { offset, decoded } of events) {
    if (decoded.name !== "TransactionStateEvent" && decoded.name !== "EsmStateEvent") continue;
    const { id, state, causedByOffset } = decoded.value;
    const entered = `${causedByOffset} ${state}`;
    if (decoded.name === "TransactionStateEvent") stageOf.set(entered, decoded.value.stageVersion);
    const stageVersion = stageOf.get(entered);
    if (stageVersion === undefined) continue;
    const known = byStage.get(stageVersion) ?? { event: null, esmEvent: null };
    const member = decoded.name === "TransactionStateEvent" ? "event" : "esmEvent";
    const event = known[member] ?? { id, offset: String(offset), copies: 0, ...postingOf(id) };
    byStage.set(stageVersion, { ...known, [member]: { ...event, copies: event.copies + 1 } });
  }
  return byStage;
}

function statesOf({ transitions }: Transaction, events: ReadonlyMap<number, StageEvents>): readonly TimelineState[] {
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

function received(journal: readonly FoundRecord[]): readonly TimelineMessage[] {
  return journal.flatMap(({ offset, appendedAtMs, decoded }) => {
    const message = messageIn(decoded);
    if (message === null) return [];
    const place = { offset: String(offset), atMs: appendedAtMs, dispatchOffset: null, copies: 1 };
    return [{ direction: "in" as const, ...message, ...place, ...notSent }];
  });
}

function messageIn(decoded: AnyDecoded): Pick<TimelineMessage, "operation" | "messageIdentification" | "bank"> | null {
  if (decoded.name === "StatusReportReceived") {
    const { sender, report, operation } = decoded.value;
    return { operation, messageIdentification: report.messageIdentifiers.messageIdentification, bank: sender };
  }
  const payment = paymentIn(decoded);
  const operation = operationOf(decoded);
  if (payment === null || operation === null) return null;
  return { ...operation, messageIdentification: payment.messageIdentifiers.messageIdentification };
}

function operationOf(decoded: AnyDecoded): Pick<TimelineMessage, "operation" | "bank"> | null {
  if (decoded.name === "CreditTransferReceived") return { operation: "inboundCreditTransferAuthorization", bank: decoded.value.sender };
  if (decoded.name !== "DirectDebitReceived") return null;
  const { flow, sender } = decoded.value;
  return { operation: flow === "OFF_US" ? "inboundDirectDebit" : "outboundDirectDebit", bank: sender };
}

function dispatched(dispatch: readonly FoundRecord[], { ends, waiting }: Sending): readonly TimelineMessage[] {
  const byId = new Map<string, TimelineMessage>();
  for (const { offset, decoded } of dispatch) {
    if (decoded.name === "Dispatch") {
      const { messageIdentification: id } = decoded.value;
      const message = byId.get(id) ?? {
        ...messageOut(decoded.value, offset),
        delivery: ends.get(id) ?? null,
        waiting: waiting.get(id) ?? null,
      };
      byId.set(id, { ...message, copies: message.copies + 1 });
    }
    const message = decoded.name === "DispatchChange" ? byId.get(decoded.value.messageIdentification) : undefined;
    if (decoded.name !== "DispatchChange" || message === undefined) continue;
    byId.set(message.messageIdentification, changed(message, decoded.value.change, String(decoded.value.causedByOffset)));
  }
  return [...byId.values()];
}

function changed(message: TimelineMessage, change: Records["DispatchChange"]["change"], offset: string): TimelineMessage {
  const { stoppedByOffset, redrivenByOffsets } = message;
  if (change === "STOP") return { ...message, stoppedByOffset: stoppedByOffset ?? offset };
  return { ...message, redrivenByOffsets: [...new Set([...redrivenByOffsets, offset])] };
}

function messageOut(value: Records["Dispatch"], dispatchOffset: bigint): TimelineMessage {
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

function factsOf(journal: readonly FoundRecord[], decisions: readonly TimelineDecision[]): readonly TimelineFact[] {
  return journal.flatMap(({ offset, appendedAtMs, decoded }) => {
    const found = detailOf(decoded);
    if (found === null) return [];
    const decision = decisions.find((one) => one.offset === String(offset));
    const detail = decision === undefined ? found.detail : `${found.detail}; ${resultText(decision)}`;
    return [{ name: decoded.name, offset: String(offset), atMs: appendedAtMs, ...found, detail }];
  });
}

function byOffset(a: { readonly offset: string }, b: { readonly offset: string }): number {
  const [left, right] = [BigInt(a.offset), BigInt(b.offset)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
