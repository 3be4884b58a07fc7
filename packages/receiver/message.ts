// A message from Sluice as a bank works with it, posted or asked for.
//
// #1 An event's place is the `stageVersion` of its body, which is signed. The header `sluice-sequence` must agree: a
//    proxy may lose a header but never changes its number. `sluice-previous-id` is not signed: it only tells what to
//    look for.
// #2 ESM_STATE events, and messages that are not events, have no place.

import { ExactNumber, isExactObject, parseExact, type ExactObject } from "./json/exact-json.ts";
import { readHeader, type HeaderSource } from "./read-header.ts";

export interface Message {
  /** The same at every repeat, and never that of another message. */
  readonly webhookId: string;
  /** The transaction's UETR in lower case; null where the message names none. */
  readonly uetr: string | null;
  /** The place among the transaction's events, from 1 without gaps; null: it has none. */
  readonly sequence: number | null;
  /** The `webhook-id` of the previous event, where Sluice sent it. */
  readonly previousId: string | null;
  /** The path that it was posted to; null: the bank asked for it. */
  readonly path: string | null;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly json: ExactObject;
}

export type MessageRead =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly reason: "not-json" | "place-contradicts" };

export interface PostedMessage {
  readonly webhookId: string;
  readonly headers: HeaderSource;
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The greatest sequence that can be asked for. */
export const sequenceMax = 9_999;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export function readMessage({ webhookId, headers, path, body }: PostedMessage): MessageRead {
  const read = parseExact(body);
  if (!read.ok || !isExactObject(read.value)) return { ok: false, reason: "not-json" };
  const json = read.value;
  const sequence = readSequence(json);
  const stated = readHeader(headers, "sluice-sequence");
  if (stated !== null && stated !== String(sequence)) return { ok: false, reason: "place-contradicts" };
  const previousId = sequence === null ? null : readHeader(headers, "sluice-previous-id");
  return { ok: true, message: { webhookId, uetr: readUetr(json), sequence, previousId, path, body, json } };
}

/** #2 */
export function readSequence(json: ExactObject): number | null {
  const given = json["class"] === "TRANSACTION_STATE" ? json["stageVersion"] : null;
  if (!(given instanceof ExactNumber) || !/^[1-9][0-9]*$/.test(given.text)) return null;
  const sequence = Number(given.text);
  return sequence <= sequenceMax ? sequence : null;
}

export function readUetr(json: ExactObject): string | null {
  const given = [textAt(json, "transactionIdentifiers", "uetr"), textAt(json, "tranInfo", "tranUetr"), textAt(json, "identifiers", "uetr")];
  return given.find((uetr) => uuid.test(uetr)) ?? null;
}

function textAt(json: ExactObject, ...[outer, inner]: readonly [outer: string, inner: string]): string {
  const part = json[outer];
  const text = isExactObject(part) ? part[inner] : null;
  return typeof text === "string" ? text.toLowerCase() : "";
}
