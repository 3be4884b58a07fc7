// I4, order: for each receiver and UETR the first attempts are in sequence, and the only gaps are recorded give-ups.
//
// #1 The first attempt of an event comes after the previous event was acknowledged (2xx, or any answer that a receipt
//    calls acknowledged), or after a receipt says that the previous event was given up.
// #2 An event of class ESM_STATE follows the TRANSACTION_STATE event of its state and precedes the next one, by the
//    same rule.
// #3 An event may be overtaken if it was appended while a store that had gone back was not noticed yet: what was parked
//    then has the place of its repeat, and its successors have their own.
// #4 The report comes before the debit where one bank receives both. Answers to duplicates (X, Y) have no place in the
//    sequence.

import type { Evidence } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { ReceivedEntry, Violation } from "../history.ts";
import { readRecordText } from "../evidence/record-members.ts";

interface Attempt extends ReceivedEntry {
  readonly position: number;
}

export function checkOrder(evidence: Evidence): PromiseFinding {
  const attempts = evidence.received.map((request, position): Attempt => ({ ...request, position }));
  const byReceiver = Map.groupBy(attempts, (attempt) => `${attempt.bank} ${attempt.uetr}`);
  const receipts = outcomesByDelivery(evidence);
  const sequences = expectedSequences(evidence);
  const esmSequences = expectedEsmSequences(evidence);
  const overtaken = findForgotten(evidence);
  const violations: Violation[] = [];
  let eventsInSequence = 0;
  for (const [receiver, own] of byReceiver) {
    const events = own.filter((attempt) => attempt.operation === "events" && attempt.stageVersion !== null);
    eventsInSequence += new Set(events.map((attempt) => attempt.stageVersion)).size;
    violations.push(
      ...eventsOutOfOrder(events, sequences.get(receiver) ?? [], receipts, overtaken),
      ...esmOutOfOrder(own, esmSequences.get(receiver) ?? [], receipts, overtaken),
      ...debitBeforeReport(own),
    );
  }
  return { violations, counts: { receiversInOrder: byReceiver.size, eventsInSequence } };
}

/** Maps each (bank, webhook-id) to the outcomes in its receipts. */
function outcomesByDelivery(evidence: Evidence): ReadonlyMap<string, ReadonlySet<string>> {
  const outcomes = new Map<string, Set<string>>();
  for (const { value } of evidence.receipts) {
    const delivery = `${readRecordText(value, "bank")} ${readRecordText(value, "webhookId")}`;
    outcomes.set(delivery, (outcomes.get(delivery) ?? new Set()).add(readRecordText(value, "outcome")));
  }
  return outcomes;
}

/** #3: the ids of the events that were appended in the time that the store forgot. */
function findForgotten({ events, forgotten }: Evidence): ReadonlySet<string> {
  if (forgotten === null) return new Set();
  const inTime = events.filter(({ appendedAtMs }) => forgotten.fromMs <= appendedAtMs && appendedAtMs < forgotten.untilMs);
  return new Set(inTime.map(({ value }) => readRecordText(value, "id")));
}

interface Expected {
  readonly stageVersion: number;
  readonly id: string;
}

/** Maps each (receiver, UETR) to the events that it should receive according to the event topic. */
function expectedSequences(evidence: Evidence): ReadonlyMap<string, readonly Expected[]> {
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
  overtaken: ReadonlySet<string>,
): readonly Violation[] {
  const versions = Map.groupBy(events, (attempt) => attempt.stageVersion ?? 0);
  const known = [...new Set([...versions.keys(), ...expected.map((event) => event.stageVersion)])].toSorted((a, b) => a - b);
  return [...versions].flatMap(([stageVersion, attempts]): Violation[] => {
    const [first] = attempts;
    const before = known.findLast((other) => other < stageVersion) ?? (expected.length === 0 && stageVersion > 1 ? stageVersion - 1 : null);
    if (first === undefined || before === null) return [];
    const earlier = (versions.get(before) ?? []).filter((attempt) => attempt.position < first.position);
    const id = versions.get(before)?.[0]?.webhookId ?? expected.find((event) => event.stageVersion === before)?.id ?? "";
    if (overtaken.has(id) || isEnded(earlier, receipts.get(`${first.bank} ${id}`) ?? new Set())) return [];
    const answers = earlier.map((attempt) => attempt.status ?? "no answer").join(", ");
    const text = `event ${stageVersion} was first tried when event ${before} was neither acknowledged nor given up (answers: ${answers || "not tried"})`;
    return [{ promise: "I4", uetr: first.uetr, text: `${text}, receiver ${first.bank}` }];
  });
}

/**
 * Maps each (receiver, UETR) with events of class ESM_STATE to its event ids of both classes, in the order of the event
 * topic.
 */
function expectedEsmSequences(evidence: Evidence): ReadonlyMap<string, readonly string[]> {
  const sequences = new Map<string, readonly string[]>();
  for (const journey of evidence.journeys) {
    const bank = journey.esmEvents[0]?.bank;
    if (bank === undefined) continue;
    const inOrder = [...journey.events, ...journey.esmEvents].toSorted((a, b) => (a.record.position < b.record.position ? -1 : 1));
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
  overtaken: ReadonlySet<string>,
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
    if (overtaken.has(before) || isEnded(earlier, receipts.get(`${first.bank} ${before}`) ?? new Set())) return [];
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
