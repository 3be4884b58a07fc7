// Defines the messages that wait for a bank that is down. Each follows from its number, so that a million of them need
// not be kept. Each UETR has five messages, and those of a hundred UETRs are interleaved.

import { partitionCountDefault, partitionFor } from "@sluice/contracts";

export interface WaitingMessage {
  readonly id: string;
  readonly uetr: string;
  /** Number among the messages of its UETR, from 1. */
  readonly place: number;
  readonly partition: number;
}

const uetrsInBlock = 100;
const messagesInBlock = 500;
const bodyBytes = 1_450;
const idPattern = /^waiting-(\d{9})$/;
const fillingDigits = "0123456789abcdef".repeat(Math.ceil((2 * bodyBytes) / 16));

export function waitingMessage(number: number): WaitingMessage {
  const block = Math.floor(number / messagesInBlock);
  const inBlock = number % messagesInBlock;
  const uetr = buildUetr(block * uetrsInBlock + (inBlock % uetrsInBlock));
  const partition = partitionFor(new TextEncoder().encode(uetr), partitionCountDefault);
  return { id: `waiting-${String(number).padStart(9, "0")}`, uetr, place: Math.floor(inBlock / uetrsInBlock) + 1, partition };
}

/** Returns null if the identification belongs to no such message. */
export function parseMessageNumber(id: string): number | null {
  const [, digits] = idPattern.exec(id) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Returns the number of the message before it in its UETR; null for the first. */
export function precedingNumber(number: number): number | null {
  return number % messagesInBlock < uetrsInBlock ? null : number - uetrsInBlock;
}

/** Returns the same bytes for the same number. */
export function waitingBody(number: number): Uint8Array {
  const { id, uetr, place } = waitingMessage(number);
  const start = JSON.stringify({ schema: "Trial", messageIdentification: id, uetr, place, filling: "" }).slice(0, -2);
  const from = number % bodyBytes;
  return Buffer.from(`${start}${fillingDigits.slice(from, from + bodyBytes - start.length - 2)}"}`);
}

/** Spreads the UETRs over the partitions by a multiplier that is coprime to 2³². */
function buildUetr(number: number): string {
  const spread = (Math.imul(number + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, "0");
  return `${spread}-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}
