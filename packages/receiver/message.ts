// A message of Sluice as a bank works with it, whether it was posted or asked for.
//
// #1 An event's place is the `stageVersion` of its body, which is signed; the header `sluice-sequence` must say the same, for proxies
//    may lose a header but never make another number of it. `sluice-previous-id` is not signed: it says what to look for, no more.
// #2 ESM_STATE events and messages that are no events have no place.

import { ExactNumber, isExactObject, parseExact, type ExactObject } from "./exact-json.ts";
import { headerOf, type HeaderSource } from "./header-of.ts";

export interface Message {
  /** The same at every repeat, and never that of another message. */
  readonly webhookId: string;
  /** Of the transaction, in lower case; null where the message names none. */
  readonly uetr: string | null;
  /** Place among the transaction's events, from 1 without a gap; null: it has none. */
  readonly sequence: number | null;
  /** `webhook-id` of the event before, where it was told. */
  readonly previousId: string | null;
  /** Path that it was posted to; null: it was asked for. */
  readonly path: string | null;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly json: ExactObject;
}

export type MessageRead =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly reason: "not-json" | "place-contradicts" };

export interface Posted {
  readonly webhookId: string;
  readonly headers: HeaderSource;
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Greatest sequence that can be asked for. */
export const sequenceMax = 9_999;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function readMessage({ webhookId, headers, path, body }: Posted): MessageRead {
  const read = parseExact(body);
  if (!read.ok || !isExactObject(read.value)) return { ok: false, reason: "not-json" };
  const json = read.value;
  const sequence = sequenceIn(json);
  const told = headerOf(headers, "sluice-sequence");
  if (told !== null && told !== String(sequence)) return { ok: false, reason: "place-contradicts" };
  const previousId = sequence === null ? null : headerOf(headers, "sluice-previous-id");
  return { ok: true, message: { webhookId, uetr: uetrIn(json), sequence, previousId, path, body, json } };
}

/** #2 */
export function sequenceIn(json: ExactObject): number | null {
  const given = json["class"] === "TRANSACTION_STATE" ? json["stageVersion"] : null;
  if (!(given instanceof ExactNumber) || !/^[1-9][0-9]*$/.test(given.text)) return null;
  const sequence = Number(given.text);
  return sequence <= sequenceMax ? sequence : null;
}

export function uetrIn(json: ExactObject): string | null {
  const given = [textAt(json, "transactionIdentifiers", "uetr"), textAt(json, "tranInfo", "tranUetr"), textAt(json, "identifiers", "uetr")];
  return given.find((uetr) => uuid.test(uetr)) ?? null;
}

function textAt(json: ExactObject, ...[outer, inner]: readonly [outer: string, inner: string]): string {
  const part = json[outer];
  const text = isExactObject(part) ? part[inner] : null;
  return typeof text === "string" ? text.toLowerCase() : "";
}
