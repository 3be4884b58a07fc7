// Operators found out how a transaction with an item really ended: settled, rejected, or replaced by another
// transaction. No state and no event follows.
//
// #1 Only a final item can be resolved: the item of a close, a deadline or a withdrawal, or a detached item for an
//    outcome report that the connector has not accepted. Of two items the one that is not detached comes first. A final
//    resolution never changes; late answers are still recorded on its item.
// #2 Where a second person is needed, the request is a proposal until another person confirms it. The confirmation
//    names the proposal's offset and the hash of its content, so nobody confirms what they have not seen. A further
//    request before that replaces the proposal, and one with a lifetime is confirmed within it or not at all: what was
//    found then may be true no longer. The item is open until then and after it.
// #3 Until it is confirmed another person can reject the proposal, named in the same way. The item is open again, as
//    before the first request, and an earlier proposal does not come back. Of a confirmation and a rejection the first
//    in the journal counts.
// #4 The connector gets one report, under the next number, once the resolution of the item that is not detached is
//    final. An on-us debit has no connector. The report follows the earlier outcome report in order; only if that one
//    was given up, and nobody redrove it, is it stopped and no longer awaited.

import { addNotice, type OwnNotice } from "../entry.ts";
import type {
  ItemResolutionConfirmed,
  ItemResolutionRejected,
  ItemResolutionRequested,
  OperatorAction,
  RecordPosition,
} from "../../fact.ts";
import { isSamePerson } from "../../operator-fact.ts";
import { sentIdentification } from "../../ids.ts";
import { isDetached } from "../items.ts";
import { awaitedDelivery, isGivenUp } from "./given-up.ts";
import type { OperatorResult } from "./on-operator.ts";
import type { DecisionReason } from "../result.ts";
import { operationFor, receiverFor } from "../tables/state-messages.ts";
import type { Item, Resolution, ReceivedTransaction, Transaction } from "../transaction.ts";

/** An outcome report's identification has one digit for its number. */
const outcomesMax = 9;

export function onResolutionRequested(transaction: Transaction, fact: ItemResolutionRequested, place: RecordPosition): OperatorResult {
  const { action, day, resolution: kind, needsSecondPerson, lifetimeMs } = fact;
  const found = findItem(transaction, day);
  if (typeof found === "string") return { decision: "refused", reason: found, transaction };
  const replacedBy = kind === "replaced" ? (fact.replacedBy?.toLowerCase() ?? null) : null;
  const isNamed = replacedBy !== null && replacedBy !== transaction.uetr;
  if (kind === "replaced" && !isNamed) return { decision: "refused", reason: "no-replacement", transaction };
  const resolution: Resolution = {
    kind,
    replacedBy,
    action,
    atMs: place.appendedAtMs,
    offset: place.offset,
    isFinal: !needsSecondPerson,
    expiresAtMs: needsSecondPerson && lifetimeMs !== null ? place.appendedAtMs + lifetimeMs : null,
    confirmed: null,
  };
  return resolve(transaction, found, resolution, place);
}

export function onResolutionConfirmed(transaction: Transaction, fact: ItemResolutionConfirmed, place: RecordPosition): OperatorResult {
  const { action, proposal: named } = fact;
  const found = named === null ? "nothing-to-confirm" : (findProposal(transaction, named, action) ?? "nothing-to-confirm");
  if (typeof found === "string") return { decision: "refused", reason: found, transaction };
  const { item, proposal } = found;
  const { expiresAtMs } = proposal;
  if (expiresAtMs !== null && place.appendedAtMs >= expiresAtMs) return { decision: "refused", reason: "proposal-expired", transaction };
  return resolve(
    transaction,
    item,
    { ...proposal, isFinal: true, expiresAtMs: null, confirmed: { action, atMs: place.appendedAtMs } },
    place,
  );
}

/** #3 */
export function onResolutionRejected(transaction: Transaction, { action, proposal: named }: ItemResolutionRejected): OperatorResult {
  const found = findProposal(transaction, named, action) ?? "nothing-to-reject";
  if (typeof found === "string") return { decision: "refused", reason: found, transaction };
  const items = transaction.items.map((other) => (other === found.item ? { ...other, resolution: null } : other));
  return { decision: "applied", reason: null, transaction: { ...transaction, items } };
}

interface FoundProposal {
  readonly item: Item;
  readonly proposal: Resolution;
}

/** What a second person names, or why they cannot decide about it; null: there is no such proposal. */
function findProposal(
  transaction: Transaction,
  named: ItemResolutionRejected["proposal"],
  action: OperatorAction,
): FoundProposal | DecisionReason | null {
  const item = finalItems(transaction).find(({ resolution }) => resolution?.offset === named.offset);
  const proposal = item?.resolution ?? null;
  if (item === undefined || proposal === null || proposal.action.contentSha256 !== named.contentSha256) return null;
  if (proposal.isFinal) return "already-resolved";
  return isSamePerson(proposal.action, action) ? "same-person" : { item, proposal };
}

/** Items that are not settled and that only operators can still change. */
function finalItems({ state, items }: Transaction): readonly Item[] {
  const isOver = state === "RECONCILIATION" || state === "CREDIT_AUTH_RECONCILIATION" || state === "ORPHAN";
  return items.filter((item) => item.settledAtMs === null && (isOver || isDetached(item)));
}

function findItem(transaction: Transaction, day: string): Item | DecisionReason {
  const items = finalItems(transaction);
  const ofDay = items.filter((item) => item.day === day);
  if (ofDay.length === 0) return items.length === 0 ? "no-item" : "other-day";
  return ofDay.find(({ resolution }) => resolution?.isFinal !== true) ?? "already-resolved";
}

function resolve(transaction: Transaction, item: Item, resolution: Resolution, place: RecordPosition): OperatorResult {
  const items = transaction.items.map((other) => (other === item ? { ...item, resolution } : other));
  const noted = { ...transaction, items };
  if (!resolution.isFinal) return { decision: "applied", reason: "resolution-proposed", transaction: noted };
  if (isDetached(item) || noted.flow === null || noted.flow === "on-us") return { decision: "applied", reason: null, transaction: noted };
  return { decision: "applied", reason: "resolution-outcome", transaction: reportResolution(noted, place) };
}

function reportResolution(transaction: ReceivedTransaction, place: RecordPosition): Transaction {
  const { uetr, outcomeReport: outcome } = transaction;
  const number = (outcome?.number ?? 0) + 1;
  if (number > outcomesMax) throw new Error(`more than ${outcomesMax} outcomes: ${uetr}`);
  const before = outcome === null ? null : sentIdentification(uetr, "outcome-report", outcome.number);
  const awaited = awaitedDelivery(transaction);
  const isFreed = before !== null && awaited?.sent === "outcome-report" && isGivenUp(transaction, awaited);
  const freed = isFreed ? addNotice(transaction, buildNotice(transaction, "stop-again", before, place)) : transaction;
  const identification = sentIdentification(uetr, "outcome-report", number);
  return {
    ...addNotice(freed, buildNotice(transaction, "resolution-outcome", identification, place)),
    outcomeReport: { number, acknowledgedAtMs: null },
  };
}

function buildNotice(
  transaction: ReceivedTransaction,
  kind: "stop-again" | "resolution-outcome",
  messageIdentification: string,
  place: RecordPosition,
): OwnNotice {
  return {
    offset: place.offset,
    atMs: place.appendedAtMs,
    kind,
    operation: operationFor(transaction.flow, "outcome-report"),
    messageIdentification,
    about: kind === "stop-again" ? messageIdentification : transaction.message.messageIdentification,
    receiver: receiverFor(transaction, "outcome-report"),
    deadlineMs: null,
  };
}
