// I6, legal path: only paths of the state table; one event per transition, with the payload of that moment.
//
// 1. Repeats by id removed, stage versions are 1 … n without a gap, and first appear in that order.
// 2. Each state follows from the one before it by the table of its flow (`states.ts`), which is written from the specification, on
//    purpose: the checker does not trust the domain.
// 3. The snapshot has the same stage versions, states and causes as the events (while not at rest: it may be ahead).
// 4. The posting's own body says the same as the record's columns, and shows the kind of message that the state is about.
// 5. HELD is entered again only as `rolls.ts` says; a withdrawal meets no state but ACCEPTED, REPORTED and HELD (`i10-reconciliation.ts`).
// 6. Events of class ESM_STATE, where there are any: one for each of class TRANSACTION_STATE, in the same order.

import type { Evidence, Journey, StateEvent } from "./evidence.ts";
import type { Finding } from "./finding.ts";
import type { Violation } from "./history.ts";
import { wrongRolls } from "./rolls.ts";
import { payloadOf, steps } from "./states.ts";
import { memberAt, textAt } from "./value.ts";

export function checkLegalPath(evidence: Evidence): Finding {
  const events = evidence.journeys.flatMap((journey) => journey.events);
  const violations = evidence.journeys.flatMap((journey) => [
    ...outOfSequence(journey),
    ...illegalSteps(journey),
    ...wrongRolls(evidence, journey).map((text) => violation(journey.uetr, text)),
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
    if (steps[flow][before]?.includes(state) === true) return [];
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
  const told = journey.esmEvents.map(({ state }) => state);
  const states = journey.events.toSorted((a, b) => a.stageVersion - b.stageVersion).map(({ state }) => state);
  const expected = isDrained ? states : states.slice(0, told.length);
  if (told.join() === expected.join()) return [];
  return [violation(journey.uetr, `events of class ESM_STATE say ${told.join(", ")}, those of TRANSACTION_STATE ${states.join(", ")}`)];
}

function differentBody(event: StateEvent, flow: Journey["flow"]): readonly Violation[] {
  const body = parsedBody(textAt(event.record.value, "body"));
  if (body === undefined) return [violation(event.uetr, `the body of event ${event.stageVersion} cannot be read`)];
  if (body === null) return [];
  const violations: Violation[] = [];
  const says = `${textAt(body, "type")} ${String(memberAt(body, "stageVersion"))}`;
  const expected = `${flow === "credit" ? "" : "DIRECT_DEBIT_"}${event.state} ${event.stageVersion}`;
  if (says !== expected) violations.push(violation(event.uetr, `the body of event ${event.stageVersion} says ${says}, not ${expected}`));
  const payload = textAt(body, "payload", "schema");
  const schema = payloadOf(event.state, flow);
  if (payload !== "" && schema !== null && payload !== schema) {
    violations.push(violation(event.uetr, `event ${event.stageVersion} ${event.state} carries a ${payload}, not a ${schema}`));
  }
  return violations;
}

/** null: the history has no bodies. undefined: not JSON. */
function parsedBody(base64: string): unknown {
  if (base64 === "") return null;
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(base64)));
  } catch {
    return undefined;
  }
}
