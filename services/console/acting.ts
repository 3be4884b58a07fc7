// What every decision has in common: its body is read by contracts, what it is about is looked up, and then it is appended.
//
// #1 What the aggregate, as the store has it, would refuse is answered 409 and not appended. That is a courtesy, by the domain's own judgement:
//    what counts is the aggregate's, where the record lies.
// #2 A decision that was decided before is appended again and counts once. An id that stands for another one is refused: whoever waits for it
//    would be told of that other one.

import type { Configuration } from "@sluice/config";
import { readControlBody, type ControlBody, type ControlDecisionName, type OperatorAction } from "@sluice/contracts";
import type { AgreedTime } from "@sluice/messaging";
import type { Random, Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";
import type { AppendAction } from "./append-action.ts";
import type { ControlAnswer, ControlHandler, ControlQuestion } from "./control-handler.ts";
import type { KnownAsOf } from "./known-as-of.ts";
import { whyText } from "./why-text.ts";

export interface ActingPorts {
  readonly time: Time;
  readonly random: Random;
  readonly store: Pick<Store, "transactions" | "days" | "banks" | "lanes">;
  readonly configuration: Configuration;
  readonly knownAsOf: KnownAsOf;
  readonly agreedTime: Pick<AgreedTime, "nowMs">;
  readonly append: AppendAction;
}

export interface Deciding<Name extends ControlDecisionName> {
  readonly body: ControlBody<Name>;
  readonly action: OperatorAction;
  readonly question: ControlQuestion;
}

export function deciding<Name extends ControlDecisionName>(
  { time, random }: Pick<ActingPorts, "time" | "random">,
  name: Name,
  decide: (deciding: Deciding<Name>) => Promise<ControlAnswer>,
): ControlHandler {
  return async (question) => {
    const reading = readControlBody(name, question.body);
    if (!reading.ok) return refused(reading.status, reading.error.message, reading.error.detail);
    const { message: body } = reading.read;
    const { reason }: { readonly reason: string } = body;
    const id = question.actionId ?? random.hex(16);
    const action = { id, operator: question.operator.id, reason, requestedAtMs: time.nowMs() };
    return await decide({ body, action, question });
  };
}

export function refused(
  status: Extract<ControlAnswer, { readonly kind: "refused" }>["status"],
  message: string,
  detail: string,
): ControlAnswer {
  return { kind: "refused", status, message, detail };
}

interface Noted {
  readonly kind: string;
  readonly action: OperatorAction;
}

/** #2 What an aggregate has noted under the action's id: the same decision ("repeat"), none (null), or an answer that refuses the id. */
export function notedBefore(notes: readonly Noted[], kind: string, action: OperatorAction): ControlAnswer | "repeat" | null {
  const note = notes.find((one) => one.action.id === action.id);
  if (note === undefined) return null;
  const isSame = note.kind === kind && note.action.operator === action.operator && note.action.reason === action.reason;
  return isSame ? "repeat" : refused(409, "Another decision", "This Idempotency-Key was used for another decision. Take a new one.");
}

/** #1 */
export function notPossible(why: string | null): ControlAnswer {
  return refused(409, "Not possible now", why === null ? "It would be refused." : `${why}: ${whyText(why)}`);
}
