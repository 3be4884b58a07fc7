// What must hold when all faults are over and everything has come to rest.
//
// 1. Nothing is lost, and nothing stays undone (I1, I16): each message was acknowledged, was stopped, expired by its own deadline, or is
//    parked: refused, or past the end of its attempts.
// 2. Each stop was answered. What has ended is parked no longer, unless it was refused; or its record was read again by a later owner
//    when its attempts were over: nobody can know then that it had been acknowledged.
// 3. Each fact that a delivery ended has its receipt, unless its owner died between the two, and the next one ended it otherwise or had nothing to try.
// 4. Each lane stands at the end of its partition.

import { topics } from "@sluice/contracts";
import type { ParkedRow } from "@sluice/store";
import { hasBeenOver } from "./laws-of-attempts.ts";
import type { Message } from "./given.ts";
import type { Run } from "./run.ts";

/** Whether nothing that should happen is still to come. */
export function isAtRest(run: Run): boolean {
  return run.given.messages.every((message) => isEnded(run, message) || mayStay(run, message)) && unanswered(run).length === 0;
}

export async function wrongAtRest(run: Run): Promise<string[]> {
  const { world, given, seen, settings } = run;
  const parked = new Map((await world.parked("deliveries")).map((message) => [message.id, message]));
  const wrong = given.messages.flatMap((message) => wrongOf(run, message, parked.get(message.id)));
  for (const { message, cause } of unanswered(run)) wrong.push(`I16: stop ${cause} of ${message.id} is not answered`);
  for (const id of parked.keys()) if (!given.byId.has(id)) wrong.push(`I2: ${id} is parked, and nobody asked for it`);
  const receipts = new Set(seen.receipts.map(({ value }) => `${value.webhookId} ${value.outcome}`));
  const settled = new Set([
    ...parked.keys(),
    ...given.changes.flatMap(({ kind, message }) => (kind === "STOP" ? [message.id] : [])),
    ...seen.receipts.map(({ value }) => value.webhookId),
  ]);
  for (const { value } of seen.facts) {
    const named = `${value.messageIdentification} ${value.outcome}`;
    const isLeft = run.isDisturbed && settled.has(value.messageIdentification);
    if (value.outcome !== "STOPPED" && !receipts.has(named) && !isLeft) wrong.push(`evidence: ${named} has no receipt`);
  }
  const lanes = await world.during(world.store.lanes.list("dispatcher"));
  for (let lane = 0; lane < settings.lanes; lane += 1) {
    const end = BigInt(world.log.records({ topic: topics.dispatch, partition: lane }).length);
    const position = lanes.find(({ partition }) => partition === lane)?.position;
    if (position !== end) wrong.push(`I16: lane ${lane} stands at ${position}, its partition ends at ${end}`);
  }
  return [...wrong, ...world.failures.map((reason) => `a process gave up: ${String(reason)}`)];
}

function outcomesOf({ seen }: Run, { id }: Message): ReadonlySet<string> {
  const facts = seen.facts.filter(({ value }) => value.messageIdentification === id).map(({ value }) => value.outcome);
  const expired = seen.receipts.some(({ value }) => value.webhookId === id && value.outcome === "EXPIRED") ? ["EXPIRED"] : [];
  return new Set<string>([...facts, ...expired]);
}

function isEnded(run: Run, message: Message): boolean {
  const outcomes = outcomesOf(run, message);
  return outcomes.has("ACKNOWLEDGED") || outcomes.has("STOPPED") || outcomes.has("EXPIRED");
}

/** Parked for good: refused and not redriven since, or past the end of its attempts as it stands now. */
function mayStay(run: Run, message: Message): boolean {
  return isOverNow(run, message) || (outcomesOf(run, message).has("REFUSED") && !isRedriven(run, message));
}

/** After its refusal was said; a redrive before that may have been too early. */
function isRedriven({ given, seen }: Run, message: Message): boolean {
  const said = seen.facts.findLast(({ value }) => value.messageIdentification === message.id && value.outcome === "REFUSED");
  const redriven = given.changes.findLast((change) => change.kind === "REDRIVE" && change.message.id === message.id);
  return redriven !== undefined && said !== undefined && redriven.atMs > said.atMs;
}

/** By the newest plan of its day, or its own time to stop. */
function isOverNow({ given, world }: Run, { closesWith, stopsAtMs }: Message): boolean {
  const nowMs = world.time.nowMs();
  if (stopsAtMs !== null && stopsAtMs <= nowMs) return true;
  const plans = given.plans.filter(({ day }) => day === closesWith);
  if (plans.some(({ closesAtMs }) => closesAtMs === null)) return true;
  const newest = plans.at(-1)?.closesAtMs ?? null;
  return newest !== null && newest <= nowMs;
}

function unanswered({ given, seen }: Run) {
  const answered = new Set(seen.facts.map(({ value }) => value.stopOffset));
  return given.changes.filter(({ kind, cause }) => kind === "STOP" && !answered.has(cause));
}

function wrongOf(run: Run, message: Message, parked: ParkedRow | undefined): string[] {
  const outcomes = outcomesOf(run, message);
  const isOver = hasBeenOver(run.given, message, run.world.time.nowMs());
  const told = `${message.id} to ${message.bank} (${[...outcomes].join(" ")})`;
  if (parked === undefined) {
    if (isEnded(run, message)) return [];
    return [`I1: ${told} is gone: it did not end, and is not parked`];
  }
  if (parked.ended === "refused" && outcomes.has("REFUSED"))
    return isRedriven(run, message) && !isOver ? [`I16: ${told} was redriven and is refused still`] : [];
  if (parked.ended === "refusing" && !isOver) return [`I16: ${told} was refused, and nobody says so`];
  if (isOverNow(run, message) && (run.isDisturbed || !isEnded(run, message))) return [];
  return isEnded(run, message) ? [`I1: ${told} has ended and is parked still`] : [`I16: ${told} is parked and not delivered`];
}
