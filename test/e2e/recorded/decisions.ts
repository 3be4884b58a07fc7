// Reads operators' decisions from the raw journal, and the notes of them in the store.

import type { HistoryEntry, RecordEntry } from "@sluice/checker";
import { topics } from "@sluice/contracts";
import type { E2eEnvironment } from "../environment/environment.ts";

interface JournalledAction {
  readonly key: string;
  /** The number of records with this id. */
  readonly count: number;
}

/** Returns the operators' actions by the id of the decision. */
export function findActions(history: readonly HistoryEntry[]): ReadonlyMap<string, JournalledAction> {
  const actions = new Map<string, JournalledAction>();
  for (const { key, value } of journalRecords(history)) {
    const { action } = value;
    if (typeof action !== "object" || action === null || !("id" in action)) continue;
    const id = String(action.id);
    actions.set(id, { key: key ?? "", count: (actions.get(id)?.count ?? 0) + 1 });
  }
  return actions;
}

const dayMarkerTypes = new Set(["WindowOpened", "WindowClosed", "CreditsDeclared", "GateOpened", "DayReconciled"]);
const bankMarkerTypes = new Set(["BankPaused", "BankResumed"]);

/** Returns the numbers of the markers of a date and of banks, each once, without its copies. */
export function findMarkerNumbers(history: readonly HistoryEntry[], businessDate: string): Readonly<Record<string, readonly number[]>> {
  const found = new Map<string, Set<number>>();
  for (const { type, value } of journalRecords(history)) {
    const isOfDay = dayMarkerTypes.has(type) && value["businessDate"] === businessDate && value["scheme"] === "ZA_EFT";
    if (!isOfDay && !bankMarkerTypes.has(type)) continue;
    const name = isOfDay ? type : `${type} ${String(value["bank"])}`;
    found.set(name, (found.get(name) ?? new Set()).add(Number(value["number"])));
  }
  return Object.fromEntries([...found].map(([name, numbers]) => [name, [...numbers].toSorted((a, b) => a - b)]));
}

export interface RecordedDecision {
  readonly action: { readonly id: string };
  readonly result: string;
}

/** Loads the notes of the transaction, the day or the bank that a key names. */
export async function loadDecisionNotes({ store }: E2eEnvironment, key: string): Promise<readonly RecordedDecision[]> {
  const [, bank] = /^bank:(.+)$/.exec(key) ?? [];
  if (bank !== undefined) return (await store.banks.load([bank])).get(bank)?.decisions ?? [];
  if (key.includes(":")) return (await store.days.load([key])).get(key)?.decisions ?? [];
  return (await store.transactions.load([key])).get(key)?.transaction.decisions ?? [];
}

function journalRecords(history: readonly HistoryEntry[]): readonly RecordEntry[] {
  return history.filter((entry) => entry.kind === "record").filter(({ topic }) => topic === topics.journal);
}
