// showAction: what became of a decision, from the notes of what it is about. An aggregate keeps its last few; an older one, or one that has not
// been judged yet, is not known.

import type { BankDecision, Day, Transaction } from "@sluice/domain";
import type { Store } from "@sluice/store";
import { refused } from "./acting.ts";
import type { ControlHandler } from "./control-handler.ts";
import { decisionView, invalid, isDayKey } from "./control-values.ts";
import { whyText } from "./why-text.ts";

type Note = Transaction["decisions"][number] | Day["decisions"][number] | BankDecision;

export function showAction({ store }: { readonly store: Pick<Store, "transactions" | "days" | "banks"> }): ControlHandler {
  return async ({ path: { action = "" }, query }) => {
    const key = query.get("key") ?? "";
    const notes = await notesOf(store, key);
    if (notes === null) return invalid("key: a UETR, scheme:date, or bank: and a bank's id, as the decision was answered with.");
    const note = notes.find((one) => one.action.id === action);
    if (note === undefined) return refused(404, "Not known", "No such decision is among the last ones that were judged under this key.");
    const explained = note.why === null ? null : whyText(note.why);
    return { kind: "found", body: { schema: "Action", key, ...decisionView(note), explained } };
  };
}

/** Null: it is no key. */
async function notesOf(store: Pick<Store, "transactions" | "days" | "banks">, key: string): Promise<readonly Note[] | null> {
  const [, bank] = /^bank:([a-z0-9-]{1,32})$/.exec(key) ?? [];
  if (bank !== undefined) return (await store.banks.load([bank])).get(bank)?.decisions ?? [];
  if (isDayKey(key)) return (await store.days.load([key])).get(key)?.decisions ?? [];
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) return null;
  return (await store.transactions.load([key])).get(key)?.transaction.decisions ?? [];
}
