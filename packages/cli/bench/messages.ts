// The messages of a bench of deliveries: a function of their number, so that the service, the bare loop and the judge speak of the same bytes.
//
// 1. Several messages of one transaction, each after that of all others of its group: order has to be kept, and no message waits long for the one before it.
// 2. A body has exactly the bytes asked; all but its names and a filler differ from message to message.

import { createHash } from "node:crypto";

export interface BenchMessage {
  readonly id: string;
  readonly uetr: string;
  /** From 1, of its UETR. */
  readonly place: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

export const bodyBytes = 1_450;
/** With which the bank is called. */
export const bankToken = "bench";
const messagesPerUetr = 4;
const uetrsPerGroup = 250;

/** `number` from 0. `run` makes the UETRs of one run differ from those of another. */
export function benchMessage(run: string, number: number): BenchMessage {
  const groupMessages = messagesPerUetr * uetrsPerGroup;
  const group = Math.floor(number / groupMessages);
  const within = number % groupMessages;
  const place = Math.floor(within / uetrsPerGroup) + 1;
  const uetr = uetrOf(`${run}:${group}:${within % uetrsPerGroup}`);
  const id = `${uetr.replaceAll("-", "")}${place}`;
  return { id, uetr, place, body: bodyOf(id, uetr, place) };
}

/** Its trace, as a record and a request carry it. */
export function traceparentOf({ id }: BenchMessage): string {
  return `00-${id.slice(0, 32)}-${id.slice(16, 32)}-01`;
}

function uetrOf(seed: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The members of a report, and what it lacks in length as text. */
function bodyOf(id: string, uetr: string, place: number): Uint8Array<ArrayBuffer> {
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
