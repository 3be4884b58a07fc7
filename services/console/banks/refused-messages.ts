// listRefused: what a bank or connector refused for good, in the order of the topic, with the sum of its transactions.
// It is what a redrive of several messages names.
//
// #1 A bound on what is read: `readMax` messages that were attempted. The answer says where it ended before the last.
// #2 A posting that is past its time is not listed: no redrive can bring it. Neither is what an operator stopped: it is
//    redriven one by one.

import { redrivenMax } from "@sluice/contracts/decision-bodies";
import type { ParkedCursor, Store } from "@sluice/store";
import { isStoppedByOperator } from "@sluice/timeline";
import type { ControlHandler } from "../http/control-handler.ts";
import { formatAmount, formatOptionalInstant, invalidRequest } from "../views/control-values.ts";
import type { FoundMessage } from "../views/parked-page.ts";
import { attemptedView, type FailingPorts } from "../queries/list-failing.ts";

/** Messages of one receiver that one question reads at most. */
const readMax = 5_000;
const pageMax = 1_000;

export interface RefusedPorts extends FailingPorts {
  readonly store: FailingPorts["store"] & Pick<Store, "transactions">;
}

interface Refused {
  readonly found: readonly FoundMessage[];
  /** #1 */
  readonly isWhole: boolean;
}

export function listRefused(ports: RefusedPorts): ControlHandler {
  return async ({ path, query }) => {
    const target = query.get("target") ?? "DELIVERY";
    const code = query.get("httpStatusCode");
    const operation = query.get("operation");
    if (target !== "DELIVERY" && target !== "POSTING") return invalidRequest("target: DELIVERY or POSTING.");
    if (code !== null && !/^[1-5]\d\d$/.test(code)) return invalidRequest("httpStatusCode: a code, for example 422.");
    if (operation !== null && !/^\w{1,64}$/.test(operation)) return invalidRequest("operation: the name of an operation.");
    const nowMs = ports.brokerNowMs();
    const kind = target === "POSTING" ? "posting" : "delivery";
    const all = await loadRefused(ports.store, kind, path["bank"] ?? "", nowMs);
    const matching = all.found.filter(
      ({ row }) =>
        (operation === null || row.operation === operation) &&
        (code === null || row.recentAttempts.at(-1)?.httpStatusCode === Number(code)),
    );
    const found = matching.slice(0, redrivenMax);
    const sums = await sumTransactions(
      ports.store,
      found.map(({ row }) => row.uetr),
    );
    const rows = await attemptedView(ports, found, nowMs);
    const isWhole = all.isWhole && found.length === matching.length;
    return {
      kind: "found",
      body: { schema: "RefusedMessages", asOf: formatOptionalInstant(nowMs), count: rows.length, sums, rows, isWhole },
    };
  };
}

/** Reads what a receiver refused, of the messages that were attempted at least once. */
export async function loadRefused(
  store: Pick<Store, "deliveries" | "postings">,
  kind: FoundMessage["kind"],
  receiverId: string,
  nowMs: number | null,
): Promise<Refused> {
  const parked = kind === "delivery" ? store.deliveries : store.postings;
  const found: FoundMessage[] = [];
  let after: ParkedCursor | null = null;
  for (let read = 0; read < readMax; read += pageMax) {
    const rows = await parked.listByReceiver(receiverId, after, pageMax, 1);
    for (const row of rows) {
      const endsMs = row.redrive?.untilMs ?? row.deadlineMs ?? row.stopsAtMs;
      const hasExpired = kind === "posting" && endsMs !== null && nowMs !== null && endsMs <= nowMs;
      if (row.ended === "refused" && !hasExpired && !isStoppedByOperator(row)) found.push({ kind, row });
    }
    if (rows.length < pageMax) return { found, isWhole: true };
    after = rows.at(-1) ?? null;
  }
  return { found, isWhole: false };
}

/** The sums of transactions by currency, each of them counted once; an orphan has no amount. */
export async function sumTransactions(store: Pick<Store, "transactions">, uetrs: readonly string[]) {
  const loaded = await store.transactions.load([...new Set(uetrs)]);
  const sums = new Map<string, { readonly count: number; readonly sum: bigint }>();
  for (const { transaction } of loaded.values()) {
    const { currency, amountTenThousandths: amount } = transaction;
    if (currency === null || amount === null) continue;
    const before = sums.get(currency) ?? { count: 0, sum: 0n };
    sums.set(currency, { count: before.count + 1, sum: before.sum + amount });
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { count, sum }]) => ({ currency, count, sum: formatAmount(sum, currency) }));
}
