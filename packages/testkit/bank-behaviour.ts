// What a bank or a connector decides about one request, without a clock, a socket or a draw: the core that the HTTP server and the simulation share.
//
// #1 An attempt is a request with a webhook-id; they are counted per (operation, webhook-id).
// #2 A debit or a credit is acted on (booked and reported) once per webhook-id: with the first acknowledged attempt, or with the first for which the
//    script says so. A later attempt is a repeat, answered as scripted, without effect.

import { assert } from "@sluice/runtime";
import { acknowledge, reportMade, type AnswerPlan, type BankOperation, type ReportPlan, type ScriptRule } from "./bank-script.ts";

export interface SeenRequest {
  readonly operation: BankOperation;
  readonly webhookId: string;
  /** Lower case; empty where the body names none. */
  readonly uetr: string;
  /** Epoch ms by the clock of the bank. */
  readonly atMs: number;
}

export interface Reaction {
  /** Of this message, from 1. */
  readonly attempt: number;
  readonly answer: AnswerPlan;
  /** What the bank will report because of this request; empty for a repeat. */
  readonly reports: readonly ReportPlan[];
}

export interface BankBehaviour {
  react(request: SeenRequest): Reaction;
  /** Puts rules in front of those that stand. */
  prepend(rules: readonly ScriptRule[]): void;
}

const messagesMax = 2_000_000;
const rulesMax = 200_000;
const actedOn: ReadonlySet<BankOperation> = new Set<BankOperation>(["inboundDirectDebit", "inboundCreditTransferAuthorization"]);
const defaultAnswer = acknowledge();
const defaultReports: readonly ReportPlan[] = [reportMade()];

export function createBankBehaviour(script: readonly ScriptRule[]): BankBehaviour {
  const messages = new Map<string, { attempts: number; isActedOn: boolean }>();
  let rules = indexed(script);

  function react(request: SeenRequest): Reaction {
    const key = `${request.operation} ${request.webhookId}`;
    const message = messages.get(key) ?? { attempts: 0, isActedOn: false };
    messages.set(key, message);
    assert(messages.size <= messagesMax, `a simulated bank remembers at most ${messagesMax} messages`);
    message.attempts += 1;

    const matching = rules(request, message.attempts);
    const answer = matching.find((rule) => rule.answer !== undefined)?.answer ?? defaultAnswer;
    const isAnswerPositive = answer.kind === "answer" && answer.status >= 200 && answer.status < 300;
    const isActing = isAnswerPositive || matching.some((rule) => rule.isActedOn === true);
    if (!actedOn.has(request.operation) || message.isActedOn || !isActing) {
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
      rules = indexed(script);
    },
  };
}

/** Rules that match, in script order. Those that name a UETR are found by it, so that a script may name many. */
function indexed(script: readonly ScriptRule[]): (request: SeenRequest, attempt: number) => readonly ScriptRule[] {
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
