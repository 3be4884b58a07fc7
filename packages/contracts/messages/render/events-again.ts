// Renders events again from what a transaction keeps of the journal: its entries, and the bytes of its messages.
//
// #1 The same bytes come as at first, as long as the bank has the same settings: an output is a function of its entry
//    and of values that never change afterwards.
// #2 Sealed messages are opened, with keys that are asked for first. Of an erased message nothing is rendered.

import { outputsAt, type Transaction } from "@sluice/domain";
import { assert } from "@sluice/kernel";
import type { AnyDecodedRecord, DecodedRecord, Serde } from "../../api.ts";
import type { RecordName, Records } from "../../generated/records.ts";
import type { MessageSources } from "./message-sources.ts";
import { sha256Hex } from "../json/canonical-json.ts";
import { type EventOptions, eventRecords } from "../../wire/to-wire.ts";
import type { PaymentReceived } from "../../wire/payment-received.ts";

/** Wire-format bytes of journal records; null before they came. */
export interface KeptMessages {
  readonly acceptedMessage: Uint8Array;
  readonly verdict: Uint8Array | null;
  readonly finalReport: Uint8Array | null;
}

/** What a bank's postings are made by. */
export type PostingSettings = Omit<EventOptions, "bank">;

/** Defaults for a bank that is no longer configured. */
const settingsDefault: PostingSettings = {
  eventDeadlineMs: 72 * 3_600_000,
  eventShape: "full",
  eventClasses: ["TRANSACTION_STATE"],
  eventPayload: "full",
};

export function readKeptMessages(serde: Serde, { acceptedMessage, verdict, finalReport }: KeptMessages): Omit<MessageSources, "answered"> {
  return {
    received: decodeReceived(serde, acceptedMessage),
    verdict: verdict === null ? null : decodeKept(serde, verdict, "AccountVerified"),
    finalReport: finalReport === null ? null : decodeKept(serde, finalReport, "StatusReportReceived"),
  };
}

/** #2. Then no body can be made again. */
export function hasErasedMessage(serde: Serde, { acceptedMessage, finalReport }: KeptMessages): boolean {
  return serde.isErased?.(acceptedMessage) === true || (finalReport !== null && serde.isErased?.(finalReport) === true);
}

/** Finds who gets the postings: the sending bank for an on-us debit, else the bank that the transaction goes to. */
export function eventOptionsOf(transaction: Transaction, find: (bank: string) => PostingSettings | undefined): EventOptions {
  const bank = transaction.flow === "on-us" ? transaction.message.sender : transaction.bank;
  assert(bank !== null, "only a received message has events");
  const { eventDeadlineMs, eventShape, eventClasses, eventPayload } = find(bank) ?? settingsDefault;
  return { bank, eventDeadlineMs, eventShape, eventClasses, eventPayload };
}

/**
 * Returns the event of an entry, and the one of class ESM_STATE where the bank asks for it. Empty: there is no such
 * entry, or a message was erased. Rejects with a retryable Fault while a schema or a key cannot be had.
 */
export async function renderEventsAgain(
  { transaction, ...kept }: KeptMessages & { readonly transaction: Transaction },
  stageVersion: number,
  { serde, find }: { readonly serde: Serde; readonly find: (bank: string) => PostingSettings | undefined },
): Promise<ReturnType<typeof eventRecords>> {
  const entry = transaction.transitions.find((one) => one.stageVersion === stageVersion);
  if (entry === undefined) return [];
  await learnKeptMessages(serde, kept);
  if (hasErasedMessage(serde, kept)) return [];
  const sources = { ...readKeptMessages(serde, kept), answered: null };
  const options = eventOptionsOf(transaction, find);
  return outputsAt(transaction, entry.offset, sha256Hex).flatMap((output) =>
    output.kind === "event" && output.stageVersion === stageVersion ? eventRecords(output, sources, options) : [],
  );
}

async function learnKeptMessages(serde: Serde, { acceptedMessage, verdict, finalReport }: KeptMessages): Promise<void> {
  for (const bytes of [acceptedMessage, verdict, finalReport])
    if (bytes !== null && serde.knows?.(bytes) !== true) await serde.learn(bytes);
}

/**
 * What kept bytes were decoded to, as long as a document has them: a transaction's message is rendered with each of its
 * facts, and the document of the next fact has the same bytes.
 */
const decodedByBytes = new WeakMap<Uint8Array, AnyDecodedRecord>();

/**
 * Keeps what these bytes were decoded to: a document keeps a copy of the bytes that were decoded when they came from
 * the journal.
 */
export function keepDecoded(bytes: Uint8Array, decoded: AnyDecodedRecord): void {
  decodedByBytes.set(bytes, decoded);
}

function decodeOnce(serde: Serde, bytes: Uint8Array): AnyDecodedRecord {
  const known = decodedByBytes.get(bytes);
  if (known !== undefined) return known;
  const decoded = serde.decode(bytes);
  decodedByBytes.set(bytes, decoded);
  return decoded;
}

function decodeReceived(serde: Serde, bytes: Uint8Array): PaymentReceived {
  const decoded = decodeOnce(serde, bytes);
  assert(decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived", "kept bytes are a debit or a credit");
  return decoded.value;
}

/** Decodes bytes that the document keeps. */
function decodeKept<N extends RecordName>(serde: Serde, bytes: Uint8Array, name: N): Records[N] {
  const decoded = decodeOnce(serde, bytes);
  assert(hasName(decoded, name), `kept bytes are a ${name}`);
  return decoded.value;
}

function hasName<N extends RecordName>(decoded: { readonly name: RecordName }, name: N): decoded is DecodedRecord<N> {
  return decoded.name === name;
}
