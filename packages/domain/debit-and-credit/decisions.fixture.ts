// Operators' requests about a transaction, dead letters, and the markers that go with them, for the tests of this
// package.

import type * as facts from "../fact.ts";
import { date, nextDate, offsetOfProposal, scheme, today } from "../given.fixture.ts";
import { action, contentSha256 } from "../operators.fixture.ts";

export function withdrawal(id = "w1"): facts.WithdrawalRequested {
  return { kind: "WithdrawalRequested", action: action(id) };
}

export function redrive(
  messageIdentification: string,
  id = "r1",
  target: facts.RedriveRequested["target"] = "delivery",
): facts.RedriveRequested {
  return { kind: "RedriveRequested", action: action(id), target, messageIdentification };
}

export function stopDelivery(
  messageIdentification: string,
  id = "s1",
  target: facts.DeliveryStopRequested["target"] = "delivery",
): facts.DeliveryStopRequested {
  return { kind: "DeliveryStopRequested", action: action(id), target, messageIdentification };
}

export function resolution(
  changes: Partial<facts.ItemResolutionRequested> = {},
  id = "i1",
  operator = "thandi",
): facts.ItemResolutionRequested {
  return {
    kind: "ItemResolutionRequested",
    action: action(id, operator),
    day: today,
    resolution: "made",
    replacedBy: null,
    needsSecondPerson: false,
    lifetimeMs: null,
    ...changes,
  };
}

/** Confirms what was proposed under this id; `runSteps` fills the offset in. */
export function confirmation(confirms = "i1", id = "c1", operator = "sipho"): facts.ItemResolutionConfirmed {
  const proposal = { offset: offsetOfProposal, contentSha256: contentSha256(confirms) };
  return { kind: "ItemResolutionConfirmed", action: action(id, operator), confirms, proposal };
}

/** Rejects what was proposed under this id; `runSteps` fills the offset in. */
export function rejection(rejects = "i1", id = "x1", operator = "sipho"): facts.ItemResolutionRejected {
  const proposal = { offset: offsetOfProposal, contentSha256: contentSha256(rejects) };
  return { kind: "ItemResolutionRejected", action: action(id, operator), proposal };
}

export function itemNote(changes: Partial<facts.ItemNoteRequested> = {}, id = "n1"): facts.ItemNoteRequested {
  return { kind: "ItemNoteRequested", action: action(id), day: today, assignee: "sipho", ...changes };
}

export function deadLettersReplayed(id = "d1"): facts.DeadLettersReplayed {
  return { kind: "DeadLettersReplayed", action: action(id), records: 1 };
}

export function recordDeadLettered(holds: facts.RecordDeadLettered["holds"] = null): facts.RecordDeadLettered {
  return { kind: "RecordDeadLettered", reason: "not-readable", holds };
}

export function dayVoid(businessDate = date, nextBusinessDate = nextDate): facts.DayVoidMarker {
  return { id: `${scheme}:${businessDate}:DayVoid:1`, scheme, businessDate, kind: "DayVoid", nextBusinessDate };
}

export function lastClosed(businessDate = date, nextBusinessDate: string | null = nextDate): facts.WindowClosedMarker {
  const number = 2;
  const id = `${scheme}:${businessDate}:WindowClosed:${number}`;
  return { id, scheme, businessDate, kind: "WindowClosed", number, isLast: true, nextBusinessDate };
}

/** The pauses of a bank are numbered from 1. */
export function isReceiverPaused(number = 1, ofBank = "bank-a", untilMs: number | null = null): facts.BankPausedMarker {
  return { kind: "BankPaused", id: `bank:${ofBank}:BankPaused:${number}`, bank: ofBank, number, reason: "maintenance", untilMs };
}

export function bankResumed(number = 1, ofBank = "bank-a"): facts.BankResumedMarker {
  return { kind: "BankResumed", id: `bank:${ofBank}:BankResumed:${number}`, bank: ofBank, number, reason: "done" };
}
