// An operator has a message that its receiver fails for ever, or the posting of an event, tried no more.
//
// #1 No state follows: the receiver may have taken the message, and nobody treats it as not sent. At its close or
//    deadline the transaction becomes an item by the rules for its state. A report ends it as if nothing was stopped.
// #2 Delivery: it must be the one that the transaction waits for, and it must still be attempted. Posting: any event of
//    the transaction; if it is not attempted any more, nothing happens. It can change no outcome (I13).
// #3 A stopped delivery is given up like a refused one: it holds up nothing, and can be redriven until the close.

import { addNotice, type OwnNotice } from "../entry.ts";
import type { DeliveryStopRequested, RecordPosition } from "../../fact.ts";
import type { Digest } from "../../ids.ts";
import { awaitedDelivery, buildRequest, findPostingReceiver, isGivenUp } from "./given-up.ts";
import type { OperatorResult } from "./on-operator.ts";
import type { DecisionReason } from "../result.ts";
import type { Transaction } from "../transaction.ts";

export function onDeliveryStop(
  transaction: Transaction,
  fact: DeliveryStopRequested,
  place: RecordPosition,
  digest: Digest,
): OperatorResult {
  const notice = fact.target === "posting" ? stopPosting(transaction, fact, place, digest) : stopDelivery(transaction, fact, place);
  if (typeof notice === "string") return { decision: "refused", reason: notice, transaction };
  const stopped = addNotice(transaction, notice);
  if (stopped === transaction) return { decision: "refused", reason: "too-many", transaction };
  return { decision: "applied", reason: notice.kind, transaction: stopped };
}

function stopPosting(
  transaction: Transaction,
  { messageIdentification }: DeliveryStopRequested,
  place: RecordPosition,
  digest: Digest,
): OwnNotice | DecisionReason {
  const receiver = findPostingReceiver(transaction, messageIdentification, digest);
  return receiver === null ? "no-such-event" : buildRequest("give-up-posting", { messageIdentification, receiver, operation: null }, place);
}

function stopDelivery(
  transaction: Transaction,
  { messageIdentification }: DeliveryStopRequested,
  place: RecordPosition,
): OwnNotice | DecisionReason {
  const awaited = awaitedDelivery(transaction);
  const isTried = awaited?.messageIdentification === messageIdentification && !isGivenUp(transaction, awaited);
  return awaited === null || !isTried ? "nothing-tried" : buildRequest("give-up", awaited, place);
}
