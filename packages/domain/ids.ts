// Ids of everything that Sluice sends. They are derived, never random, so that a repeat is known by its id. Each digest
// starts with the name of its kind, so that ids of two kinds never collide.

/** Computes the SHA-256 of a text (UTF-8) as 64 lower-case hex digits. */
export type Digest = (text: string) => string;

/**
 * The letter of each kind of message that Sluice sends, in the message's identification. `outcome-report` goes to a
 * connector, `on-us-outcome` to the initiating bank. The letters are part of the wire format and never change.
 */
const sentLetters = {
  "inbound-debit": "D",
  "report-accepted": "A",
  "report-rejected": "R",
  "inbound-credit": "C",
  "outcome-report": "O",
  "on-us-outcome": "S",
} as const;

/** A message that a state or an ended transaction sends, under one identification. */
export type SentKind = keyof typeof sentLetters;

/** The letter of each kind of answer to a further message. */
const answerLetters = { "duplicate-refused": "X", "report-again": "Y" } as const;

/** An answer to one further message. */
export type AnswerKind = keyof typeof answerLetters;

export function isSentKind(kind: string): kind is SentKind {
  return Object.hasOwn(sentLetters, kind);
}

/** Operations by which Sluice receives a message under a UETR; the operation is part of the message's identity. */
export type ReceivedOperation = "outboundDirectDebit" | "inboundDirectDebit" | "inboundCreditTransferAuthorization";

/** Derives the `webhook-id` of an event: 32 hex digits. */
export function eventId(uetr: string, stageVersion: number, digest: Digest): string {
  return digest(`sluice:event:${uetr}:${stageVersion}`).slice(0, 32);
}

/**
 * Derives the `webhook-id` of an ESM_STATE event, which differs from that of the state's other event: 32 hex digits.
 */
export function esmEventId(uetr: string, stageVersion: number, digest: Digest): string {
  return digest(`sluice:esm:${uetr}:${stageVersion}`).slice(0, 32);
}

/** The newest UETR without its dashes: one record asks for several identifications of the same one. */
let newestDigits = { uetr: "", digits: "" };

/**
 * Identification of a message that is sent once: the 32 hex digits of the UETR and the letter of its kind. An outcome
 * report to a connector also has the digit that counts such reports.
 */
export function sentIdentification(uetr: string, kind: SentKind, outcomeNumber = 1): string {
  if (newestDigits.uetr !== uetr) newestDigits = { uetr, digits: uetr.replaceAll("-", "") };
  return `${newestDigits.digits}${sentLetters[kind]}${kind === "outcome-report" ? outcomeNumber : ""}`;
}

/**
 * Identification of the answer to one further message: the letter of its kind and 34 hex digits of a digest of that
 * message's identity.
 */
export function answerIdentification(
  kind: AnswerKind,
  sender: string,
  operation: ReceivedOperation,
  uetr: string,
  messageIdentification: string,
  digest: Digest,
): string {
  const identity = JSON.stringify([sender, operation, uetr, messageIdentification]);
  return `${answerLetters[kind]}${digest(`sluice:answer:${identity}`).slice(0, 34)}`;
}

const answerPattern = new RegExp(`^[${Object.values(answerLetters).join("")}][0-9a-f]{34}$`, "u");

/** True for the form of an answer to a further message: a transaction does not keep all of its answers. */
export function isAnswerIdentification(messageIdentification: string): boolean {
  return answerPattern.test(messageIdentification);
}

/** Id of a marker of a day, without the partition that each copy adds. */
export function markerId(scheme: string, businessDate: string, kind: string, number: number): string {
  return `${scheme}:${businessDate}:${kind}:${number}`;
}
