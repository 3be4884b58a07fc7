// Counts and sums on MongoDB: the server adds, unless a sum could leave 64 bits (a server then answers a rounded double); then it is
// added up here.

import type { Collection, Filter } from "mongodb";
import { groupsMax } from "./bounds.ts";
import { guarded } from "./mongodb-faults.ts";
import type { TotalsRow, TransactionQuery } from "./port.ts";
import type { MongoTransaction } from "./transactions-mongodb.ts";
import { filterOf } from "./transaction-query.ts";
import { addUp, assertGroups, totalsFields } from "./transaction-totals.ts";

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
  readonly greatest: number | bigint;
  readonly oldest: Date;
}

export async function totalsIn(
  collection: Collection<MongoTransaction>,
  query: TransactionQuery,
  among: Filter<MongoTransaction>,
): Promise<readonly TotalsRow[]> {
  const asked: Filter<MongoTransaction> = { $and: [filterOf(query), among] };
  return guarded("transactions.totals", "read", async () => {
    const stages = [{ $match: asked }, group, { $limit: groupsMax + 1 }];
    const groups = await collection.aggregate<Group>(stages, { batchSize: batchDocuments }).toArray();
    assertGroups(groups.length);
    const isExact = groups.every(({ count, greatest }) => BigInt(count) * BigInt(greatest) <= int64Max);
    return isExact ? groups.map(toTotals) : addedUp(collection, asked);
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

async function addedUp(collection: Collection<MongoTransaction>, asked: Filter<MongoTransaction>): Promise<readonly TotalsRow[]> {
  const totals = addUp();
  for await (const stored of collection.find(asked, { projection: totalsFields, batchSize: batchDocuments })) totals.add(stored);
  return totals.rows();
}
