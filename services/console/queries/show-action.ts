// showAction: what became of a decision, from the notes of its aggregate. An aggregate keeps its last few notes; an
// older decision, or one that has not been applied yet, is not known.

import type { BankDecision, Day, Transaction } from "@sluice/domain";
import type { Store } from "@sluice/store";
import { refuseWith } from "../decisions/decision.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { decisionView, invalidRequest, isDayKey } from "../views/control-values.ts";
import { isConfirmationAwaited } from "../views/item-view.ts";
import { explainReason } from "../views/reason-text.ts";

type Note = Transaction["decisions"][number] | Day["decisions"][number] | BankDecision;

interface ShowActionPorts {
  readonly store: Pick<Store, "transactions" | "days" | "banks">;
  /** By the broker's clock, milliseconds; null: not known. */
  readonly brokerNowMs: () => number | null;
}

export function showAction({ store, brokerNowMs }: ShowActionPorts): ControlHandler {
  return async ({ path: { action = "" }, query }) => {
    const key = query.get("key") ?? "";
    const judged = await loadJudged(store, key);
    if (judged === null) return invalidRequest("key: a UETR, scheme:date, or bank: and a bank's id, as the decision was answered with.");
    const note = judged.notes.find((one) => one.action.id === action);
    if (note === undefined) return refuseWith(404, "Not known", "No such decision is among the last ones that were judged under this key.");
    const explained = note.why === null ? null : explainReason(note.why);
    return {
      kind: "found",
      body: { schema: "Action", key, ...decisionView(note), explained, awaitsConfirmation: judged.isAwaited(action, brokerNowMs()) },
    };
  };
}

interface Judged {
  readonly notes: readonly Note[];
  /** Whether a second person has still to confirm the decision with this id. */
  isAwaited(action: string, nowMs: number | null): boolean;
}

/** Null: the text is not a key. */
async function loadJudged(store: Pick<Store, "transactions" | "days" | "banks">, key: string): Promise<Judged | null> {
  const isAwaited = (): boolean => false;
  const [, bank] = /^bank:([a-z0-9-]{1,32})$/.exec(key) ?? [];
  if (bank !== undefined) return { notes: (await store.banks.load([bank])).get(bank)?.decisions ?? [], isAwaited };
  if (isDayKey(key)) return { notes: (await store.days.load([key])).get(key)?.decisions ?? [], isAwaited };
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) return null;
  const transaction = (await store.transactions.load([key])).get(key)?.transaction;
  const { decisions: notes, items } = transaction ?? { decisions: [], items: [] };
  return { notes, isAwaited: (action, nowMs) => isConfirmationAwaited(items, action, nowMs) };
}
