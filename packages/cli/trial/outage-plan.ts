// The messages that wait for a bank that is down: each follows from its number, so that a million of them need not be kept. Five a UETR, with those
// of a hundred UETRs between each other.

import { lanesDefault, partitionOf } from "@sluice/contracts";

export interface WaitingMessage {
  readonly id: string;
  readonly uetr: string;
  /** Among those of its UETR, from 1. */
  readonly place: number;
  readonly lane: number;
}

const uetrsInBlock = 100;
const messagesInBlock = 500;
const bodyBytes = 1_450;
const idPattern = /^waiting-(\d{9})$/;
const fillingDigits = "0123456789abcdef".repeat(Math.ceil((2 * bodyBytes) / 16));

export function waitingMessage(number: number): WaitingMessage {
  const block = Math.floor(number / messagesInBlock);
  const inBlock = number % messagesInBlock;
  const uetr = uetrOf(block * uetrsInBlock + (inBlock % uetrsInBlock));
  const lane = partitionOf(new TextEncoder().encode(uetr), lanesDefault);
  return { id: `waiting-${String(number).padStart(9, "0")}`, uetr, place: Math.floor(inBlock / uetrsInBlock) + 1, lane };
}

/** Null: no such message has this identification. */
export function numberOf(id: string): number | null {
  const [, digits] = idPattern.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Of the message before it in its UETR; null: it is the first. */
export function numberBefore(number: number): number | null {
  return number % messagesInBlock < uetrsInBlock ? null : number - uetrsInBlock;
}

/** The same bytes whenever it is asked. */
export function waitingBody(number: number): Uint8Array {
  const { id, uetr, place } = waitingMessage(number);
  const start = JSON.stringify({ schema: "Trial", messageIdentification: id, uetr, place, filling: "" }).slice(0, -2);
  const from = number % bodyBytes;
  return Buffer.from(`${start}${fillingDigits.slice(from, from + bodyBytes - start.length - 2)}"}`);
}

/** Spread over the lanes by a multiplier that is prime to 2³². */
function uetrOf(number: number): string {
  const spread = (Math.imul(number + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
  return `${spread}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
