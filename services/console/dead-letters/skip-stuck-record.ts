// skipStuckRecord: an operator asks a partition to skip the record at which it is stopped, such as one whose schema no
// registry has, or a batch that cannot be read.
//
// #1 Only the record at the partition's position can be skipped. The request is a dead letter with the header
//    `requested`, in the record's own partition. The partition's owner finds it the next time the record stops it, and
//    skips the record with a dead letter of its own.
// #2 The request cannot be a record of the journal: the partition that would read it is the one that is stopped.
// #3 A batch is skipped only if this process cannot read it either, and finds the offsets that the operator names. Its
//    letter has its bytes, or their length and hash.
// #4 A request that is repeated under the same id is the same dead letter.
// #5 The letter names the person who asked for the skip and the one who confirmed it. The journal cannot: see #2.

import { headers, type Serde } from "@sluice/contracts";
import {
  batchRange,
  buildDeadLetter,
  buildSkippedRecords,
  readBatchRange,
  type ReceivedRecord,
  UnreadableBatchFault,
  requireCovered,
} from "@sluice/messaging";
import type { Store } from "@sluice/store";
import type { Logger, Metrics, Random } from "@sluice/kernel";
import { createActionCounter } from "../decisions/action-counter.ts";
import { createDecisionHandler, refuseWith, wouldBeAppended, type DecisionContext } from "../decisions/decision.ts";
import { formatInstant } from "../http/bank-answer.ts";
import type { ControlAnswer, ControlHandler } from "../http/control-handler.ts";
import { appendInOrder, appendOutcomeUnknown, type DeadLetterAppendPorts } from "./append-dead-letters.ts";
import { deadLetterId, readDeadLetters, type StoredDeadLetter, type DeadLetterReadPorts } from "./read-dead-letters.ts";
import { findPartitionPosition, topicByService } from "./partition-position.ts";

export interface SkipStuckRecordPorts extends DeadLetterReadPorts, DeadLetterAppendPorts {
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly serde: Serde;
  readonly store: Pick<Store, "partitions">;
  readonly partitionCount: number;
}

type SkipDecision = DecisionContext<"skipStuckRecord">;

export function skipStuckRecord(ports: SkipStuckRecordPorts): ControlHandler {
  return createDecisionHandler(ports, "skipStuckRecord", async (decision) => {
    const { service, topic, partition } = decision.body;
    const read = topicByService[service] ?? "";
    if (topic !== read) return refuseWith(422, "The message cannot be processed.", `/topic: the ${service} reads ${read}`);
    if (partition >= ports.partitionCount)
      return refuseWith(422, "The message cannot be processed.", `/partition: there are ${ports.partitionCount}`);
    const before = await findEarlierRequest(ports, decision);
    if (before !== null) return decision.question.isCheckOnly === true && before.kind === "accepted" ? wouldBeAppended : before;
    const found = await readStopping(ports, decision);
    if (found === null) return refuseWith(404, "Not known", "There is no such record.");
    if ("refused" in found) return refuseWith(409, "Not possible now", found.refused);
    const position = await findPartitionPosition(ports, service, partition);
    const isThere = position !== null && position >= decision.body.offset && position <= found.lastOffset;
    if (!isThere) return refuseOtherPosition(position);
    return decision.question.isCheckOnly === true ? wouldBeAppended : await requestSkip(ports, decision, found.record);
  });
}

/** #4. A request for the record came after it, so letters that are older than the record need not be read. */
async function findEarlierRequest(ports: SkipStuckRecordPorts, { body, action }: SkipDecision): Promise<ControlAnswer | null> {
  const isNoRequest = (record: ReceivedRecord): boolean => record.headers[headers.skip] !== "requested";
  const isSameAction = (letter: StoredDeadLetter): boolean => letter.deadLetter.actionId === action.id;
  const range = { isSkipped: isNoRequest, firstRecord: body };
  const [letter] = await readDeadLetters(ports, body.partition, range, isSameAction);
  if (letter === undefined) return null;
  const { topic, offset, service, operator, reason } = letter.deadLetter;
  const batch = readBatchRange(letter.deadLetter);
  const isSamePlace =
    topic === body.topic && (batch?.firstOffset ?? offset) === body.offset && (batch?.lastOffset ?? null) === body.lastOffset;
  const isSame = isSamePlace && service === body.service && operator === action.operator && reason === action.reason;
  if (isSame) return acceptedAnswer({ body, action }, letter, letter.deadLetteredAtMs);
  return refuseWith(409, "Another decision", "This Idempotency-Key was used for another decision. Take a new one.");
}

type Stopping = { readonly record: ReceivedRecord; readonly lastOffset: bigint } | { readonly refused: string };

/** Reads what the partition is stopped at: a record, or the batch around it (#3). Null: there is none. */
async function readStopping(
  { messaging, time }: SkipStuckRecordPorts,
  { body: { topic, partition, offset, lastOffset }, action }: SkipDecision,
): Promise<Stopping | null> {
  const place = { topic, partition };
  const [ends] = await messaging.ends([place]);
  if (ends === undefined || offset < ends.logStart || offset >= ends.logEnd) return null;
  try {
    for await (const record of requireCovered(messaging.read(place, offset, offset + 1n), place, offset, offset + 1n)) {
      if (record.offset !== offset) return null;
      return lastOffset === null ? { record, lastOffset: offset } : { refused: "readable: this batch can be read now." };
    }
    return null;
  } catch (error) {
    if (!(error instanceof UnreadableBatchFault)) throw error;
    const { batch } = error;
    if (batch.firstOffset !== offset || batch.lastOffset !== lastOffset)
      return { refused: `in-batch: batch ${batchRange(batch)} cannot be read; name its first and its last offset.` };
    const record = buildSkippedRecords({ ...batch, keys: [] }, { ...nameDeciders(action), reason: action.reason }, time.nowMs())[0];
    return record === undefined ? null : { record, lastOffset };
  }
}

/** #1 */
function refuseOtherPosition(position: bigint | null): ControlAnswer {
  const where = position === null ? "the service never had a position there" : `the service is at ${position}`;
  return refuseWith(409, "Not possible now", `not-there: only the record at which the partition is stopped can be skipped; ${where}.`);
}

/** #5 */
function nameDeciders({ id, operator, person, confirmedBy }: SkipDecision["action"]) {
  return { operator, person, confirmedBy, actionId: id };
}

async function requestSkip(ports: SkipStuckRecordPorts, { body, action }: SkipDecision, record: ReceivedRecord): Promise<ControlAnswer> {
  const { service } = body;
  const by = { ...nameDeciders(action), stage: "requested" } as const;
  const [appended] =
    (await appendInOrder(ports, [buildDeadLetter({ record, reason: action.reason, service, skip: by }, ports.serde)])) ?? [];
  createActionCounter(ports.metrics).add({ kind: "DeadLetter", outcome: appended === undefined ? "unknown" : "appended" });
  if (appended === undefined) return appendOutcomeUnknown;
  const { topic, partition, offset } = record;
  ports.logger.info("skip.requested", {
    action: action.id,
    operator: action.operator,
    service,
    topic,
    partition,
    offset: offset.toString(),
  });
  return acceptedAnswer({ body, action }, appended, appended.appendedAtMs);
}

function acceptedAnswer(
  { body, action }: Pick<SkipDecision, "body" | "action">,
  letter: Parameters<typeof deadLetterId>[0],
  atMs: number,
): ControlAnswer {
  const { service, topic, partition, offset, lastOffset } = body;
  const place = { service, topic, partition, offset, lastOffset };
  return {
    kind: "accepted",
    body: { schema: "SkipRequested", action: action.id, letter: deadLetterId(letter), ...place, appendedAt: formatInstant(atMs) },
  };
}
