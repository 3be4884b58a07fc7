// The body of a message that Sluice sent, as an operator may see it: its members, without persons and accounts.
//
// #1 Shown are the values of members that are named here; every other value is `…`, also one that a later release adds.
// #2 Of an account the last four characters are shown. Below a person, a free text or data of a scheme nothing is.
// #3 Numbers have the digits of the body.

import { parseJson, type Json } from "@sluice/contracts";
import { numberMask as mask } from "@sluice/kernel";

/** Members below which nothing is shown: persons, free texts, and what a scheme or a bank adds. */
const hidden: ReadonlySet<string> = new Set([
  "creditor",
  "debtor",
  "ultimateCreditor",
  "ultimateDebtor",
  "initiatingParty",
  "supplementaryData",
  "remittanceInformation",
  "schemeData",
  "proxy",
  "electronicSignature",
  "instructionForCreditorAgent",
]);
/** Members that name no person and no account, wherever they are. */
const shown: ReadonlySet<string> = new Set([
  "actionDate",
  "apiVersion",
  "class",
  "code",
  "creationDateTime",
  "currency",
  "direction",
  "endToEndIdentification",
  "financialTransactionState",
  "instructionIdentification",
  "memberId",
  "messageIdentification",
  "outcome",
  "paymentMethod",
  "paymentScheme",
  "paymentType",
  "recordType",
  "requestedCollectionDate",
  "schema",
  "sequenceType",
  "service",
  "settlementDate",
  "stageVersion",
  "state",
  "subService",
  "tranUetr",
  "transactionIdentification",
  "transactionState",
  "type",
  "uetr",
]);
/** Members whose `value` is an amount or a code. */
const coded: ReadonlySet<string> = new Set([
  "bankSettlementAmount",
  "instructedAmount",
  "localInstrument",
  "purpose",
  "reason",
  "scheme",
  "type",
]);
const accounts: ReadonlySet<string> = new Set(["creditorAccount", "debtorAccount"]);
const shownOfAccount = 4;

/** Null: it is no JSON text, and nothing of it can be shown. */
export function maskBody(bytes: Uint8Array): string | null {
  const parsed = parseJson(bytes);
  return parsed.ok ? write(parsed.value, [], "") : null;
}

function write(value: Json, path: readonly string[], indent: string): string {
  if (Array.isArray(value))
    return writeAll(
      value.map((one: Json) => write(one, path, `${indent}  `)),
      ["[", "]"],
      indent,
    );
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${JSON.stringify(name)}: ${write(member, [...path, name], `${indent}  `)}`,
    );
    return writeAll(members, ["{", "}"], indent);
  }
  return writeValue(value, path);
}

function writeAll(parts: readonly string[], [begin, end]: readonly [string, string], indent: string): string {
  return parts.length === 0 ? `${begin}${end}` : `${begin}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${end}`;
}

function writeValue(value: string | symbol | boolean | null, path: readonly string[]): string {
  if (value === null || typeof value === "boolean") return String(value);
  const text = typeof value === "symbol" ? (value.description ?? "") : value;
  if (isShown(path)) return typeof value === "symbol" ? text : JSON.stringify(text);
  return JSON.stringify(isAccountNumber(path) ? `${mask}${text.slice(-Math.min(shownOfAccount, Math.floor(text.length / 2)))}` : mask);
}

/** #1 */
function isShown(path: readonly string[]): boolean {
  const [name = "", above = ""] = path.toReversed();
  if (path.some((part) => hidden.has(part))) return false;
  return shown.has(name) || (name === "value" && coded.has(above)) || (name === "name" && path.length === 1);
}

/** #2 */
function isAccountNumber(path: readonly string[]): boolean {
  const [name, above, account = ""] = path.toReversed();
  return name === "value" && above === "identification" && accounts.has(account) && !path.some((part) => hidden.has(part));
}
