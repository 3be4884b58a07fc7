// I3, one effect: each message identity has one effect, and a redelivery has the same id and the same bytes.
//
// #1 All requests that a bank receives under one webhook-id have the same bytes, and no other operation or UETR uses
//    that id there.
// #2 A debit or a credit leaves under one identification, to one bank. A debit has one report, A or R. Outcome reports
//    to a connector have identifications that count from 1.
// #3 A repeated Dispatch or event record has the same id and the same content, and a stage version has one id.
// #4 Of several records of one message at most one entered states.
// #5 An operator's action counts once: it has one note, which names the action's first record. A record before anything
//    else of its transaction may have found nothing that could keep a note. Then the first one behind it is decided.

import {
  carriedIdentification,
  type Evidence,
  groupByText,
  isMessageRecord,
  type Journey,
  type PlacedRecord,
} from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "../history.ts";
import { isReconciliationState } from "../evidence/states.ts";
import { readRecordText } from "../evidence/record-members.ts";

export function checkOneEffect(evidence: Evidence): PromiseFinding {
  const violations = [
    ...differentBytes(evidence.received),
    ...severalDeliveries(evidence.received),
    ...differentRecords(evidence.dispatch, "Dispatch", "messageIdentification"),
    ...differentRecords(evidence.events, "TransactionStateEvent", "id"),
    ...differentRecords(evidence.events, "EsmStateEvent", "id"),
    ...evidence.journeys.flatMap((journey) => [...severalIds(journey), ...severalEffects(journey), ...severalDecisions(journey)]),
  ];
  return { violations, counts: { requestsReceived: evidence.received.length, dispatches: evidence.dispatch.length } };
}

function differentBytes(received: readonly ReceivedEntry[]): readonly Violation[] {
  const deliveries = Map.groupBy(received, (request) => JSON.stringify([request.bank, request.webhookId]));
  return [...deliveries].flatMap(([delivery, attempts]): Violation[] => {
    const kinds = new Set(attempts.map((attempt) => JSON.stringify([attempt.operation, attempt.uetr, attempt.bodyHash])));
    if (kinds.size === 1) return [];
    const text = `${delivery} was received ${attempts.length} times with ${kinds.size} different contents`;
    return [{ promise: "I3", uetr: attempts[0]?.uetr ?? null, text }];
  });
}

function severalDeliveries(received: readonly ReceivedEntry[]): readonly Violation[] {
  const debits = received.filter((request) => request.operation === "inboundDirectDebit");
  const credits = received.filter((request) => request.operation === "inboundCreditTransferAuthorization");
  const outcomes = received.filter((request) => /^[0-9a-f]{32}O1$/.test(request.webhookId));
  const reports = received.filter(
    (request) => request.operation === "outboundDirectDebitResponse" && /^[0-9a-f]{32}[AR]$/.test(request.webhookId),
  );
  const text = (kind: string, ids: readonly string[]): string => `one ${kind} was expected, ${ids.length} were received: ${ids.join(", ")}`;
  return [
    ...[...Map.groupBy(debits, (request) => request.uetr)].map(([uetr, same]) => ({ uetr, kind: "inbound debit", same })),
    ...[...Map.groupBy(credits, (request) => request.uetr)].map(([uetr, same]) => ({ uetr, kind: "inbound credit", same })),
    ...[...Map.groupBy(reports, (request) => request.uetr)].map(([uetr, same]) => ({ uetr, kind: "report", same })),
    ...[...Map.groupBy(outcomes, (request) => request.uetr)].map(([uetr, same]) => ({ uetr, kind: "first outcome", same })),
  ].flatMap(({ uetr, kind, same }): Violation[] => {
    const ids = [...new Set(same.map((request) => `${request.bank} ${request.webhookId}`))];
    return ids.length === 1 ? [] : [{ promise: "I3", uetr, text: text(kind, ids) }];
  });
}

/**
 * Reports records with the same id but different contents. Every member of a record is derived, so all of them must be
 * equal.
 */
function differentRecords(records: readonly PlacedRecord[], type: string, idMember: string): readonly Violation[] {
  const repeated = groupByText(
    records.filter((record) => record.type === type),
    (record) => readRecordText(record.value, idMember),
  );
  return [...repeated].flatMap(([id, same]): Violation[] => {
    if (same.length === 1 || new Set(same.map((record) => canonical(record.value))).size === 1) return [];
    const text = `${type} ${id} was written ${same.length} times with different contents, at offsets ${same.map(({ position }) => position).join(", ")}`;
    return [{ promise: "I3", uetr: readRecordText(same[0]?.value, "uetr"), text }];
  });
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function severalIds(journey: Journey): readonly Violation[] {
  const versions = Map.groupBy(journey.events, (event) => event.stageVersion);
  return [...versions].flatMap(([stageVersion, same]): Violation[] => {
    if (same.length === 1) return [];
    const text = `stage version ${stageVersion} has ${same.length} events with different ids: ${same.map(({ id }) => id).join(", ")}`;
    return [{ promise: "I3", uetr: journey.uetr, text }];
  });
}

function severalEffects(journey: Journey): readonly Violation[] {
  const { snapshot } = journey;
  if (snapshot === null) return [];
  // A close and a carry-over happen in the turn of the next record, also where that is a repeat.
  const effects = new Set(
    snapshot.transitions
      .filter(
        ({ state }, index) => !isReconciliationState(state) && !(state === "HELD" && snapshot.transitions[index - 1]?.state === "HELD"),
      )
      .map((entry) => entry.offset),
  );
  const messages = groupByText(journey.journal.filter(isMessageRecord), (record) =>
    JSON.stringify([readRecordText(record.value, "sender"), record.type, carriedIdentification(record)]),
  );
  return [...messages].flatMap(([identity, records]): Violation[] => {
    const effective = records.filter((record) => effects.has(String(record.position)));
    if (effective.length <= 1) return [];
    const text = `the message ${identity} took effect ${effective.length} times, at offsets ${effective.map(({ position }) => position).join(", ")}`;
    return [{ promise: "I3", uetr: journey.uetr, text }];
  });
}

/** Checks only actions that still have a note, because the store keeps the last ten. */
function severalDecisions({ uetr, snapshot, journal }: Journey): readonly Violation[] {
  const notes = Map.groupBy(snapshot?.decisions ?? [], ({ id }) => id);
  const begin = journal.findIndex(({ value }) => readRecordText(value, "action", "id") === "");
  return [...notes].flatMap(([id, same]): Violation[] => {
    const records = journal.filter(({ value }) => readRecordText(value, "action", "id") === id);
    const [first] = records;
    const counts = [first, records.find((record) => journal.indexOf(record) > begin)];
    const [note] = same;
    if (same.length > 1) return [{ promise: "I3", uetr, text: `the action ${id} is noted ${same.length} times` }];
    if (counts.some((record) => record !== undefined && String(record.position) === note?.offset)) return [];
    return [
      {
        promise: "I3",
        uetr,
        text: `the action ${id} is noted at offset ${note?.offset ?? ""}, its first record is ${first?.position ?? "nowhere"}`,
      },
    ];
  });
}
