// The hash of what an operator decided and why: two records are the same decision if it is equal, and a second person
// confirms by it what they saw.
//
// #1 It has who decided, the reason, and every member that says what is decided. It has neither the action's id nor
//    times, because a repeat may differ in these, nor what the console derives.

import type { AnyDecodedRecord, DecodedRecord } from "../api.ts";
import type { RecordName } from "../generated/records.ts";
import { sha256Hex } from "../messages/json/canonical-json.ts";

type OperatorRecordName =
  | "WithdrawalRequested"
  | "RedriveRequested"
  | "DeliveryStopRequested"
  | "ItemResolutionRequested"
  | "ItemResolutionConfirmed"
  | "ItemResolutionRejected"
  | "ItemNoteRequested"
  | "DeadLettersReplayed"
  | "CloseExtensionRequested"
  | "GateOpeningRequested"
  | "BankPauseRequested"
  | "BankResumeRequested";

const operatorRecordNames: Readonly<Record<OperatorRecordName, true>> = {
  WithdrawalRequested: true,
  RedriveRequested: true,
  DeliveryStopRequested: true,
  ItemResolutionRequested: true,
  ItemResolutionConfirmed: true,
  ItemResolutionRejected: true,
  ItemNoteRequested: true,
  DeadLettersReplayed: true,
  CloseExtensionRequested: true,
  GateOpeningRequested: true,
  BankPauseRequested: true,
  BankResumeRequested: true,
};

/** Tells whether records of this name can have the signature of a console. */
export function isSignedByConsole(name: RecordName): boolean {
  return Object.hasOwn(operatorRecordNames, name) || consoleRecords.has(name);
}

/** Records that are an operator's among others of their name, or ask a service for something. */
const consoleRecords: ReadonlySet<RecordName> = new Set<RecordName>(["CreditsFinalRequested", "EndpointCheckRequested", "DeadLetter"]);

/** Tells whether a record says what an operator decided. A declaration is one if it carries an action. */
export function isOperatorRecord({ name, value }: AnyDecodedRecord): boolean {
  return (
    Object.hasOwn(operatorRecordNames, name) ||
    (name === "CreditsFinalRequested" && value.action !== null) ||
    name === "EndpointCheckRequested"
  );
}

export type OperatorRecord = { [N in OperatorRecordName]: DecodedRecord<N> }[OperatorRecordName];

export type ActionRecord = OperatorRecord | DecodedRecord<"CreditsFinalRequested"> | DecodedRecord<"DecisionProposed">;

/** #1: a repeat may count other dead letters, and may come under another configuration. */
const derivedMembers: ReadonlySet<string> = new Set(["receivedAtMs", "requestedBy", "records", "needsSecondPerson", "lifetimeMs"]);

export function operatorContentSha256({ name, value }: ActionRecord): string {
  const { action, ...rest } = value;
  const by = { operator: action?.operator ?? null, person: action?.person ?? null, reason: action?.reason ?? null };
  const members = Object.entries({ ...rest, ...by, name }).filter(
    ([member, given]) => !derivedMembers.has(member) && !isNothingLeft(member, given),
  );
  return sha256Hex(JSON.stringify(members.toSorted(compareNames), bigintAsText));
}

/** A replay that leaves nothing has the hash that it had before a replay could leave anything. */
function isNothingLeft(member: string, given: unknown): boolean {
  return member === "left" && Array.isArray(given) && given.length === 0;
}

function compareNames([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}
