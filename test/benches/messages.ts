// Defines the messages of a delivery bench as a function of their number, so that service, bare loop and verdict use
// the same bytes.
//
// #1 A transaction has several messages, and a group of transactions is interleaved: order matters, and no message
//    waits long for the one before it.
// #2 All bodies have exactly `bodyBytes` bytes. Everything but their member names and a filler differs between
//    messages.

import { createHash } from "node:crypto";

export interface BenchMessage {
  readonly id: string;
  readonly uetr: string;
  /** Number among the messages of its UETR, from 1. */
  readonly place: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const bodyBytes = 1_450;
/** Token that Sluice sends to the bank. */
export const bankToken = "bench";
const messagesPerUetr = 4;
const uetrsPerGroup = 250;

/** Builds message `number`, from 0. `run` makes the UETRs of different runs differ. */
export function benchMessage(run: string, number: number): BenchMessage {
  const groupMessages = messagesPerUetr * uetrsPerGroup;
  const group = Math.floor(number / groupMessages);
  const within = number % groupMessages;
  const place = Math.floor(within / uetrsPerGroup) + 1;
  const uetr = buildUetr(`${run}:${group}:${within % uetrsPerGroup}`);
  const id = `${uetr.replaceAll("-", "")}${place}`;
  return { id, uetr, place, body: buildBody(id, uetr, place) };
}

/** Builds the trace header of a message, for its record and its request. */
export function buildTraceparent({ id }: BenchMessage): string {
  return `00-${id.slice(0, 32)}-${id.slice(16, 32)}-01`;
}

function buildUetr(seed: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Builds a status report, filled up with text to the full length. */
function buildBody(id: string, uetr: string, place: number): Uint8Array<ArrayBuffer> {
  const messageIdentifiers = { messageIdentification: id, creationDateTime: "2026-11-20T07:12:03.120Z" };
  const report = (filler: string): string =>
    JSON.stringify({
      schema: "PaymentStatusReport",
      messageIdentifiers,
      transactionIdentifiers: { endToEndIdentification: `POLICY-${uetr}`, uetr },
      status: { code: "ACCP", outcome: "APPROVED", reasonInfo: [] },
      supplementaryData: { place: String(place), filler },
    });
  const digits = createHash("sha512").update(id).digest("base64");
  const missing = bodyBytes - report("").length;
  return new TextEncoder().encode(report(digits.repeat(Math.ceil(missing / digits.length)).slice(0, missing)));
}
