// showConservation: whether everything that was accepted on a day is accounted for (I11). The ledgers of all partitions
// are added up, and each partition's ledger is compared with an independent count of its documents.
//
// #1 Counting a large day takes longer than a request may take, so the head of the answer is sent first and the body in
//    one piece when it is complete. A store that is not available at the beginning is 503; one that fails later breaks
//    the answer off.

import type { LedgerRow } from "@sluice/domain";
import { checkConservation, type DayConservation, type Store } from "@sluice/store";
import type { ControlHandler } from "../http/control-handler.ts";
import { invalidRequest, isDayKey, formatAmount, formatOptionalInstant } from "../views/control-values.ts";

export interface ConservationPorts {
  readonly store: Pick<Store, "transactions" | "ledgers" | "partitions" | "days">;
  readonly brokerNowMs: () => number | null;
}

export function showConservation({ store, brokerNowMs }: ConservationPorts): ControlHandler {
  return async ({ query }) => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalidRequest("day: a day, for example ZA_EFT:2026-11-20.");
    const isKnown = (await store.ledgers.listByDay(day)).length > 0 || (await store.days.load([day])).has(day);
    if (!isKnown) return { kind: "refused", status: 404, message: "Not known", detail: "Nothing was accepted on this day." };
    const asOf = formatOptionalInstant(brokerNowMs());
    return { kind: "text", contentType: "application/json", text: streamConservation(store, day, asOf) };
  };
}

async function* streamConservation(store: ConservationPorts["store"], day: string, asOf: string | null): AsyncGenerator<string> {
  const found = await checkConservation(store, day);
  yield `${JSON.stringify({ schema: "Conservation", asOf, ...conservationView(found) })}\n`;
}

function conservationView({ day, isWhole, rows, partitions }: DayConservation) {
  return {
    day,
    isWhole,
    rows: rows.map(rowView),
    partitions: partitions.map(({ partition, offset, isWhole: isPartitionWhole, findings }) => ({
      partition,
      offset: String(offset),
      isWhole: isPartitionWhole,
      findings,
    })),
  };
}

/** A column without an entry is empty. */
function rowView({ bank, currency, columns }: LedgerRow) {
  const cells = Object.entries(columns).map(
    ([column, { count, sumTenThousandths }]) => [column, { count, sum: formatAmount(sumTenThousandths, currency) }] as const,
  );
  return { bank, currency, columns: Object.fromEntries(cells) };
}
