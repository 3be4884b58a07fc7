// I4, order: per (receiver, UETR) first attempts are in sequence; the only gaps are recorded give-ups.
//
// 1. The first attempt of an event comes after one of the event before it was acknowledged (2xx, or any answer that a receipt calls
//    acknowledged), or after it was given up: a receipt that says so.
// 2. An event of class ESM_STATE comes after the TRANSACTION_STATE event of its state, and before the next one, in the same way.
// 3. The report comes before the debit where one bank receives both. Answers to duplicates (X, Y) have no place in the sequence.

import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "./history.ts";
import { textAt } from "./value.ts";

interface Attempt extends ReceivedEntry {
  readonly position: number;
}

export function checkOrder(evidence: Evidence): Finding {
  const attempts = evidence.received.map((request, position): Attempt => ({ ...request, position }));
  const byReceiver = Map.groupBy(attempts, (attempt) => `${attempt.bank} ${attempt.uetr}`);
  const receipts = outcomesByDelivery(evidence);
  const sequences = sequencesOf(evidence);
  const esmSequences = esmSequencesOf(evidence);
  const violations: Violation[] = [];
  let eventsInSequence = 0;
  for (const [receiver, own] of byReceiver) {
    const events = own.filter((attempt) => attempt.operation === "events" && attempt.stageVersion !== null);
    eventsInSequence += new Set(events.map((attempt) => attempt.stageVersion)).size;
    violations.push(
      ...eventsOutOfOrder(events, sequences.get(receiver) ?? [], receipts),
      ...esmOutOfOrder(own, esmSequences.get(receiver) ?? [], receipts),
      ...debitBeforeReport(own),
    );
  }
  return { violations, counts: { receiversInOrder: byReceiver.size, eventsInSequence } };
}

/** Outcomes of the receipts of each (bank, webhook-id). */
function outcomesByDelivery(evidence: Evidence): ReadonlyMap<string, ReadonlySet<string>> {
  const outcomes = new Map<string, Set<string>>();
  for (const { value } of evidence.receipts) {
    const delivery = `${textAt(value, "bank")} ${textAt(value, "webhookId")}`;
    outcomes.set(delivery, (outcomes.get(delivery) ?? new Set()).add(textAt(value, "outcome")));
  }
  return outcomes;
}

interface Expected {
  readonly stageVersion: number;
  readonly id: string;
}

/** What each (receiver, UETR) ought to receive, by the event topic. */
function sequencesOf(evidence: Evidence): ReadonlyMap<string, readonly Expected[]> {
  const sequences = new Map<string, Expected[]>();
  for (const event of evidence.journeys.flatMap((journey) => journey.events)) {
    const receiver = `${event.bank} ${event.uetr}`;
    const expected = sequences.get(receiver) ?? [];
    expected.push({ stageVersion: event.stageVersion, id: event.id });
    sequences.set(receiver, expected);
  }
  return sequences;
}

function eventsOutOfOrder(
  events: readonly Attempt[],
  expected: readonly Expected[],
  receipts: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Violation[] {
  const versions = Map.groupBy(events, (attempt) => attempt.stageVersion ?? 0);
  const known = [...new Set([...versions.keys(), ...expected.map((event) => event.stageVersion)])].toSorted((a, b) => a - b);
  return [...versions].flatMap(([stageVersion, attempts]): Violation[] => {
    const [first] = attempts;
    const before = known.findLast((other) => other < stageVersion) ?? (expected.length === 0 && stageVersion > 1 ? stageVersion - 1 : null);
    if (first === undefined || before === null) return [];
    const earlier = (versions.get(before) ?? []).filter((attempt) => attempt.position < first.position);
    const id = versions.get(before)?.[0]?.webhookId ?? expected.find((event) => event.stageVersion === before)?.id ?? "";
    if (isEnded(earlier, receipts.get(`${first.bank} ${id}`) ?? new Set())) return [];
    const answers = earlier.map((attempt) => attempt.status ?? "silence").join(", ");
    const text = `event ${stageVersion} was first tried when event ${before} was neither acknowledged nor given up (answers: ${answers || "not tried"})`;
    return [{ promise: "I4", uetr: first.uetr, text: `${text}, receiver ${first.bank}` }];
  });
}

/** Ids of both classes in the order of the event topic, for each (receiver, UETR) that has some of class ESM_STATE. */
function esmSequencesOf(evidence: Evidence): ReadonlyMap<string, readonly string[]> {
  const sequences = new Map<string, readonly string[]>();
  for (const journey of evidence.journeys) {
    const bank = journey.esmEvents[0]?.bank;
    if (bank === undefined) continue;
    const inOrder = [...journey.events, ...journey.esmEvents].toSorted((a, b) => (a.record.at < b.record.at ? -1 : 1));
    sequences.set(
      `${bank} ${journey.uetr}`,
      inOrder.map(({ id }) => id),
    );
  }
  return sequences;
}

function esmOutOfOrder(
  own: readonly Attempt[],
  sequence: readonly string[],
  receipts: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Violation[] {
  const byId = Map.groupBy(
    own.filter((attempt) => attempt.operation === "events"),
    (attempt) => attempt.webhookId,
  );
  return sequence.flatMap((id, index): Violation[] => {
    const first = byId.get(id)?.[0];
    const before = sequence[index - 1];
    if (first === undefined || before === undefined) return [];
    const earlier = (byId.get(before) ?? []).filter((attempt) => attempt.position < first.position);
    if (isEnded(earlier, receipts.get(`${first.bank} ${before}`) ?? new Set())) return [];
    const text = `event ${id} was first tried when ${before}, before it in the topic, was neither acknowledged nor given up`;
    return [{ promise: "I4", uetr: first.uetr, text: `${text}, receiver ${first.bank}` }];
  });
}

function isEnded(attempts: readonly Attempt[], outcomes: ReadonlySet<string>): boolean {
  if (["REFUSED", "EXPIRED", "STOPPED"].some((outcome) => outcomes.has(outcome))) return true;
  const isAcknowledged = (attempt: Attempt): boolean =>
    attempt.status !== null && ((attempt.status >= 200 && attempt.status < 300) || outcomes.has("ACKNOWLEDGED"));
  return attempts.some(isAcknowledged);
}

function debitBeforeReport(own: readonly Attempt[]): readonly Violation[] {
  const debit = own.find((attempt) => attempt.operation === "inboundDirectDebit");
  const report = own.find((attempt) => attempt.operation === "outboundDirectDebitResponse" && /^[0-9a-f]{32}[AR]$/.test(attempt.webhookId));
  if (debit === undefined || report === undefined || report.position < debit.position) return [];
  return [{ promise: "I4", uetr: debit.uetr, text: `the debit reached ${debit.bank} before the report on it` }];
}
