// I6, legal path: a transaction takes only paths of the state table, with one event per transition and that
// transition's payload.
//
// #1 Without repeated ids, stage versions are 1 … n without a gap and first appear in that order.
// #2 Each state may follow the previous one by the table of its flow (`states.ts`). That table is written from the
//    specification a second time on purpose, because the checker does not trust the domain.
// #3 The snapshot has the same stage versions, states and causes as the events. Until all work has ended it may be
//    ahead.
// #4 The posting's body agrees with the record's columns and shows the kind of message that its state is about.
// #5 HELD is entered again only as `carry-overs.ts` allows. A withdrawal is legal only in ACCEPTED, REPORTED and HELD
//    (`i10-reconciliation.ts`).
// #6 If there are events of class ESM_STATE, there is one for each of class TRANSACTION_STATE, in the same order.

import type { Evidence, Journey, StateEvent } from "../evidence/evidence.ts";
import type { PromiseFinding } from "./finding.ts";
import type { Violation } from "../history.ts";
import { findWrongCarryOvers } from "../evidence/carry-overs.ts";
import { payloadSchemaFor, legalSteps } from "../evidence/states.ts";
import { readRecordMember, readRecordText } from "../evidence/record-members.ts";

export function checkLegalPath(evidence: Evidence): PromiseFinding {
  const events = evidence.journeys.flatMap((journey) => journey.events);
  const violations = evidence.journeys.flatMap((journey) => [
    ...outOfSequence(journey),
    ...illegalSteps(journey),
    ...findWrongCarryOvers(evidence, journey).map((text) => violation(journey.uetr, text)),
    ...differentFromSnapshot(journey, evidence.isDrained),
    ...esmOutOfStep(journey, evidence.isDrained),
    ...journey.events.flatMap((event) => differentBody(event, journey.flow)),
  ]);
  return { violations, counts: { transactionsFollowed: evidence.journeys.length, eventsFollowed: events.length } };
}

function violation(uetr: string, text: string): Violation {
  return { promise: "I6", uetr, text };
}

function outOfSequence(journey: Journey): readonly Violation[] {
  const versions = journey.events.map((event) => event.stageVersion);
  const isSequence = versions.every((version, index) => version === index + 1);
  if (isSequence) return [];
  return [violation(journey.uetr, `stage versions are not 1 … ${versions.length} in order: ${versions.join(", ")}`)];
}

function illegalSteps(journey: Journey): readonly Violation[] {
  const states = journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion).map((event) => event.state);
  const flow = journey.flow ?? (states[0]?.startsWith("CREDIT_") === true ? "credit" : "on-us");
  return states.flatMap((state, index): Violation[] => {
    const before = states[index - 1] ?? "";
    if (legalSteps[flow][before]?.includes(state) === true) return [];
    return [violation(journey.uetr, `${state} does not follow ${before === "" ? "nothing" : before}: ${states.join(", ")}`)];
  });
}

function differentFromSnapshot(journey: Journey, isDrained: boolean): readonly Violation[] {
  const { snapshot } = journey;
  const events = journey.events.map((event) => `${event.stageVersion} ${event.state} @${event.causedBy}`);
  if (snapshot === null) return events.length > 0 && isDrained ? [violation(journey.uetr, "there are events, but no snapshot")] : [];
  const entries = snapshot.transitions.map((entry) => `${entry.stageVersion} ${entry.state} @${entry.offset}`);
  const compared = isDrained ? entries : entries.slice(0, events.length);
  const violations: Violation[] = [];
  if (events.join() !== compared.join()) {
    violations.push(violation(journey.uetr, `events and snapshot differ: ${events.join(", ")} against ${entries.join(", ")}`));
  }
  const last = snapshot.transitions.at(-1)?.state ?? "ORPHAN";
  if (snapshot.state !== last) violations.push(violation(journey.uetr, `the snapshot says ${snapshot.state}, its last transition ${last}`));
  return violations;
}

function esmOutOfStep(journey: Journey, isDrained: boolean): readonly Violation[] {
  if (journey.esmEvents.length === 0) return [];
  const esmStates = journey.esmEvents.map(({ state }) => state);
  const states = journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion).map(({ state }) => state);
  const expected = isDrained ? states : states.slice(0, esmStates.length);
  if (esmStates.join() === expected.join()) return [];
  return [
    violation(journey.uetr, `events of class ESM_STATE say ${esmStates.join(", ")}, those of TRANSACTION_STATE ${states.join(", ")}`),
  ];
}

function differentBody(event: StateEvent, flow: Journey["flow"]): readonly Violation[] {
  const body = parseBody(readRecordText(event.record.value, "body"));
  if (body === undefined) return [violation(event.uetr, `the body of event ${event.stageVersion} cannot be read`)];
  if (body === null) return [];
  const violations: Violation[] = [];
  const says = `${readRecordText(body, "type")} ${String(readRecordMember(body, "stageVersion"))}`;
  const expected = `${flow === "credit" ? "" : "DIRECT_DEBIT_"}${event.state} ${event.stageVersion}`;
  if (says !== expected) violations.push(violation(event.uetr, `the body of event ${event.stageVersion} says ${says}, not ${expected}`));
  const payload = readRecordText(body, "payload", "schema");
  const schema = payloadSchemaFor(event.state, flow);
  if (payload !== "" && schema !== null && payload !== schema) {
    violations.push(violation(event.uetr, `event ${event.stageVersion} ${event.state} carries a ${payload}, not a ${schema}`));
  }
  return violations;
}

/** Returns null if the history has no bodies, and undefined if the body is not JSON. */
function parseBody(base64: string): unknown {
  if (base64 === "") return null;
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(base64)));
  } catch {
    return undefined;
  }
}
