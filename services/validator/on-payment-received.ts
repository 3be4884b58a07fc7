// A debit or credit was received: its verdict is appended to the journal, under the same key.
//
// #1 A record is completed only after its verdict, or its dead letter, is acknowledged. A repeat appends the same
//    verdict again, and the scheduler uses the first.
// #2 A record that cannot be read, or cannot be validated, is dead-lettered with its bytes and its reason.
// #3 A record with an unknown schema makes its UETR wait until the schema is known or an operator skips the record;
//    nothing is guessed.

import type { RuleBook } from "@sluice/account-validation";
import type { Configuration } from "@sluice/config";
import { type AccountVerified, headers, outgoingRecord, readTrace, type Serde, topics, traceHeaders } from "@sluice/contracts";
import {
  buildDeadLetter,
  deadLetterReason,
  type OperatorSkips,
  type OutgoingRecord,
  type Producer,
  readOrLearn,
  type ReceivedRecord,
  skippedBatchRecord,
  skipStoppedRecord,
  type UnreadableReason,
} from "@sluice/messaging";
import { type Logger, type Time, traceBelow, type Tracer } from "@sluice/kernel";
import { validatePayment } from "./validate-payment.ts";
import type { ReceivedPayment } from "./payment.ts";
import type { ValidatorMetrics } from "./validator-metrics.ts";

export interface ValidationContext {
  readonly time: Time;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  readonly metrics: ValidatorMetrics;
  readonly serde: Serde;
  readonly producer: Producer;
  /** Records that operators skip. */
  readonly operatorSkips: OperatorSkips;
  readonly configuration: Configuration;
  readonly rules: RuleBook;
  /** Number of partitions of the journal. */
  readonly partitionCount: number;
}

type ReadResult = { readonly uetr: string; readonly received: ReceivedPayment; readonly verdict: AccountVerified } | UnreadableReason;

/** Record types that get a verdict. */
const paymentRecords = ["DirectDebitReceived", "CreditTransferReceived"] as const;

export function isPaymentRecord({ headers: given }: ReceivedRecord): boolean {
  return paymentRecords.some((name) => name === given[headers.type]);
}

export async function onPaymentReceived(record: ReceivedRecord, context: ValidationContext): Promise<void> {
  const startedMs = context.time.monotonicMs();
  const result = await validateRecord(record, context);
  const { partition, offset } = record;
  if ("unreadable" in result) {
    await context.producer.send([buildDeadLetter({ record, service: "validator", ...deadLetterReason(result) }, context.serde)]);
    context.logger.error("record.dead-lettered", { topic: record.topic, partition, offset, reason: result.unreadable });
    context.metrics.deadLettered();
    return;
  }
  const { uetr, received, verdict } = result;
  const [appended] = await context.producer.send([outgoing(uetr, verdict, record, context)]);
  const tookMs = context.time.monotonicMs() - startedMs;
  context.logger.info("account.verified", {
    uetr,
    record: received.name,
    partition,
    offset,
    verdictOffset: appended?.offset,
    sender: verdict.sender,
    bank: verdict.bank,
    verdict: verdict.verdict,
    reasons: verdict.reasons.map(({ code, text }) => `${code} ${text}`),
    decisions: verdict.decisions.map(({ account, rule, version, result, reason }) =>
      `${account} ${rule}/${version} ${result} ${reason ?? ""}`.trimEnd(),
    ),
    businessDate: verdict.businessDate,
    reconciliationDay: verdict.reconciliationDay,
    deadlineMs: verdict.deadlineMs,
    tookMs,
  });
  context.metrics.validated(received.name, verdict, tookMs);
  traceBelow(context.tracer, readTrace(record.headers), () => ({
    name: "verdict",
    kind: "consumer",
    startMs: context.time.nowMs() - tookMs,
    tookMs,
    attributes: { "sluice.uetr": uetr, "sluice.verdict": verdict.verdict, "sluice.partition": partition, "sluice.offset": String(offset) },
    isError: false,
  }));
}

/** Validates a record, or returns why it cannot be read (#3). */
async function validateRecord(record: ReceivedRecord, context: ValidationContext): Promise<ReadResult> {
  const skipped = skippedBatchRecord(record);
  if (skipped !== null) return skipped;
  try {
    return validateReceived(record, await decodePayment(record, context.serde), context);
  } catch (error) {
    return skipStoppedRecord(context.operatorSkips, record, error);
  }
}

function validateReceived(
  record: ReceivedRecord,
  received: ReceivedPayment | string,
  { configuration, rules, logger }: ValidationContext,
): ReadResult {
  if (typeof received === "string") return { unreadable: received };
  const { uetr: given } = identifiersIn(received);
  const uetr = given.toLowerCase();
  if (record.key === null || new TextDecoder().decode(record.key) !== uetr) return { unreadable: "its key is not its UETR" };
  try {
    return { uetr, received, verdict: validatePayment(received, record, configuration, rules) };
  } catch (error) {
    logger.error("payment.not-validated", { uetr, partition: record.partition, offset: record.offset, error });
    return { unreadable: "it could not be validated" };
  }
}

function identifiersIn(received: ReceivedPayment): { readonly uetr: string } {
  return received.name === "CreditTransferReceived"
    ? received.value.credit.transactionIdentifiers
    : received.value.debit.transactionIdentifiers;
}

/** Decodes the payment, or returns why it cannot be read. */
async function decodePayment(record: ReceivedRecord, serde: Serde): Promise<ReceivedPayment | string> {
  const decoded = await readOrLearn(record, serde);
  if (typeof decoded === "string") return decoded;
  if (decoded.isErased === true) return "its key was destroyed before its verdict";
  const headerType = record.headers[headers.type];
  const isPayment = decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived";
  return isPayment && decoded.name === headerType ? decoded : `its header says ${headerType}, its bytes ${decoded.name}`;
}

function outgoing(
  uetr: string,
  value: AccountVerified,
  record: ReceivedRecord,
  { serde, partitionCount }: ValidationContext,
): OutgoingRecord {
  const options = { partitionCount, headers: traceHeaders(readTrace(record.headers)) };
  return outgoingRecord(serde, topics.journal, uetr, { name: "AccountVerified", value }, options);
}
