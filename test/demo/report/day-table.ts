// The tables at the end of the demo: all debits and credits by bank and final state, the special ones, and the
// reconciliation list. They are functions of the evidence.

import type { Item } from "@sluice/domain";
import { type DayEvidence, decimalText } from "../check/day.ts";
import { isBulkKind } from "../plan/day.ts";

export interface TableRow {
  readonly bank: string;
  readonly character: string;
  readonly flow: string;
  readonly state: string;
  readonly count: number;
  /** Sum of the amounts, as decimal text. */
  readonly sum: string;
}

const flowText = { "on-us": "on-us debit", "off-us": "off-us debit", credit: "credit" } as const;

export interface ListedItem {
  readonly uetr: string;
  readonly bank: string;
  readonly amount: string;
  readonly row: number | null;
  readonly cause: string | null;
  /** State of the transaction at the close. */
  readonly stateAtClose: string;
  readonly attempts: number | null;
  readonly lastAnswer: number | null;
  /** What operators found, and who; null before the resolution. */
  readonly found: string | null;
}

export function buildDayTable({ day, snapshots }: DayEvidence): readonly TableRow[] {
  return day.banks.flatMap(({ id, character }) => {
    const ended = day.transactions
      .filter(({ bank }) => bank === id)
      .map(({ uetr, flow }) => ({
        flow: flowText[flow],
        state: snapshots.get(uetr)?.state ?? "(lost)",
        sum: snapshots.get(uetr)?.amountTenThousandths ?? 0n,
      }));
    return [...Map.groupBy(ended, ({ flow, state }) => `${flow} ${state}`).values()]
      .map((those) => ({
        bank: id,
        character,
        flow: those[0]?.flow ?? "",
        state: those[0]?.state ?? "",
        count: those.length,
        sum: decimalText(those.reduce((total, { sum }) => total + sum, 0n)),
      }))
      .toSorted((a, b) => (`${a.flow} ${a.state}` < `${b.flow} ${b.state}` ? -1 : 1));
  });
}

export function buildReconciliationList({ day, snapshots }: DayEvidence): readonly ListedItem[] {
  return day.transactions.flatMap(({ uetr, bank, amount }) =>
    (snapshots.get(uetr)?.items ?? []).map((item) => ({
      uetr,
      bank,
      amount,
      row: item.row,
      cause: item.cause,
      stateAtClose: item.state,
      attempts: item.evidence?.attempts ?? null,
      lastAnswer: item.evidence?.httpStatusCode ?? null,
      found: foundText(item),
    })),
  );
}

/** Items that no second person has confirmed a finding for. */
export function countOpenItems({ day, snapshots }: DayEvidence): number {
  const items = day.transactions.flatMap(({ uetr }) => snapshots.get(uetr)?.items ?? []);
  return items.filter(({ settledAtMs, resolution }) => settledAtMs === null && resolution?.isFinal !== true).length;
}

function foundText({ resolution }: Item): string | null {
  if (resolution === null) return null;
  const { kind, action, confirmed } = resolution;
  return `${kind.toUpperCase().replace("-", "_")} (${[action.operator, ...(confirmed === null ? [] : [confirmed.action.operator])].join(", ")})`;
}

export interface SpecialDebit {
  readonly uetr: string;
  readonly bank: string;
  readonly kind: string;
  readonly messageIdentification: string;
  /** How often the same bytes were posted. */
  readonly posts: number;
  readonly state: string;
  /** Kinds of messages that were recorded without effect. */
  readonly observations: readonly string[];
}

/** Lists every debit and credit that is not one of the many good ones, by kind. */
export function listSpecialDebits({ day, snapshots }: DayEvidence): readonly SpecialDebit[] {
  return day.transactions
    .filter(({ kind }) => !isBulkKind(kind))
    .toSorted((a, b) => (a.kind === b.kind ? 0 : a.kind < b.kind ? -1 : 1))
    .map(({ uetr, bank, kind, messageIdentification, posts }) => {
      const snapshot = snapshots.get(uetr);
      const observations = snapshot?.observations.last.map((observation) => observation.kind) ?? [];
      return {
        uetr,
        bank,
        kind: kind.replaceAll("-", " "),
        messageIdentification,
        posts,
        state: snapshot?.state ?? "(lost)",
        observations,
      };
    });
}
