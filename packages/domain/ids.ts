// Ids of what Sluice sends: derived, never random, so that a repeat is known by its id. Every digest starts with the name of
// what it is of, so that no two kinds of id can meet.

/** SHA-256 of a text (UTF-8) as 64 lower-case hex digits. */
export type Digest = (text: string) => string;

/** inbound debit, report ACCP, report RJCT, credit, outcome to a connector, outcome to the initiating side. */
export type SentLetter = "D" | "A" | "R" | "C" | "O" | "S";

/** The messages under a UETR that Sluice receives; part of the identity of one. */
export type ReceivedOperation = "outboundDirectDebit" | "inboundDirectDebit" | "inboundCreditTransferAuthorization";

/** `webhook-id` of an event: 32 hex digits. */
export function eventId(uetr: string, stageVersion: number, digest: Digest): string {
  return digest(`sluice:event:${uetr}:${stageVersion}`).slice(0, 32);
}

/** `webhook-id` of an ESM_STATE event, beside the other of the same state: 32 hex digits. */
export function esmEventId(uetr: string, stageVersion: number, digest: Digest): string {
  return digest(`sluice:esm:${uetr}:${stageVersion}`).slice(0, 32);
}

/** Identification of a message that leaves once: 32 hex digits of the UETR and the letter; after O the digit that counts outcomes. */
export function sentIdentification(uetr: string, letter: SentLetter, outcomeNumber = 1): string {
  return `${uetr.replaceAll("-", "")}${letter}${letter === "O" ? outcomeNumber : ""}`;
}

/**
 * Identification of an answer to one further message: a refused duplicate (X), a report sent once more (Y). The letter and 34
 * hex digits over the identity of the message that it names.
 */
export function answerIdentification(
  letter: "X" | "Y",
  sender: string,
  operation: ReceivedOperation,
  uetr: string,
  messageIdentification: string,
  digest: Digest,
): string {
  const identity = JSON.stringify([sender, operation, uetr, messageIdentification]);
  return `${letter}${digest(`sluice:answer:${identity}`).slice(0, 34)}`;
}

/** Id of a day's marker, without the partition that each copy adds. */
export function markerId(scheme: string, businessDate: string, kind: string, number: number): string {
  return `${scheme}:${businessDate}:${kind}:${number}`;
}
