// I1, no loss: every request answered 202 is in exactly one journey, or recorded as repeat, conflict, refused duplicate or orphan.
//
// 1. Every 202 has its own record in the journal (more records than 202s are legal: a caller may not have heard the answer).
// 2. All records of one UETR lie in one partition, so there is one journey.
// 3. Every message record was folded in: its offset is that of a transition, or of a remark (the last ten are kept), once at rest.

import { groupBy, isMessage, messageIdentificationOf } from "./evidence.ts";
import type { Evidence, Journey, PlacedRecord } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { SentEntry, SnapshotEntry, Violation } from "./history.ts";
import { isReconciliation } from "./states.ts";
import { textAt } from "./value.ts";

const remarksKept = 10;
const recordOf = {
  outboundDirectDebit: "DirectDebitReceived",
  inboundDirectDebit: "DirectDebitReceived",
  inboundCreditTransferAuthorization: "CreditTransferReceived",
  inboundDirectDebitResponse: "StatusReportReceived",
  inboundCreditTransferAuthorizationResponse: "StatusReportReceived",
  creditsFinal: "CreditsFinalRequested",
} as const;

export function checkNoLoss(evidence: Evidence): Finding {
  const answered = evidence.sent.filter((request) => request.status === 202);
  const accepted = answered.filter(isMessageSent);
  const asked = answered.filter((request) => !isMessageSent(request));
  const messages = evidence.journeys.flatMap((journey) => journey.journal.filter(isMessage));
  const violations = [
    ...missingRecords(accepted, [...messages, ...evidence.declarations]),
    ...asked.flatMap((request) => missingAction(request, evidence.actions)),
    ...evidence.journeys.flatMap((journey) => inSeveralPartitions(journey)),
    ...(evidence.isDrained ? evidence.journeys.flatMap((journey) => notFoldedIn(journey)) : []),
  ];
  return { violations, counts: { requestsAccepted: accepted.length, messagesStored: messages.length } };
}

type MessageSent = SentEntry & { readonly operation: keyof typeof recordOf };

function isMessageSent(request: SentEntry): request is MessageSent {
  return request.operation !== "operatorAction";
}

/** What an operator asked for and was answered 202 is in the journal, under its key. */
function missingAction({ bank, uetr, messageIdentification }: SentEntry, actions: readonly PlacedRecord[]): readonly Violation[] {
  const isStored = actions.some(
    ({ key, value }) => textAt(value, "action", "id") === messageIdentification && key?.toLowerCase() === uetr.toLowerCase(),
  );
  if (isStored) return [];
  return [{ promise: "I1", uetr, text: `the action ${messageIdentification} of ${bank} was answered 202, but is not in the journal` }];
}

function missingRecords(accepted: readonly MessageSent[], messages: readonly PlacedRecord[]): readonly Violation[] {
  const stored = groupBy(messages, (record) =>
    JSON.stringify([senderOf(record), record.type, record.key?.toLowerCase(), messageIdentificationOf(record)]),
  );
  const requests = Map.groupBy(accepted, (request) =>
    JSON.stringify([request.bank, recordOf[request.operation], request.uetr, request.messageIdentification]),
  );
  return [...requests].flatMap(([identity, same]): Violation[] => {
    const found = stored.get(identity)?.length ?? 0;
    if (found >= same.length) return [];
    const [first] = same;
    const text = `${same.length} requests ${identity} were answered 202, but the journal has ${found} records of them`;
    return [{ promise: "I1", uetr: first?.uetr ?? null, text }];
  });
}

function senderOf({ type, value }: PlacedRecord): string {
  return textAt(value, type === "CreditsFinalRequested" ? "requestedBy" : "sender");
}

function inSeveralPartitions(journey: Journey): readonly Violation[] {
  const partitions = [...new Set(journey.journal.map((record) => record.partition))];
  if (partitions.length <= 1) return [];
  return [{ promise: "I1", uetr: journey.uetr, text: `its journal records lie in several partitions: ${partitions.join(", ")}` }];
}

function notFoldedIn(journey: Journey): readonly Violation[] {
  const messages = journey.journal.filter(isMessage);
  if (messages.length === 0) return [];
  const { snapshot } = journey;
  if (snapshot === null) {
    return [{ promise: "I1", uetr: journey.uetr, text: `${messages.length} messages are in the journal, but there is no snapshot` }];
  }
  return messages.flatMap((record): Violation[] => {
    if (isFoldedIn(record, snapshot)) return [];
    const text = `${record.type} ${messageIdentificationOf(record)} at offset ${record.at} has neither a transition nor a remark`;
    return [{ promise: "I1", uetr: journey.uetr, text }];
  });
}

function isFoldedIn(record: PlacedRecord, snapshot: SnapshotEntry): boolean {
  const offset = String(record.at);
  // The close can fall into a message's turn: that transition is the marker's, not the message's.
  const isEffect = snapshot.transitions.some((entry) => entry.offset === offset && !isReconciliation(entry.state));
  if (isEffect || snapshot.remarks.some((remark) => remark.offset === offset)) return true;
  const oldest = snapshot.remarks[0];
  return oldest !== undefined && snapshot.remarks.length >= remarksKept && record.at < BigInt(oldest.offset);
}
