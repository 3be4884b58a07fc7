// Shows a reconciliation item: its row, cause, evidence, later answers, and what people found out.

import type { DeliveryEvidence, Item, ItemNote, Resolution } from "@sluice/domain";
import { formatInstant } from "../http/bank-answer.ts";
import { actionView, formatOptionalInstant } from "./control-values.ts";

export interface ItemView {
  readonly day: string;
  /** Row in docs/spec/interface.md, section 7; 0: our own row; null: it depends on an answer still awaited. */
  readonly row: number | null;
  readonly cause: Item["cause"];
  /** State of the transaction at the close, the withdrawal or the refusal. */
  readonly state: string;
  /** True if the item is neither settled nor finally resolved. */
  readonly isOpen: boolean;
  readonly madeAt: string;
  readonly settledAt: string | null;
  readonly evidence: DeliveryEvidence | null;
  readonly lateAnswers: readonly { readonly at: string; readonly text: string }[];
  readonly resolution: ResolutionView | null;
  readonly note: ItemNoteView | null;
}

interface ItemNoteView {
  readonly at: string;
  readonly offset: string;
  /** Configured id of the operator who sees to the item; null: nobody. */
  readonly assignee: string | null;
  /** Its reason is the note. */
  readonly action: ReturnType<typeof actionView>;
}

interface ResolutionView {
  /** MADE, NOT_MADE or REPLACED. */
  readonly kind: string;
  readonly replacedBy: string | null;
  /** False: a second person has to confirm the resolution, by its offset and the hash of its content. */
  readonly isFinal: boolean;
  /** From then on nobody can confirm it; null: it is final, or waits without an end. */
  readonly expiresAt: string | null;
  readonly offset: string;
  readonly contentSha256: string;
  readonly at: string;
  readonly action: ReturnType<typeof actionView>;
  readonly confirmed: { readonly at: string; readonly action: ReturnType<typeof actionView> } | null;
}

export function isItemOpen({ settledAtMs, resolution }: Pick<Item, "settledAtMs" | "resolution">): boolean {
  return settledAtMs === null && resolution?.isFinal !== true;
}

/** Whether somebody proposed how the item ended, and another person can still confirm it; `nowMs` null: not known. */
export function isConfirmable(item: Pick<Item, "settledAtMs" | "resolution">, nowMs: number | null): boolean {
  const expiresAtMs = item.resolution?.expiresAtMs ?? null;
  return isItemOpen(item) && item.resolution !== null && (expiresAtMs === null || nowMs === null || nowMs < expiresAtMs);
}

/** Whether the decision with this id resolved an item, and another person can still confirm it. */
export function isConfirmationAwaited(
  items: readonly Pick<Item, "settledAtMs" | "resolution">[],
  action: string,
  nowMs: number | null,
): boolean {
  return items.some((item) => isConfirmable(item, nowMs) && item.resolution?.action.id === action);
}

export function itemView(item: Item): ItemView {
  const { day, row, cause, state, madeAtMs, settledAtMs, evidence, lateAnswers, resolution, note } = item;
  return {
    day,
    row,
    cause,
    state,
    isOpen: isItemOpen(item),
    madeAt: formatInstant(madeAtMs),
    settledAt: formatOptionalInstant(settledAtMs),
    evidence,
    lateAnswers: lateAnswers.map(({ atMs, text }) => ({ at: formatInstant(atMs), text })),
    resolution: resolution === null ? null : resolutionView(resolution),
    note: note === null ? null : noteView(note),
  };
}

function noteView({ action, assignee, offset, atMs }: ItemNote): ItemNoteView {
  return { at: formatInstant(atMs), offset: String(offset), assignee, action: actionView(action) };
}

function resolutionView({ kind, replacedBy, isFinal, expiresAtMs, offset, atMs, action, confirmed }: Resolution): ResolutionView {
  return {
    kind: kind.toUpperCase().replace("-", "_"),
    replacedBy,
    isFinal,
    expiresAt: formatOptionalInstant(expiresAtMs),
    offset: String(offset),
    contentSha256: action.contentSha256,
    at: formatInstant(atMs),
    action: actionView(action),
    confirmed: confirmed === null ? null : { at: formatInstant(confirmed.atMs), action: actionView(confirmed.action) },
  };
}
