// What a batch did, told once it is done: one wide line a batch and a record at debug, one a state entry at info, counts.
// Identifiers and states only: never an account number, a name or an amount.

import type { State } from "@sluice/domain";
import type { Turn } from "./handler.ts";
import type { BatchEnd } from "./lane-batch.ts";
import type { LaneContext } from "./lane-context.ts";
import { reportDay } from "./report-day.ts";
import type { Tenure } from "./tenure.ts";

type Reporting = Pick<LaneContext, "log" | "metrics" | "agreedTime">;

export function reportBatch(context: Reporting, tenure: Pick<Tenure, "lane" | "epoch" | "position">, end: BatchEnd, tookMs: number): void {
  const { log, metrics, agreedTime } = context;
  const { lane, epoch, position } = tenure;
  for (const turn of end.turns) reportTurn(context, lane, turn);
  const newest = end.turns.at(-1)?.record;
  const ageMs = Math.max(0, (agreedTime.nowMs() ?? 0) - (newest?.appendedAtMs ?? 0));
  const produced = end.turns.reduce((count, turn) => count + turn.outgoing.length, 0);
  log.debug("lane.batch", {
    lane,
    epoch,
    records: end.turns.length,
    written: end.written,
    produced,
    offset: newest?.offset,
    ageMs,
    tookMs,
  });
  metrics.positionLag.set(Number(position.lag()), { lane: String(lane) });
  metrics.ageMs.set(ageMs, { lane: String(lane) });
}

function reportTurn({ log, metrics }: Reporting, lane: number, turn: Turn): void {
  const { record, key, name, decision, reason, transaction, marker } = turn;
  const state = transaction?.state ?? null;
  metrics.decisions.add({ fact: name, decision, state: state ?? "none" });
  log.debug("record.decided", { lane, key, fact: name, offset: record.offset, decision, reason, state, produced: turn.outgoing.length });
  if (marker !== null) log.info("marker.passed", { lane, id: marker.marker.id, offset: record.offset });
  if (decision === "put-aside") {
    metrics.deadLetters.add({ fact: name });
    log.error("record.put-aside", { lane, key, fact: name, offset: record.offset, reason });
  }
  if (decision === "replayed") return;
  reportOddity({ log, metrics }, lane, turn);
  reportAction({ log, metrics }, lane, turn);
  reportEntries({ log, metrics }, lane, turn);
  if (turn.day !== null) reportDay({ log, metrics }, lane, turn.day, turn);
}

/** What an operator is to see, though it changed no state: beside a transaction, or a declaration that was answered 202 and has no effect. */
function reportOddity({ log, metrics }: Pick<Reporting, "log" | "metrics">, lane: number, turn: Turn): void {
  const { record, key, name, decision, reason } = turn;
  if (decision === "remarked" && reason !== null) {
    metrics.remarks.add({ kind: reason });
    if (!usualRemarks.has(reason)) log.warn("message.remarked", { lane, uetr: key, kind: reason, fact: name, offset: record.offset });
  }
  if (decision === "refused" && name === "CreditsFinalRequested" && turn.action === null) {
    log.warn("declaration.refused", { lane, day: key, reason, offset: record.offset });
  }
  if (name === "DayPlanned" && reason !== null && plansNotTaken.has(reason)) {
    log.warn("plan.not-taken", { lane, day: key, reason, inForce: turn.day?.plan.calendarVersion ?? null, offset: record.offset });
  }
}

/** A calendar that people changed, or changed back, and that has no effect on this date. */
const plansNotTaken: ReadonlySet<string> = new Set(["plan-superseded", "plan-leaves-no-window", "plan-out-of-order", "too-many-plans"]);

/** What an operator asked for, and what came of it. */
function reportAction(
  { log, metrics }: Pick<Reporting, "log" | "metrics">,
  lane: number,
  { record, key, name, decision, reason, action }: Turn,
): void {
  if (action === null) return;
  const { id, operator } = action;
  metrics.actions.add({ kind: name, result: decision });
  const fields = { lane, key, kind: name, action: id, operator, decision, reason, offset: record.offset };
  if (decision === "refused") log.warn("action.refused", fields);
  else log.info("action.decided", fields);
}

/** Messages that came again, the bank's word that it is still working on one, and answers that the item shows. */
const usualRemarks: ReadonlySet<string> = new Set([
  "repeat",
  "report-repeat",
  "repeat-other-identification",
  "report-pending",
  "stop-again",
  "late-answer",
]);

function reportEntries(
  { log, metrics }: Pick<Reporting, "log" | "metrics">,
  lane: number,
  { record, transaction, decision, name }: Turn,
): void {
  for (const entry of transaction?.transitions ?? []) {
    if (entry.offset !== record.offset) continue;
    const { state, stageVersion } = entry;
    log.info(transaction?.flow === "credit" ? "credit.state" : "debit.state", {
      lane,
      uetr: transaction?.uetr,
      state,
      stageVersion,
      offset: record.offset,
      decision,
      fact: name,
    });
    metrics.entries.add({ state });
    if (!closes.has(state)) continue;
    metrics.items.add({ state: transaction?.items.findLast((item) => item.settledAtMs === null)?.state ?? "UNKNOWN" });
  }
}

const closes: ReadonlySet<State> = new Set<State>(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION"]);
