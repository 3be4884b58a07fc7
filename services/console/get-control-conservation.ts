// showConservation: whether all that was accepted on a day is accounted for (I11): the ledgers of all lanes, added up, and each lane's against
// an independent count of its documents.
//
// #1 A large day takes longer to count than a question may take, so the answer is sent when it is there, in one piece, behind its head. A store
//    that is away at the beginning is 503; one that goes away while it is counted breaks the answer off.

import type { LedgerRow } from "@sluice/domain";
import { conservationOf, type DayConservation, type Store } from "@sluice/store";
import type { ControlHandler } from "./control-handler.ts";
import { invalid, isDayKey, moneyText, timeText } from "./control-values.ts";

export interface ConservationPorts {
  readonly store: Pick<Store, "transactions" | "ledgers" | "lanes" | "days">;
  readonly agreedNowMs: () => number | null;
}

export function showConservation({ store, agreedNowMs }: ConservationPorts): ControlHandler {
  return async ({ query }) => {
    const day = query.get("day") ?? "";
    if (!isDayKey(day)) return invalid("day: a day, for example ZA_EFT:2026-11-20.");
    const isKnown = (await store.ledgers.ofDay(day)).length > 0 || (await store.days.load([day])).has(day);
    if (!isKnown) return { kind: "refused", status: 404, message: "Not known", detail: "Nothing was accepted on this day." };
    const asOf = timeText(agreedNowMs());
    return { kind: "text", contentType: "application/json", text: counted(store, day, asOf) };
  };
}

async function* counted(store: ConservationPorts["store"], day: string, asOf: string | null): AsyncGenerator<string> {
  const found = await conservationOf(store, day);
  yield `${JSON.stringify({ schema: "Conservation", asOf, ...conservationView(found) })}\n`;
}

function conservationView({ day, isWhole, rows, lanes }: DayConservation) {
  return {
    day,
    isWhole,
    rows: rows.map(rowView),
    lanes: lanes.map(({ lane, offset, isWhole: isLaneWhole, findings }) => ({
      lane,
      offset: String(offset),
      isWhole: isLaneWhole,
      findings,
    })),
  };
}

/** A column that is not named is empty. */
function rowView({ bank, currency, columns }: LedgerRow) {
  const cells = Object.entries(columns).map(
    ([column, { count, sumTenThousandths }]) => [column, { count, sum: moneyText(sumTenThousandths, currency) }] as const,
  );
  return { bank, currency, columns: Object.fromEntries(cells) };
}
