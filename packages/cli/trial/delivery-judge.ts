// What is said of a trial of deliveries: of what was appended, of what the banks heard, and of the journal and the receipts as they lie there.
//
// 1. Every message was acknowledged by its bank, once or more; no bank heard a message that is not its own, or that nobody appended.
// 2. All attempts of a message are the same: identification, operation, body, and the headers that say its place.
// 3. Per service, bank and UETR a message is first tried after the one before it was acknowledged: no inversion among first deliveries.
// 4. Nothing is lost: every dispatch has a DeliveryEnded ACKNOWLEDGED and every message a receipt, no message has another end, and nothing
//    lies in the dead letters.

import type { PlannedMessage } from "./delivery-plan.ts";

/** A message as it was appended. */
export interface SentMessage {
  readonly message: PlannedMessage;
  /** Of all that must be the same on every attempt. */
  readonly digest: string;
}

/** One request, as the bank had it. */
export interface HeardAttempt {
  readonly id: string;
  readonly bank: string;
  readonly digest: string;
  /** Counts arrivals and acknowledgements of all banks together. */
  readonly arrivedAt: number;
  /** Null: it was not acknowledged. */
  readonly acknowledgedAt: number | null;
}

export interface MessageEnd {
  readonly id: string;
  readonly record: "DeliveryEnded" | "Receipt";
  readonly outcome: string;
}

export interface DeliveryHistory {
  readonly sent: readonly SentMessage[];
  /** In the order of arrival. */
  readonly heard: readonly HeardAttempt[];
  readonly ends: readonly MessageEnd[];
  /** Records in the dead letters. */
  readonly deadLetters: number;
}

export type DeliveryRule = "acknowledged" | "own bank" | "identical" | "order" | "nothing lost";

export interface DeliveryVerdict {
  readonly problems: readonly string[];
  /** How often each rule was broken. */
  readonly violations: Readonly<Record<DeliveryRule, number>>;
}

interface Way {
  readonly sent: SentMessage;
  firstAt: number | null;
  acknowledgedAt: number | null;
  facts: number;
  receipts: number;
}

const problemsPerRuleMax = 8;

export function judgeDeliveries({ sent, heard, ends, deadLetters }: DeliveryHistory): DeliveryVerdict {
  const ways = new Map<string, Way>();
  for (const message of sent) ways.set(message.message.id, { sent: message, firstAt: null, acknowledgedAt: null, facts: 0, receipts: 0 });
  const found = createFound();
  for (const attempt of heard) hear(ways.get(attempt.id), attempt, found.note);
  for (const end of ends) conclude(ways.get(end.id), end, found.note);
  for (const way of ways.values()) missed(way, found.note);
  judgeOrder(ways.values(), found.note);
  if (deadLetters > 0) found.note("nothing lost", `${deadLetters} records lie in the dead letters`);
  return { problems: found.problems(), violations: found.violations };
}

type Note = (rule: DeliveryRule, text: string) => void;

/** 1, 2 */
function hear(way: Way | undefined, { id, bank, digest, arrivedAt, acknowledgedAt }: HeardAttempt, note: Note): void {
  if (way === undefined) return note("own bank", `${bank} heard ${id}, which nobody appended`);
  const { message } = way.sent;
  if (bank !== message.bank) return note("own bank", `${bank} heard ${nameOf(message)}, which goes to ${message.bank}`);
  if (digest !== way.sent.digest) return note("identical", `${nameOf(message)} came to ${bank} other than it was appended`);
  way.firstAt ??= arrivedAt;
  if (acknowledgedAt !== null) way.acknowledgedAt = Math.min(way.acknowledgedAt ?? acknowledgedAt, acknowledgedAt);
}

/** 4 */
function conclude(way: Way | undefined, { id, record, outcome }: MessageEnd, note: Note): void {
  if (way === undefined) return note("nothing lost", `a ${record} is about ${id}, which nobody appended`);
  if (outcome !== "ACKNOWLEDGED") return note("nothing lost", `${nameOf(way.sent.message)} has a ${record} that says ${outcome}`);
  if (record === "Receipt") way.receipts += 1;
  else way.facts += 1;
}

/** 1, 4 */
function missed({ sent: { message }, acknowledgedAt, facts, receipts }: Way, note: Note): void {
  if (acknowledgedAt === null) note("acknowledged", `${nameOf(message)} was never acknowledged by ${message.bank}`);
  if (message.service === "dispatcher" && facts === 0) note("nothing lost", `${nameOf(message)} has no DeliveryEnded`);
  if (message.service === "event-publisher" && facts > 0) note("nothing lost", `${nameOf(message)} is an event and has a DeliveryEnded`);
  if (receipts === 0) note("nothing lost", `${nameOf(message)} has no receipt`);
}

/** 3 */
function judgeOrder(ways: Iterable<Way>, note: Note): void {
  const chains = Map.groupBy(ways, ({ sent: { message } }) => `${message.service} ${message.bank} ${message.uetr}`);
  for (const chain of chains.values()) {
    const inOrder = chain.toSorted((one, other) => one.sent.message.place - other.sent.message.place);
    for (const [index, next] of inOrder.entries()) {
      const before = inOrder[index - 1];
      if (before === undefined || next.firstAt === null) continue;
      if (before.acknowledgedAt !== null && before.acknowledgedAt < next.firstAt) continue;
      const what = before.firstAt !== null && before.firstAt < next.firstAt ? "was acknowledged" : "was tried at all";
      note("order", `${nameOf(next.sent.message)} was tried before number ${before.sent.message.place} ${what}`);
    }
  }
}

function nameOf({ operation, place, uetr, id }: PlannedMessage): string {
  return `${operation} number ${place} of ${uetr} (${id.slice(-8)})`;
}

function createFound() {
  const violations: Record<DeliveryRule, number> = { acknowledged: 0, "own bank": 0, identical: 0, order: 0, "nothing lost": 0 };
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
