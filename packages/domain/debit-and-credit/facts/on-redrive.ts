// An operator asks for a delivery that was given up, or for a posting that was, to be attempted again with the same id
// and bytes.
//
// #1 Delivery: it must be the one that the transaction waits for, and refused, or stopped by an operator. One that is
//    neither is still attempted anyway; one that the transaction no longer waits for was stopped. An item stays open
//    until an answer comes.
// #2 Posting: any event of the transaction. If nothing was given up, nothing happens. It can change no outcome (I13).

import { addNotice, type OwnNotice } from "../entry.ts";
import type { RecordPosition, RedriveRequested } from "../../fact.ts";
import type { Digest } from "../../ids.ts";
import { awaitedDelivery, buildRequest, findPostingReceiver, isGivenUp } from "./given-up.ts";
import type { OperatorResult } from "./on-operator.ts";
import type { DecisionReason } from "../result.ts";
import type { Transaction } from "../transaction.ts";

export function onRedrive(transaction: Transaction, fact: RedriveRequested, place: RecordPosition, digest: Digest): OperatorResult {
  const notice = fact.target === "posting" ? redrivePosting(transaction, fact, place, digest) : redriveDelivery(transaction, fact, place);
  if (typeof notice === "string") return { decision: "refused", reason: notice, transaction };
  const redriven = addNotice(transaction, notice);
  if (redriven === transaction) return { decision: "refused", reason: "too-many", transaction };
  return { decision: "applied", reason: notice.kind, transaction: redriven };
}

function redrivePosting(
  transaction: Transaction,
  { messageIdentification }: RedriveRequested,
  place: RecordPosition,
  digest: Digest,
): OwnNotice | DecisionReason {
  const receiver = findPostingReceiver(transaction, messageIdentification, digest);
  return receiver === null ? "no-such-event" : buildRequest("redrive-posting", { messageIdentification, receiver, operation: null }, place);
}

function redriveDelivery(
  transaction: Transaction,
  { messageIdentification }: RedriveRequested,
  place: RecordPosition,
): OwnNotice | DecisionReason {
  const awaited = awaitedDelivery(transaction);
  const isWaiting = awaited?.messageIdentification === messageIdentification && isGivenUp(transaction, awaited);
  return awaited === null || !isWaiting ? "nothing-refused" : buildRequest("redrive", awaited, place);
}
