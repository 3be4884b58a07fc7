// Reports what a batch did, once it is done: at debug one wide line for the batch and one for each record, at info one
// for each state entry, and counts. Identifiers and states only: never an account number, a name or an amount.

import type { State } from "@sluice/domain";
import type { HandledRecord } from "../../handlers/handler.ts";
import type { BatchResult } from "../batch.ts";
import type { PartitionContext } from "../context.ts";
import { operatorRefusalPrefix } from "../read-journal.ts";
import { reportDay } from "./report-day.ts";
import type { OwnedPartition } from "../take-over.ts";

type ReportPorts = Pick<PartitionContext, "logger" | "metrics" | "brokerClock" | "operatorJudge">;

export function reportBatch(
  context: ReportPorts,
  owned: Pick<OwnedPartition, "partition" | "epoch" | "position">,
  end: BatchResult,
  tookMs: number,
): void {
  const { logger, metrics, brokerClock } = context;
  const { partition, epoch, position } = owned;
  for (const one of end.handled) reportRecord(context, partition, one);
  const newest = end.handled.at(-1)?.record;
  const ageMs = Math.max(0, (brokerClock.nowMs() ?? 0) - (newest?.appendedAtMs ?? 0));
  const produced = end.handled.reduce((count, one) => count + one.outgoing.length, 0);
  logger.debug("partition.batch", {
    partition,
    epoch,
    records: end.handled.length,
    written: end.documentsWritten,
    produced,
    offset: newest?.offset,
    ageMs,
    tookMs,
  });
  metrics.positionLag.set(Number(position.lag()), { partition: String(partition) });
}

function reportRecord({ logger, metrics, operatorJudge }: ReportPorts, partition: number, handled: HandledRecord): void {
  const { record, key, name, decision, reason, transaction, marker } = handled;
  const state = transaction?.state ?? null;
  metrics.decisions.add({ fact: name, decision, state: state ?? "none" });
  logger.debug("record.decided", {
    partition,
    key,
    fact: name,
    offset: record.offset,
    decision,
    reason,
    state,
    produced: handled.outgoing.length,
  });
  if (marker !== null) logger.info("marker.applied", { partition, id: marker.marker.id, offset: record.offset });
  if (decision === "dead-lettered") {
    metrics.deadLetters.add({ fact: name });
    logger.error("record.dead-lettered", { partition, key, fact: name, offset: record.offset, reason });
  }
  if (decision === "refused" && reason?.startsWith(operatorRefusalPrefix) === true) {
    operatorJudge.report({ kind: name, partition, offset: record.offset }, reason.slice(operatorRefusalPrefix.length));
    return;
  }
  if (decision === "replayed") return;
  reportUnusual({ logger, metrics }, partition, handled);
  reportAction({ logger, metrics }, partition, handled);
  reportEntries({ logger, metrics }, partition, handled);
  if (handled.day !== null) reportDay({ logger, metrics }, partition, handled.day, handled);
}

/**
 * Reports what an operator should see though it changed no state: an observation, a declaration answered 202 without
 * effect, an unused plan.
 */
function reportUnusual({ logger, metrics }: Pick<ReportPorts, "logger" | "metrics">, partition: number, handled: HandledRecord): void {
  const { record, key, name, decision, reason } = handled;
  if (decision === "recorded" && reason !== null) {
    metrics.observations.add({ kind: reason });
    if (!usualObservations.has(reason))
      logger.warn("message.recorded", { partition, uetr: key, kind: reason, fact: name, offset: record.offset });
  }
  if (decision === "refused" && name === "CreditsFinalRequested" && handled.action === null) {
    logger.warn("declaration.refused", { partition, day: key, reason, offset: record.offset });
  }
  if (name === "DayPlanned" && reason !== null && unusedPlanReasons.has(reason)) {
    logger.warn("plan.not-taken", {
      partition,
      day: key,
      reason,
      inForce: handled.day?.plan.calendarVersion ?? null,
      offset: record.offset,
    });
  }
}

/** Reasons why a changed calendar has no effect on a date. */
const unusedPlanReasons: ReadonlySet<string> = new Set(["plan-superseded", "plan-leaves-no-window", "plan-out-of-order", "too-many-plans"]);

/** Reports an operator's request and its result. */
function reportAction(
  { logger, metrics }: Pick<ReportPorts, "logger" | "metrics">,
  partition: number,
  { record, key, name, decision, reason, action }: HandledRecord,
): void {
  if (action === null) return;
  const { id, operator } = action;
  metrics.actions.add({ kind: name, result: decision });
  const fields = { partition, key, kind: name, action: id, operator, decision, reason, offset: record.offset };
  if (decision === "refused") logger.warn("action.refused", fields);
  else logger.info("action.decided", fields);
}

/**
 * Observations that need no warning: repeated messages, a bank's report that it is still working, and answers that the
 * item shows.
 */
const usualObservations: ReadonlySet<string> = new Set([
  "repeat",
  "report-repeat",
  "repeat-other-identification",
  "report-pending",
  "stop-again",
  "late-answer",
]);

function reportEntries(
  { logger, metrics }: Pick<ReportPorts, "logger" | "metrics">,
  partition: number,
  { record, transaction, decision, name }: HandledRecord,
): void {
  for (const entry of transaction?.transitions ?? []) {
    if (entry.offset !== record.offset) continue;
    const { state, stageVersion } = entry;
    logger.info(transaction?.flow === "credit" ? "credit.state" : "debit.state", {
      partition,
      uetr: transaction?.uetr,
      state,
      stageVersion,
      offset: record.offset,
      decision,
      fact: name,
    });
    metrics.entries.add({ state });
    const [received] = transaction?.transitions ?? [];
    if (verdictStates.has(state) && received !== undefined) metrics.verdictSeconds.observe((entry.atMs - received.atMs) / 1_000);
    if (!reconciliationStates.has(state)) continue;
    metrics.items.add({ state: transaction?.items.findLast((item) => item.settledAtMs === null)?.state ?? "UNKNOWN" });
  }
}

/** The states that a verdict gives. */
const verdictStates: ReadonlySet<State> = new Set<State>(["ACCEPTED", "REJECTED", "CREDIT_AUTH_ACCEPTED", "CREDIT_AUTH_REJECTED"]);

const reconciliationStates: ReadonlySet<State> = new Set<State>(["RECONCILIATION", "CREDIT_AUTH_RECONCILIATION"]);
