// A debit or a credit was received: its verdict is appended to the journal, under the same key.
//
// #1 The record is completed only after the verdict, or its dead letter, is acknowledged. A repeat appends the same verdict
//    again, and the scheduler takes the first.
// #2 A record that cannot be read in itself, or that nobody can judge, is put aside with its bytes and its reason.
// #3 A schema that is not known yet makes its UETR wait, until it is known or an operator puts the record aside by hand; nothing is guessed.

import type { RuleBook } from "@sluice/account-validation";
import type { Configuration } from "@sluice/config";
import { headers, outgoingRecord, topics } from "@sluice/contracts";
import type { AccountVerified, Serde } from "@sluice/contracts";
import { deadLetterOf, isStoppedByRecord } from "@sluice/messaging";
import type { Asides, ByHand, OutgoingRecord, Producer, ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/runtime";
import type { Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { judge } from "./judge.ts";
import type { ReceivedPayment } from "./payment.ts";
import type { ValidatorMetrics } from "./validator-metrics.ts";

export interface Judging {
  readonly time: Time;
  readonly log: Log;
  readonly metrics: ValidatorMetrics;
  readonly serde: Serde;
  readonly producer: Producer;
  /** What operators put aside by hand. */
  readonly asides: Asides;
  readonly configuration: Configuration;
  readonly rules: RuleBook;
  /** Partitions of the journal. */
  readonly lanes: number;
}

type Judged =
  | { readonly uetr: string; readonly received: ReceivedPayment; readonly verdict: AccountVerified }
  | { readonly unreadable: string; readonly by?: ByHand };

/** Record types that get a verdict. */
const judgedNames = ["DirectDebitReceived", "CreditTransferReceived"] as const;

export function isJudged({ headers: given }: ReceivedRecord): boolean {
  return judgedNames.some((name) => name === given[headers.type]);
}

export async function onPaymentReceived(record: ReceivedRecord, judging: Judging): Promise<void> {
  const startedMs = judging.time.monotonicMs();
  const judged = await judgedRecord(record, judging);
  const { partition, offset } = record;
  if ("unreadable" in judged) {
    const { unreadable, by } = judged;
    const cause = by === undefined ? { reason: unreadable } : { reason: by.reason, by: { ...by, stage: "done" as const } };
    await judging.producer.send([deadLetterOf({ record, service: "validator", ...cause }, judging.serde)]);
    judging.log.error("record.put-aside", { topic: record.topic, partition, offset, reason: unreadable });
    judging.metrics.putAside();
    return;
  }
  const { uetr, received, verdict } = judged;
  const [appended] = await judging.producer.send([outgoing(uetr, verdict, record, judging)]);
  const tookMs = judging.time.monotonicMs() - startedMs;
  judging.log.info("account.verified", {
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
    closesWith: verdict.closesWith,
    deadlineMs: verdict.deadlineMs,
    tookMs,
  });
  judging.metrics.judged(received.name, verdict, tookMs);
}

/** #3 */
async function judgedRecord(record: ReceivedRecord, judging: Judging): Promise<Judged> {
  try {
    return judgedReceived(record, await read(record, judging.serde), judging);
  } catch (error) {
    const by = isStoppedByRecord(error) ? await judging.asides.askedFor(record) : null;
    if (by === null) throw error;
    return { unreadable: "by hand", by };
  }
}

function judgedReceived(record: ReceivedRecord, received: ReceivedPayment | string, { configuration, rules, log }: Judging): Judged {
  if (typeof received === "string") return { unreadable: received };
  const { uetr: given } = identifiersIn(received);
  const uetr = given.toLowerCase();
  if (record.key === null || new TextDecoder().decode(record.key) !== uetr) return { unreadable: "its key is not its UETR" };
  try {
    return { uetr, received, verdict: judge(received, record, configuration, rules) };
  } catch (error) {
    log.error("payment.not-judged", { uetr, partition: record.partition, offset: record.offset, error });
    return { unreadable: "it could not be judged" };
  }
}

function identifiersIn(received: ReceivedPayment): { readonly uetr: string } {
  return received.name === "CreditTransferReceived"
    ? received.value.credit.transactionIdentifiers
    : received.value.debit.transactionIdentifiers;
}

/** Or why it cannot be read. */
async function read(record: ReceivedRecord, serde: Serde): Promise<ReceivedPayment | string> {
  const { value } = record;
  if (value === null) return "no value";
  try {
    return paymentRecord(value, record, serde);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (!error.isRetryable) return error.message;
    await serde.learn(value);
    return paymentRecord(value, record, serde);
  }
}

function paymentRecord(value: Uint8Array, record: ReceivedRecord, serde: Serde): ReceivedPayment | string {
  const decoded = serde.decode(value);
  const said = record.headers[headers.type];
  const isPayment = decoded.name === "DirectDebitReceived" || decoded.name === "CreditTransferReceived";
  return isPayment && decoded.name === said ? decoded : `its header says ${said}, its bytes ${decoded.name}`;
}

function outgoing(uetr: string, value: AccountVerified, record: ReceivedRecord, { serde, lanes }: Judging): OutgoingRecord {
  const traceparent = record.headers[headers.traceparent];
  const carried = traceparent === undefined ? {} : { [headers.traceparent]: traceparent };
  return outgoingRecord(serde, topics.journal, uetr, { name: "AccountVerified", value }, { lanes, headers: carried });
}
