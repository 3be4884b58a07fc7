// I2, no phantom: every stored or produced record traces to a request that was sent, and a refused request has no
// effect.
//
// #1 Once all work has ended, each message, declaration or operator's action of the journal has a request of its own
//    that was sent and not refused. No answer, a 5xx and a 202 leave it open whether there is a record; a 4xx does not.
//    What a replay of dead letters appends again needs no request of its own.
// #2 Operators' actions are examined only where the history records operators' requests.
// #3 A verdict names a message that is before it in the journal, and a DeliveryEnded names a dispatch of its
//    transaction.
// #4 A dispatch, an event and a transition name as their cause a record of their own transaction, or a marker, that is
//    in their partition of the journal. A transaction with events has a debit or a credit.
// #5 What a receiver got was produced for it: a dispatch or an event has its id, its UETR and its receiver. So has each
//    receipt.

import { type Evidence, groupByText, isMessageRecord, type Journey, type PlacedRecord } from "../evidence/evidence.ts";
import { identifyMessage, identifyRequest, isMessageSent } from "../evidence/message-identity.ts";
import { readRecordOffset, readRecordText } from "../evidence/record-members.ts";
import type { SentEntry, Violation } from "../history.ts";
import type { PromiseFinding } from "./finding.ts";

export function checkNoPhantom(evidence: Evidence): PromiseFinding {
  const { sent, journeys } = evidence;
  const produced = producedRecords(evidence);
  const violations = [
    ...(evidence.isDrained ? [...unsentMessages(evidence), ...unsentActions(evidence)] : []),
    ...journeys.flatMap((journey) => [...unknownSubjects(evidence, journey), ...unknownOrigins(evidence, journey)]),
    ...produced.flatMap((record) => withoutCause(evidence, record)),
    ...withoutProduct(evidence, produced),
  ];
  return { violations, counts: { requestsRefused: sent.filter(isRefused).length, recordsTraced: produced.length } };
}

function isRefused({ status }: SentEntry): boolean {
  return status !== null && status >= 400 && status < 500;
}

/** #1 */
function unsentMessages({ sent, journeys, declarations }: Evidence): readonly Violation[] {
  const ofCallers = declarations.filter(({ value }) => readRecordText(value, "action", "id") === "");
  const stored = groupByText([...journeys.flatMap(({ journal }) => journal.filter(isMessageRecord)), ...ofCallers], identifyMessage);
  const requests = groupByText(sent.filter(isMessageSent), identifyRequest);
  const replayed = new Set(journeys.flatMap(({ uetr, journal }) => (journal.some(isReplay) ? [uetr] : [])));
  return [...stored].flatMap(([identity, records]): Violation[] => {
    const same = requests.get(identity) ?? [];
    const taken = same.filter((request) => !isRefused(request)).length;
    const uetr = records[0]?.key?.toLowerCase() ?? null;
    if (records.length <= taken || (taken > 0 && replayed.has(uetr ?? ""))) return [];
    const text = `the journal has ${records.length} records of ${identity}, and of ${same.length} requests ${taken} were not refused`;
    return [{ promise: "I2", uetr, text }];
  });
}

function isReplay({ type }: PlacedRecord): boolean {
  return type === "DeadLettersReplayed";
}

/** #2 */
function unsentActions({ sent, actions }: Evidence): readonly Violation[] {
  const asked = sent.filter(
    ({ operation, status }) => operation === "operatorAction" && (status === null || status < 400 || status >= 500),
  );
  if (asked.length === 0) return [];
  const known = new Set(asked.map(({ uetr, messageIdentification }) => `${uetr} ${messageIdentification}`));
  return actions.flatMap(({ key, type, value, position }): Violation[] => {
    const id = readRecordText(value, "action", "id");
    if (known.has(`${key?.toLowerCase() ?? ""} ${id}`)) return [];
    return [{ promise: "I2", uetr: key, text: `${type} at offset ${position} is the action ${id}, which no operator asked for` }];
  });
}

/** #3 */
function unknownSubjects({ dispatch }: Evidence, { uetr, journal }: Journey): readonly Violation[] {
  const messages = journal.filter(isMessageRecord);
  const sentOut = new Set(
    dispatch.map(({ value }) => `${readRecordText(value, "uetr")} ${readRecordText(value, "messageIdentification")}`),
  );
  return journal.flatMap(({ type, value, partition, position }): Violation[] => {
    const id = readRecordText(value, "messageIdentification");
    if (type === "DeliveryEnded" && !sentOut.has(`${uetr} ${id}`))
      return [{ promise: "I2", uetr, text: `DeliveryEnded at offset ${position} names ${id}, which was never dispatched` }];
    if (type !== "AccountVerified") return [];
    const judged = messages.some(
      (message) =>
        message.partition === partition &&
        message.position < position &&
        readRecordText(message.value, "sender") === readRecordText(value, "sender") &&
        readRecordText(message.value, "contentHash") === readRecordText(value, "contentHash"),
    );
    return judged ? [] : [{ promise: "I2", uetr, text: `AccountVerified at offset ${position} names ${id}, which is not before it` }];
  });
}

/** #4, of the transitions. */
function unknownOrigins(
  { findInJournal, unreadableKeys }: Evidence,
  { uetr, journal, request, events, snapshot }: Journey,
): readonly Violation[] {
  const violation = (text: string): Violation => ({ promise: "I2", uetr, text });
  if (request === null && events.length > 0) return [violation(`${events.length} events, though the journal has no debit or credit`)];
  const partition = journal[0]?.partition;
  if (snapshot === null) return [];
  if (partition === undefined && unreadableKeys.has(uetr) && snapshot.transitions.length === 0) return [];
  if (partition === undefined) return [violation(`the store has it as ${snapshot.state}, and the journal has no record of it`)];
  return snapshot.transitions.flatMap(({ state, offset }) => {
    const cause = findInJournal(partition, BigInt(offset));
    return cause?.key === uetr ? [] : [violation(`${state} was entered at offset ${offset}, which is no record of this transaction`)];
  });
}

const eventTypes: ReadonlySet<string> = new Set(["TransactionStateEvent", "EsmStateEvent"]);

/** What follows from the journal: messages and events to send, and what changes them. */
function producedRecords({ dispatch, events }: Evidence): readonly PlacedRecord[] {
  const changes = new Set(["Dispatch", "DispatchChange", ...eventTypes]);
  return [...dispatch, ...events].filter(({ type }) => changes.has(type));
}

/** #4 */
function withoutCause({ findInJournal, isMarker }: Evidence, { type, value, partition, position }: PlacedRecord): readonly Violation[] {
  const uetr = readRecordText(value, "uetr");
  const offset = readRecordOffset(value, "causedByOffset");
  const cause = findInJournal(partition, offset);
  if (cause !== null && (cause.key === uetr || isMarker(cause))) return [];
  const found = cause === null ? "nothing" : `${cause.type} of ${cause.key ?? "no key"}`;
  return [{ promise: "I2", uetr, text: `${type} at offset ${position} was caused by offset ${offset}, where the journal has ${found}` }];
}

/** #5 */
function withoutProduct({ received, receipts }: Evidence, produced: readonly PlacedRecord[]): readonly Violation[] {
  const nameProduct = ({ type, value }: PlacedRecord): string =>
    [
      readRecordText(value, "bank"),
      readRecordText(value, eventTypes.has(type) ? "id" : "messageIdentification"),
      readRecordText(value, "uetr"),
    ].join(" ");
  const known = new Set(produced.filter(({ type }) => type !== "DispatchChange").map(nameProduct));
  const strange = received.filter(({ bank, webhookId, uetr }) => !known.has([bank, webhookId, uetr].join(" ")));
  const ends = receipts.map(({ value, position }) => ({
    position,
    uetr: readRecordText(value, "uetr"),
    name: [readRecordText(value, "bank"), readRecordText(value, "webhookId"), readRecordText(value, "uetr")].join(" "),
  }));
  return [
    ...strange.map(({ bank, webhookId, uetr }): Violation => {
      return { promise: "I2", uetr, text: `${bank} received ${webhookId}, which nothing was produced for` };
    }),
    ...ends
      .filter(({ name }) => !known.has(name))
      .map(({ name, uetr, position }): Violation => {
        return { promise: "I2", uetr, text: `the receipt at offset ${position} is about ${name}, which was never produced` };
      }),
  ];
}
