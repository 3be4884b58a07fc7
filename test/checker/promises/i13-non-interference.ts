// I13, non-interference: receivers of events cannot change an outcome.
//
// #1 Nothing that becomes of a posting reaches the journal: no DeliveryEnded names an event.
// #2 An operator's request about a posting changes that posting alone: no transition, no dispatch and no change of a
//    delivery has it as its cause.
// #3 Whatever a receiver answers to events, a message to it is first tried in time if it took all messages of the last
//    five minutes. Like I14 this is checked only where the options bound a first attempt.

import type { Evidence, Journey, PlacedRecord } from "../evidence/evidence.ts";
import { collectFirstWaits, isTaken } from "../evidence/first-waits.ts";
import { readRecordOffset, readRecordText } from "../evidence/record-members.ts";
import type { Violation } from "../history.ts";
import type { PromiseFinding } from "./finding.ts";

export function checkNonInterference(evidence: Evidence): PromiseFinding {
  const eventIds = new Set(evidence.events.map(({ value }) => readRecordText(value, "id")));
  const isAboutPosting = ({ value }: PlacedRecord): boolean => readRecordText(value, "target") === "POSTING";
  const waits = evidence.firstAttemptWithinMs === null ? [] : messagesBesideFailedEvents(evidence);
  const violations = [
    ...evidence.journeys.flatMap((journey) => [...factsAboutEvents(journey, eventIds), ...statesByPostings(journey, isAboutPosting)]),
    ...dispatchesByPostings(evidence, isAboutPosting),
    ...waits
      .filter(({ waitedMs }) => waitedMs > (evidence.firstAttemptWithinMs ?? 0) + evidence.clockToleranceMs)
      .map(({ delivery, waitedMs }): Violation => {
        const text = `${delivery.id} was first tried after ${waitedMs} ms, though only events of ${delivery.bank} failed`;
        return { promise: "I13", uetr: delivery.uetr, text };
      }),
  ];
  const failed = evidence.received.filter((request) => request.operation === "events" && !isTaken(request)).length;
  return { violations, counts: { eventsNotTaken: failed, messagesBesideFailedEvents: waits.length } };
}

/** #1 */
function factsAboutEvents({ uetr, journal }: Journey, eventIds: ReadonlySet<string>): readonly Violation[] {
  return journal.flatMap(({ type, value, position }): Violation[] => {
    const id = readRecordText(value, "messageIdentification");
    if (type !== "DeliveryEnded" || !eventIds.has(id)) return [];
    return [{ promise: "I13", uetr, text: `DeliveryEnded at offset ${position} is about the event ${id}` }];
  });
}

/** #2, of the states. */
function statesByPostings({ uetr, journal, events }: Journey, isAboutPosting: (record: PlacedRecord) => boolean): readonly Violation[] {
  const postings = new Set(journal.filter(isAboutPosting).map(({ position }) => position));
  return events
    .filter(({ causedBy }) => postings.has(causedBy))
    .map(({ state, causedBy }) => ({
      promise: "I13",
      uetr,
      text: `${state} was entered by a request about a posting (offset ${causedBy})`,
    }));
}

/** #2, of the messages. */
function dispatchesByPostings(
  { dispatch, findInJournal }: Evidence,
  isAboutPosting: (record: PlacedRecord) => boolean,
): readonly Violation[] {
  return dispatch.flatMap(({ type, value, partition, position }): Violation[] => {
    const cause = findInJournal(partition, readRecordOffset(value, "causedByOffset"));
    if (cause === null || !isAboutPosting(cause)) return [];
    const text = `${type} at offset ${position} was caused by a request about a posting (offset ${cause.position})`;
    return [{ promise: "I13", uetr: readRecordText(value, "uetr"), text }];
  });
}

/** #3 */
function messagesBesideFailedEvents(evidence: Evidence) {
  return collectFirstWaits(evidence).filter(
    ({ delivery, answers }) =>
      !delivery.isEvent && answers.every((answer) => answer.operation === "events" || isTaken(answer)) && !answers.every(isTaken),
  );
}
