// Conservation (I11): compares the ledger of a partition and day with itself, and with an independent count of the
// documents.
//
// #1 A document is counted by its entries below the ledger's offset, so partitions continue while they are counted.
// #2 The ledger of a day is complete below its own `through`, which also means that nothing moved from there to the
//    partition's position.

import { balanceBelow, type DayKey, DayLedger, findImbalances, findLedgerDifferences, type LedgerRow } from "@sluice/domain";
import { pageMax } from "./bounds.ts";
import type { Store, TransactionStore } from "./port.ts";

export interface PartitionConservation {
  readonly partition: number;
  /** Every record below this offset is counted. */
  readonly offset: bigint;
  readonly isWhole: boolean;
  /** The differences found: bank, currency and column, but no account and no UETR. At most `findingsMax`. */
  readonly findings: readonly string[];
  readonly rows: readonly LedgerRow[];
}

export interface DayConservation {
  readonly day: DayKey;
  readonly isWhole: boolean;
  readonly partitions: readonly PartitionConservation[];
  /** The sum of the ledgers of all partitions. */
  readonly rows: readonly LedgerRow[];
}

const findingsMax = 20;

export interface ConservationCount {
  readonly partition: number;
  readonly day: DayKey;
  readonly offset: bigint;
  /** The rows of the ledger. */
  readonly rows: readonly LedgerRow[];
}

/** Counts the documents of a partition and day below an offset, and compares them with the ledger. */
export async function checkPartitionConservation(
  transactions: Pick<TransactionStore, "accounted">,
  { partition, day, offset, rows }: ConservationCount,
): Promise<PartitionConservation> {
  const counted = await countDocuments(transactions, partition, day, offset);
  const unbalanced = rows.flatMap((row) => findImbalances(row).map((text) => `${row.currency}:${row.bank} ${text}`));
  const differing = findLedgerDifferences(rows, counted).map((text) => `${text} by the documents`);
  const findings = [...unbalanced, ...differing];
  return { partition, offset, isWhole: findings.length === 0, findings: findings.slice(0, findingsMax), rows };
}

async function countDocuments(
  transactions: Pick<TransactionStore, "accounted">,
  partition: number,
  day: DayKey,
  offset: bigint,
): Promise<readonly LedgerRow[]> {
  const counted = new DayLedger();
  let after: string | null = null;
  do {
    const found = await transactions.accounted(partition, day, after, pageMax);
    for (const transaction of found) {
      for (const movement of balanceBelow(transaction, offset)) if (movement.day === day) counted.add(movement);
    }
    after = found.length === pageMax ? (found.at(-1)?.uetr ?? null) : null;
  } while (after !== null);
  return counted.rows();
}

/** Checks all partitions of a day, each at its position. Reads only; for operators. */
export async function checkConservation(
  store: Pick<Store, "transactions" | "ledgers" | "partitions">,
  day: DayKey,
): Promise<DayConservation> {
  // Positions are read first, so that each ledger is at least as new.
  const positions = await store.partitions.list("scheduler");
  const ledgers = new Map((await store.ledgers.listByDay(day)).map((ledger) => [ledger.partition, ledger]));
  const partitions: PartitionConservation[] = [];
  const total = new DayLedger();
  for (const { partition, position } of positions) {
    const ledger = ledgers.get(partition);
    const through = ledger?.through ?? 0n;
    const offset = through > position ? through : position;
    const rows = ledger?.rows ?? [];
    partitions.push(await checkPartitionConservation(store.transactions, { partition, day, offset, rows }));
    for (const row of rows) total.addRow(row);
  }
  return { day, isWhole: partitions.every(({ isWhole }) => isWhole), partitions, rows: total.rows() };
}
