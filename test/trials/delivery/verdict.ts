// Verifies a delivery trial by what was appended, what the banks received, and what the journal and the receipts hold.
//
// #1 Every message was acknowledged by its bank at least once. No bank received a message of another bank, or one that
//    nobody appended.
// #2 All attempts of a message are the same: identification, operation, body, and the headers that name its place.
// #3 Per service, bank and UETR the first attempt of a message comes after the message before it was acknowledged.
// #4 Nothing is lost: every dispatch has a DeliveryEnded ACKNOWLEDGED, every message has a receipt, no message has
//    another end, and there are no dead letters. A message that its bank never takes has no end, and waits.
// #5 I14: what is for a healthy bank, or is taken by one that fails some messages, waits a minute at most.

import type { TrialMessage } from "./plan.ts";

/** A message that was appended. */
export interface SentMessage {
  readonly message: TrialMessage;
  /** Digest of the content that every attempt must have. */
  readonly digest: string;
  /** Milliseconds up to the first acknowledgement; null if there was none, or nobody measured it. */
  readonly waitedMs?: number | null;
}

/** One request that a bank received. */
export interface ReceivedAttempt {
  readonly id: string;
  readonly bank: string;
  readonly digest: string;
  /** Position in one order of the arrivals and acknowledgements of all banks. */
  readonly arrivedAt: number;
  /** Position in the same order; null if the bank did not acknowledge it. */
  readonly acknowledgedAt: number | null;
}

export interface MessageEnd {
  readonly id: string;
  readonly record: "DeliveryEnded" | "Receipt";
  readonly outcome: string;
}

export interface DeliveryHistory {
  readonly sent: readonly SentMessage[];
  /** Attempts in the order of arrival. */
  readonly attempts: readonly ReceivedAttempt[];
  readonly ends: readonly MessageEnd[];
  /** Number of records in the dead-letter topic. */
  readonly deadLetters: number;
  /** #5; empty where no bank is to be judged by it. */
  readonly promptBanks?: ReadonlySet<string>;
}

export type DeliveryRule = "acknowledged" | "own bank" | "identical" | "order" | "nothing lost" | "within a minute";

export interface DeliveryVerdict {
  readonly problems: readonly string[];
  /** How often each rule was broken. */
  readonly violations: Readonly<Record<DeliveryRule, number>>;
}

interface DeliveryProgress {
  readonly sent: SentMessage;
  firstAt: number | null;
  acknowledgedAt: number | null;
  facts: number;
  receipts: number;
}

const problemsPerRuleMax = 8;
const waitMaxMs = 60_000;

export function verifyDeliveries({ sent, attempts, ends, deadLetters, promptBanks }: DeliveryHistory): DeliveryVerdict {
  const deliveries = new Map<string, DeliveryProgress>();
  for (const message of sent)
    deliveries.set(message.message.id, { sent: message, firstAt: null, acknowledgedAt: null, facts: 0, receipts: 0 });
  const findings = createFindings();
  for (const attempt of attempts) checkAttempt(deliveries.get(attempt.id), attempt, findings.note);
  for (const end of ends) checkEnd(deliveries.get(end.id), end, findings.note);
  for (const delivery of deliveries.values()) {
    checkComplete(delivery, findings.note);
    if (promptBanks?.has(delivery.sent.message.bank) === true) checkWait(delivery.sent, findings.note);
  }
  checkOrder(deliveries.values(), findings.note);
  if (deadLetters > 0) findings.note("nothing lost", `${deadLetters} records are in the dead-letter topic`);
  return { problems: findings.problems(), violations: findings.violations };
}

type Note = (rule: DeliveryRule, text: string) => void;

/** #1, #2 */
function checkAttempt(
  delivery: DeliveryProgress | undefined,
  { id, bank, digest, arrivedAt, acknowledgedAt }: ReceivedAttempt,
  note: Note,
): void {
  if (delivery === undefined) return note("own bank", `${bank} received ${id}, which nobody appended`);
  const { message } = delivery.sent;
  if (bank !== message.bank) return note("own bank", `${bank} received ${describeMessage(message)}, which is for ${message.bank}`);
  if (digest !== delivery.sent.digest)
    return note("identical", `${describeMessage(message)} came to ${bank} with other content than was appended`);
  delivery.firstAt ??= arrivedAt;
  if (acknowledgedAt !== null) delivery.acknowledgedAt = Math.min(delivery.acknowledgedAt ?? acknowledgedAt, acknowledgedAt);
}

/** #4 */
function checkEnd(delivery: DeliveryProgress | undefined, { id, record, outcome }: MessageEnd, note: Note): void {
  if (delivery === undefined) return note("nothing lost", `a ${record} is about ${id}, which nobody appended`);
  if (outcome !== "ACKNOWLEDGED")
    return note("nothing lost", `${describeMessage(delivery.sent.message)} has a ${record} with outcome ${outcome}`);
  if (record === "Receipt") delivery.receipts += 1;
  else delivery.facts += 1;
}

/** #5 */
function checkWait({ message, waitedMs = null }: SentMessage, note: Note): void {
  if (waitedMs === null || waitedMs <= waitMaxMs) return;
  note("within a minute", `${describeMessage(message)} waited ${Math.round(waitedMs / 1_000)} s for ${message.bank}`);
}

/** #1, #4 */
function checkComplete({ sent: { message }, acknowledgedAt, facts, receipts }: DeliveryProgress, note: Note): void {
  if (message.isNeverTaken === true) {
    if (facts + receipts > 0) note("nothing lost", `${describeMessage(message)} has an end, and ${message.bank} never took it`);
    return;
  }
  if (acknowledgedAt === null) note("acknowledged", `${describeMessage(message)} was never acknowledged by ${message.bank}`);
  if (message.service === "dispatcher" && facts === 0) note("nothing lost", `${describeMessage(message)} has no DeliveryEnded`);
  if (message.service === "event-publisher" && facts > 0)
    note("nothing lost", `${describeMessage(message)} is an event and has a DeliveryEnded`);
  if (receipts === 0) note("nothing lost", `${describeMessage(message)} has no receipt`);
}

/** #3 */
function checkOrder(deliveries: Iterable<DeliveryProgress>, note: Note): void {
  const chains = Map.groupBy(deliveries, ({ sent: { message } }) => `${message.service} ${message.bank} ${message.uetr}`);
  for (const chain of chains.values()) {
    const inOrder = chain.toSorted((one, other) => one.sent.message.place - other.sent.message.place);
    for (const [index, next] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined || next.firstAt === null) continue;
      if (before.acknowledgedAt !== null && before.acknowledgedAt < next.firstAt) continue;
      const what = before.firstAt !== null && before.firstAt < next.firstAt ? "was acknowledged" : "was tried at all";
      note("order", `${describeMessage(next.sent.message)} was tried before number ${before.sent.message.place} ${what}`);
    }
  }
}

function describeMessage({ operation, place, uetr, id }: TrialMessage): string {
  return `${operation} number ${place} of ${uetr} (${id.slice(-8)})`;
}

function createFindings() {
  const violations: Record<DeliveryRule, number> = {
    acknowledged: 0,
    "own bank": 0,
    identical: 0,
    order: 0,
    "nothing lost": 0,
    "within a minute": 0,
  };
  const texts: string[] = [];
  return {
    violations,
    note: (rule: DeliveryRule, text: string): void => {
      violations[rule] += 1;
      if (violations[rule] <= problemsPerRuleMax) texts.push(`${rule}: ${text}`);
    },
    problems: (): readonly string[] => {
      const rest = Object.entries(violations).filter(([, count]) => count > problemsPerRuleMax);
      return [...texts, ...rest.map(([rule, count]) => `${rule}: ${count - problemsPerRuleMax} more`)];
    },
  };
}
