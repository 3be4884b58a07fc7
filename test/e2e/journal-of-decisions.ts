// What operators asked, as the raw journal holds it, and what their aggregates noted.

import type { HistoryEntry, RecordEntry } from "@sluice/checker";
import { topics } from "@sluice/contracts";
import type { World } from "./world.ts";

interface Asked {
  readonly key: string;
  /** Records under this id. */
  readonly count: number;
}

/** By the id of the decision. */
export function actionsIn(history: readonly HistoryEntry[]): ReadonlyMap<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const { key, value } of journalOf(history)) {
    const { action } = value;
    if (typeof action !== "object" || action === null || !("id" in action)) continue;
    const id = String(action.id);
    asked.set(id, { key: key ?? "", count: (asked.get(id)?.count ?? 0) + 1 });
  }
  return asked;
}

const ofDays = new Set(["WindowOpened", "WindowClosed", "CreditsDeclared", "GateOpened", "DayReconciled"]);
const ofBanks = new Set(["BankPaused", "BankResumed"]);

/** Numbers of the markers of a date and of banks, each once, whatever the number of its copies. */
export function markersIn(history: readonly HistoryEntry[], businessDate: string): Readonly<Record<string, readonly number[]>> {
  const found = new Map<string, Set<number>>();
  for (const { type, value } of journalOf(history)) {
    const isOfDay = ofDays.has(type) && value["businessDate"] === businessDate && value["scheme"] === "ZA_EFT";
    if (!isOfDay && !ofBanks.has(type)) continue;
    const name = isOfDay ? type : `${type} ${String(value["bank"])}`;
    found.set(name, (found.get(name) ?? new Set()).add(Number(value["number"])));
  }
  return Object.fromEntries([...found].map(([name, numbers]) => [name, [...numbers].toSorted((a, b) => a - b)]));
}

export interface Note {
  readonly action: { readonly id: string };
  readonly result: string;
}

/** Of the transaction, the day or the bank that a key names. */
export async function notesOn({ store }: World, key: string): Promise<readonly Note[]> {
  const [, bank] = /^bank:(.+)$/.exec(key) ?? [];
  if (bank !== undefined) return (await store.banks.load([bank])).get(bank)?.decisions ?? [];
  if (key.includes(":")) return (await store.days.load([key])).get(key)?.decisions ?? [];
  return (await store.transactions.load([key])).get(key)?.transaction.decisions ?? [];
}

function journalOf(history: readonly HistoryEntry[]): readonly RecordEntry[] {
  return history.filter((entry) => entry.kind === "record").filter(({ topic }) => topic === topics.journal);
}
