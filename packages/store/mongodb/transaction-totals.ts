// Counts and sums on MongoDB. The server adds up, unless a sum could exceed 64 bits, where a server returns a rounded
// double; then the documents are added up here.

import type { Collection, Filter } from "mongodb";
import { groupsMax } from "../bounds.ts";
import { runGuarded } from "./mongodb-faults.ts";
import type { TotalsRow, TransactionQuery } from "../port.ts";
import type { MongoTransaction } from "../documents/transaction-document.ts";
import { toMongoFilter } from "../documents/transaction-query.ts";
import { createTotals, assertGroups, totalsFields } from "../documents/transaction-totals.ts";

const batchDocuments = 1_000;
const int64Max = 2n ** 63n - 1n;

const group = {
  $group: {
    _id: { bank: "$bank", scheme: "$scheme", businessDate: "$businessDate", currency: "$currency", flow: "$flow", state: "$state" },
    count: { $sum: 1 },
    sum: { $sum: "$amountTenThousandths" },
    greatest: { $max: "$amountTenThousandths" },
    oldest: { $min: "$receivedAt" },
  },
};

interface Group {
  readonly _id: Pick<TotalsRow, "bank" | "scheme" | "businessDate" | "currency" | "flow" | "state">;
  readonly count: number | bigint;
  readonly sum: number | bigint;
  /** Null for orphans, which have no amount. */
  readonly greatest: number | bigint | null;
  readonly oldest: Date;
}

export async function readMongoTotals(
  collection: Collection<MongoTransaction>,
  query: TransactionQuery,
  among: Filter<MongoTransaction>,
): Promise<readonly TotalsRow[]> {
  const asked: Filter<MongoTransaction> = { $and: [toMongoFilter(query), among] };
  return runGuarded("transactions.totals", "read", async () => {
    const stages = [{ $match: asked }, group, { $limit: groupsMax + 1 }];
    const groups = await collection.aggregate<Group>(stages, { batchSize: batchDocuments }).toArray();
    assertGroups(groups.length);
    const isExact = groups.every(({ count, greatest }) => BigInt(count) * BigInt(greatest ?? 0) <= int64Max);
    return isExact ? groups.map(toTotals) : addUpHere(collection, asked);
  });
}

function toTotals({ _id, count, sum, oldest }: Group): TotalsRow {
  const { bank, scheme, businessDate, currency, flow, state } = _id;
  return {
    bank,
    scheme,
    businessDate,
    currency,
    flow,
    state,
    count: Number(count),
    sumTenThousandths: BigInt(sum),
    oldestReceivedAtMs: oldest.getTime(),
  };
}

async function addUpHere(collection: Collection<MongoTransaction>, asked: Filter<MongoTransaction>): Promise<readonly TotalsRow[]> {
  const totals = createTotals();
  for await (const stored of collection.find(asked, { projection: totalsFields, batchSize: batchDocuments })) totals.add(stored);
  return totals.rows();
}
