// The laws that hold when all faults and all work have ended.
//
// #1 Nothing is lost, and nothing stays undone (I1, I16). Each message was acknowledged, was stopped, expired by its
//    own deadline, or is parked because it was refused, an operator stopped it, or its attempts have ended. One that
//    was in the partition at a take-over, below the marker that reconciles its day, may be gone: its stop, if any, is
//    answered without it.
// #2 Each stop was answered, by STOPPED or by the message's acknowledgement. A message that has ended is no longer
//    parked, unless it was refused, or a later owner read its record again after its attempts had ended, because that
//    owner cannot know that the message had been acknowledged.
// #3 Each fact that a delivery ended has its receipt, unless its owner died between the two and the next owner ended
//    the delivery otherwise or had nothing to try, as where the day was reconciled meanwhile. The fact has the
//    attempts.
// #4 The position of each partition is its end.

import { topics } from "@sluice/contracts";
import type { ParkedRow } from "@sluice/store";
import { haveAttemptsEnded } from "./laws-of-attempts.ts";
import type { InputMessage } from "./inputs.ts";
import type { ModelRun } from "./model-run.ts";

/** True if no expected step is outstanding. */
export function isAtRest(run: ModelRun): boolean {
  return run.inputs.messages.every((message) => isEnded(run, message) || mayStay(run, message)) && unansweredStops(run).length === 0;
}

export async function findViolationsAtRest(run: ModelRun): Promise<string[]> {
  const { environment, inputs, recorded, settings } = run;
  const parked = new Map((await environment.parked("deliveries")).map((message) => [message.id, message]));
  const wrong = inputs.messages.flatMap((message) => findViolations(run, message, parked.get(message.id)));
  for (const { message, cause } of unansweredStops(run)) wrong.push(`I16: stop ${cause} of ${message.id} is not answered`);
  for (const id of parked.keys()) if (!inputs.byId.has(id)) wrong.push(`I2: ${id} is parked, and no input has it`);
  const receipts = new Set(recorded.receipts.map(({ value }) => `${value.webhookId} ${value.outcome}`));
  const settled = new Set([
    ...parked.keys(),
    ...inputs.messages.flatMap((message) => (mayBeGone(run, message) ? [message.id] : [])),
    ...inputs.changes.flatMap(({ kind, message }) => (kind === "STOP" ? [message.id] : [])),
    ...recorded.receipts.map(({ value }) => value.webhookId),
  ]);
  for (const { value } of recorded.facts) {
    const named = `${value.messageIdentification} ${value.outcome}`;
    const isExcused = run.isDisturbed && settled.has(value.messageIdentification);
    if (value.outcome !== "STOPPED" && !receipts.has(named) && !isExcused) wrong.push(`evidence: ${named} has no receipt`);
  }
  const partitions = await environment.during(environment.store.partitions.list("dispatcher"));
  for (let partition = 0; partition < settings.partitionCount; partition += 1) {
    const end = BigInt(environment.broker.records({ topic: topics.dispatch, partition }).length);
    const position = partitions.find((document) => document.partition === partition)?.position;
    if (position !== end) wrong.push(`I16: the position of partition ${partition} is ${position}, its end is ${end}`);
  }
  return [...wrong, ...environment.failures.map((reason) => `a process failed: ${String(reason)}`)];
}

function recordedOutcomes({ recorded }: ModelRun, { id }: InputMessage): ReadonlySet<string> {
  const facts = recorded.facts.filter(({ value }) => value.messageIdentification === id).map(({ value }) => value.outcome);
  const expired = recorded.receipts.some(({ value }) => value.webhookId === id && value.outcome === "EXPIRED") ? ["EXPIRED"] : [];
  return new Set<string>([...facts, ...expired]);
}

function isEnded(run: ModelRun, message: InputMessage): boolean {
  const outcomes = recordedOutcomes(run, message);
  return outcomes.has("ACKNOWLEDGED") || outcomes.has("STOPPED") || outcomes.has("EXPIRED");
}

/** True if the message may stay parked: it was given up and not redriven since, or its attempts have ended by now. */
function mayStay(run: ModelRun, message: InputMessage): boolean {
  return isOverNow(run, message) || (findGivenUpMs(run, message) !== null && !isRedriven(run, message));
}

/** True if the message was redriven after it was given up. An earlier redrive may have had no effect. */
function isRedriven(run: ModelRun, message: InputMessage): boolean {
  const givenUpMs = findGivenUpMs(run, message);
  const redriven = run.inputs.changes.findLast((change) => change.kind === "REDRIVE" && change.message.id === message.id);
  return redriven !== undefined && givenUpMs !== null && redriven.atMs > givenUpMs;
}

/** When its newest refusal was recorded, or the newest stop by an operator; null: neither was. */
function findGivenUpMs({ recorded }: ModelRun, { id }: InputMessage): number | null {
  const refusal = recorded.facts.findLast(({ value }) => value.messageIdentification === id && value.outcome === "REFUSED");
  const stop = recorded.receipts.findLast(({ value }) => value.webhookId === id && value.stoppedBy !== null);
  const times = [refusal?.atMs, stop?.atMs].filter((atMs) => atMs !== undefined);
  return times.length === 0 ? null : Math.max(...times);
}

/** True if the newest plan of its day, or its own stop time, has ended the attempts by now. */
function isOverNow({ inputs, environment }: ModelRun, { reconciliationDay, stopsAtMs }: InputMessage): boolean {
  const nowMs = environment.time.nowMs();
  if (stopsAtMs !== null && stopsAtMs <= nowMs) return true;
  const plans = inputs.plans.filter(({ day }) => day === reconciliationDay);
  if (plans.some(({ closesAtMs }) => closesAtMs === null)) return true;
  const newest = plans.at(-1)?.closesAtMs ?? null;
  return newest !== null && newest <= nowMs;
}

/** True if the marker that reconciles its day lies beyond it, and an owner may have taken the partition since. */
function mayBeGone({ inputs, isDisturbed }: ModelRun, { reconciliationDay, partition, offset }: InputMessage): boolean {
  const reconciling = inputs.plans.filter(({ day, closesAtMs }) => day === reconciliationDay && closesAtMs === null);
  const isBelow = reconciling.some(({ places }) => places.some((place) => place.partition === partition && place.offset > offset));
  return isDisturbed && isBelow;
}

function unansweredStops({ inputs, recorded }: ModelRun) {
  const answered = new Set(recorded.facts.map(({ value }) => value.stopOffset));
  const acknowledged = new Set(
    recorded.facts.flatMap(({ value }) => (value.outcome === "ACKNOWLEDGED" ? [value.messageIdentification] : [])),
  );
  return inputs.changes.filter(({ kind, cause, message }) => kind === "STOP" && !answered.has(cause) && !acknowledged.has(message.id));
}

function findViolations(run: ModelRun, message: InputMessage, parked: ParkedRow | undefined): string[] {
  const outcomes = recordedOutcomes(run, message);
  const isOver = haveAttemptsEnded(run.inputs, message, run.environment.time.nowMs());
  const label = `${message.id} to ${message.bank} (${[...outcomes].join(" ")})`;
  if (parked === undefined) {
    if (isEnded(run, message) || mayBeGone(run, message)) return [];
    return [`I1: ${label} is lost: it did not end, and is not parked`];
  }
  if (parked.ended === "refused" && findGivenUpMs(run, message) !== null)
    return isRedriven(run, message) && !isOver ? [`I16: ${label} was redriven and is still given up`] : [];
  if (parked.ended === "refusing" && !isOver) return [`I16: ${label} was refused, and no fact records it`];
  if (isOverNow(run, message) && (run.isDisturbed || !isEnded(run, message))) return [];
  return isEnded(run, message) ? [`I1: ${label} has ended and is still parked`] : [`I16: ${label} is parked and not delivered`];
}
