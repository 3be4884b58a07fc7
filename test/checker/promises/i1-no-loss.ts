// I1, no loss: every request answered 202 is in exactly one journey, or recorded as repeat, conflict, refused duplicate
// or orphan.
//
// #1 Every 202 has its own record in the journal. More records than 202s are legal, because a caller may miss the
//    answer.
// #2 All records of one UETR are in one partition, so there is one journey.
// #3 Once all work has ended, every message record was applied: its offset is that of a transition or of an observation
//    (the last ten are kept).
// #4 Once all work has ended, and unless its transaction is still quarantined, a message in the dead letters was
//    appended again by a replay, behind them, or an operator left it there for good.

import {
  carriedIdentification,
  type Evidence,
  groupByText,
  isMessageRecord,
  type Journey,
  type PlacedRecord,
} from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { SentEntry, SnapshotEntry, Violation } from "../history.ts";
import { isReconciliationState } from "../evidence/states.ts";
import { identifyMessage, identifyRequest, isMessageSent } from "../evidence/message-identity.ts";
import { readRecordText, readRecordTexts } from "../evidence/record-members.ts";

const observationsKept = 10;
export function checkNoLoss(evidence: Evidence): PromiseFinding {
  const answered = evidence.sent.filter((request) => request.status === 202);
  const accepted = answered.filter(isMessageSent);
  const actions = answered.filter((request) => !isMessageSent(request));
  const messages = evidence.journeys.flatMap((journey) => journey.journal.filter(isMessageRecord));
  const violations = [
    ...missingRecords(accepted, [...messages, ...evidence.declarations]),
    ...actions.flatMap((request) => missingAction(request, evidence.actions)),
    ...evidence.journeys.flatMap((journey) => inSeveralPartitions(journey)),
    ...(evidence.isDrained ? evidence.journeys.flatMap((journey) => [...notApplied(journey), ...notReplayed(evidence, journey)]) : []),
  ];
  return { violations, counts: { requestsAccepted: accepted.length, messagesStored: messages.length } };
}

/** Reports an operator's action that was answered 202 but is not in the journal under its key. */
function missingAction({ bank, uetr, messageIdentification }: SentEntry, actions: readonly PlacedRecord[]): readonly Violation[] {
  const isStored = actions.some(
    ({ key, value }) => readRecordText(value, "action", "id") === messageIdentification && key?.toLowerCase() === uetr.toLowerCase(),
  );
  if (isStored) return [];
  return [{ promise: "I1", uetr, text: `the action ${messageIdentification} of ${bank} was answered 202, but is not in the journal` }];
}

function missingRecords(accepted: readonly SentEntry[], messages: readonly PlacedRecord[]): readonly Violation[] {
  const stored = groupByText(messages, identifyMessage);
  const requests = groupByText(accepted.filter(isMessageSent), identifyRequest);
  return [...requests].flatMap(([identity, same]): Violation[] => {
    const found = stored.get(identity)?.length ?? 0;
    if (found >= same.length) return [];
    const [first] = same;
    const text = `${same.length} requests ${identity} were answered 202, but the journal has ${found} records of them`;
    return [{ promise: "I1", uetr: first?.uetr ?? null, text }];
  });
}

function inSeveralPartitions(journey: Journey): readonly Violation[] {
  const partitions = [...new Set(journey.journal.map((record) => record.partition))];
  if (partitions.length <= 1) return [];
  return [{ promise: "I1", uetr: journey.uetr, text: `its journal records are in several partitions: ${partitions.join(", ")}` }];
}

function notApplied(journey: Journey): readonly Violation[] {
  const messages = journey.journal.filter(isMessageRecord);
  if (messages.length === 0) return [];
  const { snapshot } = journey;
  if (snapshot === null) {
    return [{ promise: "I1", uetr: journey.uetr, text: `${messages.length} messages are in the journal, but there is no snapshot` }];
  }
  return messages.flatMap((record): Violation[] => {
    if (isApplied(record, snapshot)) return [];
    const text = `${record.type} ${carriedIdentification(record)} at offset ${record.position} has neither a transition nor an observation`;
    return [{ promise: "I1", uetr: journey.uetr, text }];
  });
}

/** #4 */
function notReplayed({ deadLetters }: Evidence, { uetr, journal, snapshot }: Journey): readonly Violation[] {
  if (snapshot === null || snapshot.isQuarantined === true) return [];
  const left = new Set(
    journal.flatMap(({ type, value }) => (type === "DeadLettersReplayed" ? (readRecordTexts(value, "left") ?? []) : [])),
  );
  const letters = deadLetters.filter(({ key }) => key === uetr);
  const lost = new Set(letters.map(({ value }) => readRecordText(value, "offset")));
  for (const { value, partition, position } of letters) {
    const offset = readRecordText(value, "offset");
    if (left.has(`${partition}:${position}`) || left.has(`journal:${offset}`)) lost.delete(offset);
  }
  const messages = journal.filter(isMessageRecord);
  const taken = messages.filter(({ position }) => !lost.has(String(position)));
  return messages.flatMap((record): Violation[] => {
    if (!lost.has(String(record.position))) return [];
    const identity = identifyMessage(record);
    if (taken.some((other) => other.position > record.position && identifyMessage(other) === identity)) return [];
    const text = `${record.type} at offset ${record.position} is in the dead letters, and no replay appended it again`;
    return [{ promise: "I1", uetr, text }];
  });
}

function isApplied(record: PlacedRecord, snapshot: SnapshotEntry): boolean {
  const offset = String(record.position);
  // A close can be applied while a message is handled. That transition belongs to the marker, not to the message.
  const isEffect = snapshot.transitions.some((entry) => entry.offset === offset && !isReconciliationState(entry.state));
  if (isEffect || snapshot.observations.some((observation) => observation.offset === offset)) return true;
  const oldest = snapshot.observations[0];
  return oldest !== undefined && snapshot.observations.length >= observationsKept && record.position < BigInt(oldest.offset);
}
