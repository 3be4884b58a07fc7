// A reconciliation item as people see it: row, cause, evidence, what came later, and what people found out.

import type { DeliveryEvidence, Item, Resolution } from "@sluice/domain";
import { instantText } from "./answer.ts";
import { actionView, timeText } from "./control-values.ts";

export interface ItemView {
  readonly day: string;
  /** Row of interface section 7; 0: ours; null: it depends on an answer that is still awaited. */
  readonly row: number | null;
  readonly cause: string | null;
  /** State in which the close, the withdrawal or the refusal met the transaction. */
  readonly state: string;
  /** Not settled, and not finally resolved. */
  readonly isOpen: boolean;
  readonly madeAt: string;
  readonly settledAt: string | null;
  readonly evidence: DeliveryEvidence | null;
  readonly lateAnswers: readonly { readonly at: string; readonly text: string }[];
  readonly resolution: ResolutionView | null;
}

export interface ResolutionView {
  /** MADE, NOT_MADE or REPLACED. */
  readonly kind: string;
  readonly replacedBy: string | null;
  /** False: a second person has to confirm it, by the id of its action. */
  readonly isFinal: boolean;
  readonly at: string;
  readonly action: ReturnType<typeof actionView>;
  readonly confirmed: { readonly at: string; readonly action: ReturnType<typeof actionView> } | null;
}

export function isItemOpen({ settledAtMs, resolution }: Pick<Item, "settledAtMs" | "resolution">): boolean {
  return settledAtMs === null && resolution?.isFinal !== true;
}

export function itemView(item: Item): ItemView {
  const { day, row, cause, state, madeAtMs, settledAtMs, evidence, lateAnswers, resolution } = item;
  return {
    day,
    row,
    cause,
    state,
    isOpen: isItemOpen(item),
    madeAt: instantText(madeAtMs),
    settledAt: timeText(settledAtMs),
    evidence,
    lateAnswers: lateAnswers.map(({ atMs, text }) => ({ at: instantText(atMs), text })),
    resolution: resolution === null ? null : resolutionView(resolution),
  };
}

function resolutionView({ kind, replacedBy, isFinal, atMs, action, confirmed }: Resolution): ResolutionView {
  return {
    kind: kind.toUpperCase().replace("-", "_"),
    replacedBy,
    isFinal,
    at: instantText(atMs),
    action: actionView(action),
    confirmed: confirmed === null ? null : { at: instantText(confirmed.atMs), action: actionView(confirmed.action) },
  };
}
