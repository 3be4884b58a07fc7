// Conservation (I11): the ledger of a lane and day against itself, and against an independent count of the documents.
//
// 1. A document is counted by its entries below the offset that the ledger speaks of, so lanes go on while they are counted.
// 2. The ledger of a day is complete below its own `through`, and says that nothing moved from there to the lane's position.

import { DayLedger, differencesOf, imbalancesOf, standingBelow } from "@sluice/domain";
import type { DayKey, LedgerRow } from "@sluice/domain";
import { pageMax } from "./bounds.ts";
import type { Store, TransactionStore } from "./port.ts";

export interface LaneConservation {
  readonly lane: number;
  /** All below is counted. */
  readonly offset: bigint;
  readonly isWhole: boolean;
  /** What is not so: bank, currency, column; no account, no UETR. At most `findingsMax`. */
  readonly findings: readonly string[];
  readonly rows: readonly LedgerRow[];
}

export interface DayConservation {
  readonly day: DayKey;
  readonly isWhole: boolean;
  readonly lanes: readonly LaneConservation[];
  /** Ledgers of all lanes, added up. */
  readonly rows: readonly LedgerRow[];
}

export const findingsMax = 20;

export interface LaneCount {
  readonly lane: number;
  readonly day: DayKey;
  readonly offset: bigint;
  /** Of the ledger. */
  readonly rows: readonly LedgerRow[];
}

/** Counts the documents of a lane and day below an offset, and compares. */
export async function conservationOfLane(
  transactions: Pick<TransactionStore, "accounted">,
  { lane, day, offset, rows }: LaneCount,
): Promise<LaneConservation> {
  const counted = await countDocuments(transactions, lane, day, offset);
  const unbalanced = rows.flatMap((row) => imbalancesOf(row).map((text) => `${row.currency}:${row.bank} ${text}`));
  const differing = differencesOf(rows, counted).map((text) => `${text} by the documents`);
  const findings = [...unbalanced, ...differing];
  return { lane, offset, isWhole: findings.length === 0, findings: findings.slice(0, findingsMax), rows };
}

async function countDocuments(
  transactions: Pick<TransactionStore, "accounted">,
  lane: number,
  day: DayKey,
  offset: bigint,
): Promise<readonly LedgerRow[]> {
  const counted = new DayLedger();
  let after: string | null = null;
  do {
    const found = await transactions.accounted(lane, day, after, pageMax);
    for (const transaction of found) {
      for (const movement of standingBelow(transaction, offset)) if (movement.day === day) counted.add(movement);
    }
    after = found.length === pageMax ? (found.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
  return counted.rows();
}

/** All lanes of a day, each at its position. Reads only; for people. */
export async function conservationOf(store: Pick<Store, "transactions" | "ledgers" | "lanes">, day: DayKey): Promise<DayConservation> {
  // Positions first: a ledger read after them is at least as new.
  const positions = await store.lanes.list("scheduler");
  const ledgers = new Map((await store.ledgers.ofDay(day)).map((ledger) => [ledger.lane, ledger]));
  const lanes: LaneConservation[] = [];
  const total = new DayLedger();
  for (const { partition: lane, position } of positions) {
    const ledger = ledgers.get(lane);
    const through = ledger?.through ?? 0n;
    const offset = through > position ? through : position;
    const rows = ledger?.rows ?? [];
    lanes.push(await conservationOfLane(store.transactions, { lane, day, offset, rows }));
    for (const row of rows) total.addRow(row);
  }
  return { day, isWhole: lanes.every(({ isWhole }) => isWhole), lanes, rows: total.rows() };
}
