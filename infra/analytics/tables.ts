// The tables of the lake: one for each topic of analysts, with all of its records.

export interface LakeTable {
  readonly name: string;
  readonly topic: string;
  /** How Iceberg partitions the table: its business date, or the day on which a delivery ended. */
  readonly partitionBy: string;
}

/** The namespace of all tables in the catalog. */
export const lakeNamespace = "sluice";

export const lakeTables: readonly LakeTable[] = [
  { name: "state_events", topic: "sluice.state-events.v1", partitionBy: "businessDate" },
  { name: "transactions", topic: "sluice.transactions.v1", partitionBy: "businessDate" },
  { name: "items", topic: "sluice.items.v1", partitionBy: "businessDate" },
  { name: "days", topic: "sluice.days.v1", partitionBy: "businessDate" },
  { name: "receipts", topic: "sluice.receipts.v1", partitionBy: "day(endedAtMs)" },
];
