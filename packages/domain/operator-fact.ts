// Requests of operators. They are facts like all others: their place in the journal decides what they find.

import type { DayKey } from "./markers.ts";

/** Who decided something, why and when. The sender chooses `id`; a second request with the same id changes nothing. */
export interface OperatorAction {
  readonly id: string;
  /** Configured id of the operator, whose token was used. */
  readonly operator: string;
  /** The person behind the token; null: the operator's id names the person. */
  readonly person: string | null;
  /** The second person, who confirmed a proposal; null: the decision needed none. */
  readonly confirmedBy: string | null;
  readonly reason: string;
  /** When the console received it, for display only: the append time decides. */
  readonly requestedAtMs: number;
  /** SHA-256, hex, of what is decided and why, without id and times. */
  readonly contentSha256: string;
}

type ActingPerson = Pick<OperatorAction, "operator" | "person">;

/** Two operators with the same person are one person. */
export function isSamePerson(one: ActingPerson, other: ActingPerson): boolean {
  return one.operator === other.operator || (one.person ?? one.operator) === (other.person ?? other.operator);
}

export interface WithdrawalRequested {
  readonly kind: "WithdrawalRequested";
  readonly action: OperatorAction;
}

export interface RedriveRequested {
  readonly kind: "RedriveRequested";
  readonly action: OperatorAction;
  readonly target: "delivery" | "posting";
  /** Identification of the delivery; for a posting the event's id. */
  readonly messageIdentification: string;
}

/** An operator has a message, or the posting of an event, tried no more. It may have been taken. */
export interface DeliveryStopRequested {
  readonly kind: "DeliveryStopRequested";
  readonly action: OperatorAction;
  readonly target: "delivery" | "posting";
  /** Identification of the delivery; for a posting the event's id. */
  readonly messageIdentification: string;
}

export type ResolutionKind = "made" | "not-made" | "replaced";

export interface ItemResolutionRequested {
  readonly kind: "ItemResolutionRequested";
  readonly action: OperatorAction;
  /** Day of the item. */
  readonly day: DayKey;
  readonly resolution: ResolutionKind;
  /** UETR of the transaction that replaced it; null unless `replaced`. */
  readonly replacedBy: string | null;
  /** The resolution becomes final only when another person confirms it. */
  readonly needsSecondPerson: boolean;
  /** Milliseconds from its append in which another person can confirm it; null: it waits without an end. */
  readonly lifetimeMs: number | null;
}

export interface ItemResolutionConfirmed {
  readonly kind: "ItemResolutionConfirmed";
  readonly action: OperatorAction;
  /** Id of the action that proposed the resolution; it is recorded, and finds nothing. */
  readonly confirms: string;
  /** Offset of the proposal in the journal, and the hash of its content. Null: a record from before they were named. */
  readonly proposal: { readonly offset: bigint; readonly contentSha256: string } | null;
}

/** Another person rejects a proposed resolution: the item is open again. */
export interface ItemResolutionRejected {
  readonly kind: "ItemResolutionRejected";
  readonly action: OperatorAction;
  /** Offset of the proposal in the journal, and the hash of its content. */
  readonly proposal: { readonly offset: bigint; readonly contentSha256: string };
}

/** An operator notes something at an item; the action's reason is the note. Nothing but the item's note changes. */
export interface ItemNoteRequested {
  readonly kind: "ItemNoteRequested";
  readonly action: OperatorAction;
  /** Day of the item. */
  readonly day: DayKey;
  /** Configured id of the operator who sees to the item from here on; null: nobody. */
  readonly assignee: string | null;
}

/** Ends the quarantine of a transaction. Its dead letters follow right behind, in their order. */
export interface DeadLettersReplayed {
  readonly kind: "DeadLettersReplayed";
  readonly action: OperatorAction;
  readonly records: number;
}

/** An operator extends a close that has not been reached; deadlines move with it. */
export interface CloseExtensionRequested {
  readonly kind: "CloseExtensionRequested";
  readonly action: OperatorAction;
  readonly scheme: string;
  readonly businessDate: string;
  /** Number of the processing window; 0: the reconciliation close. */
  readonly windowNumber: number;
  readonly closesAtMs: number;
}

/** An operator opens the gate of one bank although credits are unresolved. */
export interface GateOpeningRequested {
  readonly kind: "GateOpeningRequested";
  readonly action: OperatorAction;
  readonly scheme: string;
  readonly businessDate: string;
  readonly bank: string;
  /** UETRs of the unresolved credits that the operator was shown; recorded only. */
  readonly credits: readonly string[];
}

// ---- banks: the third aggregate, under `bank:<id>`

export interface BankPauseRequested {
  readonly kind: "BankPauseRequested";
  readonly action: OperatorAction;
  readonly bank: string;
  /** When a maintenance ends by itself, epoch milliseconds; null: only a resume ends the pause. */
  readonly untilMs: number | null;
}

export interface BankResumeRequested {
  readonly kind: "BankResumeRequested";
  readonly action: OperatorAction;
  readonly bank: string;
}

export type BankFact = BankPauseRequested | BankResumeRequested;
