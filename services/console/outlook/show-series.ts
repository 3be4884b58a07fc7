// showSeries: what was accepted, delivered, held and not acknowledged, minute by minute, and when it is over at this
// rate; when breakers opened and closed, as the services that call the endpoints have kept it; and of one receiver a
// day of its addresses, in quarters of an hour.

import type { Configuration } from "@sluice/config";
import type { EndpointHealth, Store } from "@sluice/store";
import type { AddressHistory } from "../banks/history/address-history.ts";
import { historyView } from "../banks/history/history-view.ts";
import type { ControlHandler } from "../http/control-handler.ts";
import { formatInstant } from "../http/bank-answer.ts";
import { isPartyId } from "../queries/parse-search-terms.ts";
import { formatOptionalInstant, invalidRequest } from "../views/control-values.ts";
import { everybody } from "./latencies.ts";
import { countAt, findTrend, rates, type Series, type SeriesPoint, type Trend } from "./series.ts";

interface SeriesPorts {
  readonly series: Series;
  readonly history: AddressHistory;
  readonly configuration: Pick<Configuration, "banks" | "connectors">;
  readonly store: Pick<Store, "endpointHealth">;
  readonly brokerNowMs: () => number | null;
}

const changesShownMs = 24 * 3_600_000;

export function showSeries({ series, history, configuration, store, brokerNowMs }: SeriesPorts): ControlHandler {
  return async ({ query }) => {
    const bank = query.get("bank");
    if (bank !== null && !isPartyId(bank)) return invalidRequest("bank: the id of a bank or connector.");
    const health = await store.endpointHealth.all(null);
    const points = series.list();
    const held = (point: SeriesPoint): number => countAt(point.held, bank);
    const waiting = (point: SeriesPoint): number => countAt(point.waiting, bank);
    const nowMs = brokerNowMs();
    const accepted = rates(points, (point) => point.accepted, nowMs);
    const delivered = rates(points, (point) => point.delivered, nowMs);
    return {
      kind: "found",
      body: {
        schema: "Series",
        asOf: formatOptionalInstant(nowMs),
        bank,
        since: formatOptionalInstant(points[0]?.atMs ?? null),
        points: points.map((point, index) => ({
          at: formatInstant(point.atMs),
          accepted: bank === null ? (accepted[index] ?? null) : null,
          delivered: bank === null ? (delivered[index] ?? null) : null,
          held: held(point),
          waiting: waiting(point),
          medianMs: point.latencies.get(bank ?? everybody)?.medianMs ?? null,
          slowMs: point.latencies.get(bank ?? everybody)?.slowMs ?? null,
        })),
        breakerChanges: listChanges(health, bank, nowMs),
        history: bank === null || nowMs === null ? null : historyView(history, configuration, bank, nowMs),
        heldTrend: trendView(findTrend(points, held)),
        waitingTrend: trendView(findTrend(points, waiting)),
      },
    };
  };
}

function trendView(trend: Trend | null) {
  return trend === null ? null : { perMinute: trend.perMinute, emptyAt: formatOptionalInstant(trend.emptyAtMs) };
}

/** Of the last 24 hours, the oldest first. */
function listChanges(health: readonly EndpointHealth[], bank: string | null, nowMs: number | null) {
  const all = health.flatMap(({ service, receiverId, origin, changes }) => changes.map((one) => ({ ...one, service, receiverId, origin })));
  return all
    .filter(({ receiverId, atMs }) => (bank === null || receiverId === bank) && atMs > (nowMs ?? 0) - changesShownMs)
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ atMs, receiverId, service, origin, reason }) => ({
      at: formatInstant(atMs),
      bank: receiverId,
      service,
      address: origin,
      isOpen: reason !== null,
      reason,
    }));
}
