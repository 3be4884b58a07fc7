// What every decision has in common: its body is read by contracts, then what it is about is looked up, then it is appended.

import { readControlBody, type ControlBody, type ControlDecisionName } from "@sluice/contracts";
import type { Store } from "@sluice/store";
import type { Configuration } from "@sluice/config";
import type { AppendAction } from "./append-action.ts";
import type { ControlAnswer, ControlHandler, ControlQuestion } from "./control-handler.ts";
import type { KnownAsOf } from "./known-as-of.ts";

export interface ActingPorts {
  readonly store: Pick<Store, "transactions" | "days" | "lanes">;
  readonly configuration: Configuration;
  readonly knownAsOf: KnownAsOf;
  readonly append: AppendAction;
}

export function deciding<Name extends ControlDecisionName>(
  name: Name,
  decide: (body: ControlBody<Name>, question: ControlQuestion) => Promise<ControlAnswer>,
): ControlHandler {
  return async (question) => {
    const reading = readControlBody(name, question.body);
    if (reading.ok) return await decide(reading.read.message, question);
    return refused(reading.status, reading.error.message, reading.error.detail);
  };
}

export function refused(
  status: Extract<ControlAnswer, { readonly kind: "refused" }>["status"],
  message: string,
  detail: string,
): ControlAnswer {
  return { kind: "refused", status, message, detail };
}
