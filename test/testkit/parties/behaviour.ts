// Decides how a simulated bank or connector reacts to one request, without a clock, a socket or a random draw. The HTTP
// server and the simulation share this core.
//
// #1 An attempt is a request with a webhook-id. Attempts are counted per (operation, webhook-id).
// #2 A debit or a credit is acted on (booked and reported) once per webhook-id: with the first acknowledged attempt, or
//    with the first attempt for which the script says so. A later attempt is a repeat, answered as scripted, without
//    effect.

import { assert } from "@sluice/kernel";
import { acknowledge, reportSettled, type AnswerPlan, type DeliveredOperation, type ReportPlan, type ScriptRule } from "./script.ts";

export interface PartyRequest {
  readonly operation: DeliveredOperation;
  readonly webhookId: string;
  /** In lower case; empty if the body has none. */
  readonly uetr: string;
  /** Epoch milliseconds by the party's clock. */
  readonly atMs: number;
}

export interface PartyReaction {
  /** The number of this attempt at the message, from 1. */
  readonly attempt: number;
  readonly answer: AnswerPlan;
  /** The reports that the bank will send because of this request; empty for a repeat. */
  readonly reports: readonly ReportPlan[];
}

export interface PartyBehaviour {
  react(request: PartyRequest): PartyReaction;
  /** Puts rules in front of the present ones. */
  prepend(rules: readonly ScriptRule[]): void;
}

const messagesMax = 2_000_000;
const rulesMax = 200_000;
const actedOnOperations: ReadonlySet<DeliveredOperation> = new Set<DeliveredOperation>([
  "inboundDirectDebit",
  "inboundCreditTransferAuthorization",
]);
const defaultAnswer = acknowledge();
const defaultReports: readonly ReportPlan[] = [reportSettled()];

export function createPartyBehaviour(script: readonly ScriptRule[]): PartyBehaviour {
  const messages = new Map<string, { attempts: number; isActedOn: boolean }>();
  let findRules = indexRules(script);

  function react(request: PartyRequest): PartyReaction {
    const key = `${request.operation} ${request.webhookId}`;
    const message = messages.get(key) ?? { attempts: 0, isActedOn: false };
    messages.set(key, message);
    assert(messages.size <= messagesMax, `a simulated bank remembers at most ${messagesMax} messages`);
    message.attempts += 1;

    const matching = findRules(request, message.attempts);
    const answer = matching.find((rule) => rule.answer !== undefined)?.answer ?? defaultAnswer;
    const isAnswerPositive = answer.kind === "answer" && answer.status >= 200 && answer.status < 300;
    const isActing = isAnswerPositive || matching.some((rule) => rule.isActedOn === true);
    if (!actedOnOperations.has(request.operation) || message.isActedOn || !isActing) {
      return { attempt: message.attempts, answer, reports: [] };
    }
    message.isActedOn = true;
    const reports = matching.find((rule) => rule.reports !== undefined)?.reports ?? defaultReports;
    return { attempt: message.attempts, answer, reports };
  }

  return {
    react,
    prepend(added) {
      script = [...added, ...script];
      findRules = indexRules(script);
    },
  };
}

/**
 * Returns a function that finds the matching rules in script order. Rules with a UETR are indexed by it, so a script
 * may have many.
 */
function indexRules(script: readonly ScriptRule[]): (request: PartyRequest, attempt: number) => readonly ScriptRule[] {
  assert(script.length <= rulesMax, `a script has at most ${rulesMax} rules`);
  const placed = script.map((rule, place) => ({ rule, place }));
  const general = placed.filter(({ rule }) => rule.uetr === undefined);
  const byUetr = Map.groupBy(
    placed.filter(({ rule }) => rule.uetr !== undefined),
    ({ rule }) => rule.uetr ?? "",
  );
  return (request, attempt) =>
    [...general, ...(byUetr.get(request.uetr) ?? [])]
      .filter(({ rule }) => rule.operation === undefined || rule.operation === request.operation)
      .filter(({ rule }) => rule.attempts === undefined || (attempt >= rule.attempts[0] && attempt <= rule.attempts[1]))
      .filter(({ rule }) => rule.betweenMs === undefined || (request.atMs >= rule.betweenMs[0] && request.atMs < rule.betweenMs[1]))
      .sort((a, b) => a.place - b.place)
      .map(({ rule }) => rule);
}
