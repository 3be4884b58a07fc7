// A page of parked messages: first deliveries and then event postings, each by (receiver, offset).

import type { Day } from "@sluice/domain";
import type { ParkedCursor, ParkedRow, Store } from "@sluice/store";

export interface FoundMessage {
  readonly kind: "delivery" | "posting";
  readonly row: ParkedRow;
}

export interface ParkedPageQuestion {
  /** Null: all receivers. */
  readonly receiverId: string | null;
  /** The last message of the page before; null: this is the first page. */
  readonly after: (ParkedCursor & Pick<FoundMessage, "kind">) | null;
  readonly limit: number;
  /** Messages that were attempted less often are left out. */
  readonly attemptsMin: number;
}

export async function loadParkedPage(
  { deliveries, postings }: Pick<Store, "deliveries" | "postings">,
  { receiverId, after, limit, attemptsMin }: ParkedPageQuestion,
): Promise<readonly FoundMessage[]> {
  const found: FoundMessage[] = [];
  if (after?.kind !== "posting") {
    const rows = await deliveries.listByReceiver(receiverId, after, limit, attemptsMin);
    found.push(...rows.map((row) => ({ kind: "delivery" as const, row })));
  }
  if (found.length < limit) {
    const from = after?.kind === "posting" ? after : null;
    const rows = await postings.listByReceiver(receiverId, from, limit - found.length, attemptsMin);
    found.push(...rows.map((row) => ({ kind: "posting" as const, row })));
  }
  return found;
}

/** Loads the days whose closes end the wait of these messages. */
export async function loadClosingDays({ days }: Pick<Store, "days">, found: readonly FoundMessage[]): Promise<ReadonlyMap<string, Day>> {
  const keys = found.flatMap(({ row }) => (row.reconciliationDay === null ? [] : [row.reconciliationDay]));
  return await days.load([...new Set(keys)]);
}
