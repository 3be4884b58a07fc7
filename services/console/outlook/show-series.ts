// showSeries: what was accepted, delivered, held and not acknowledged, minute by minute, and when it is over at this
// rate.

import type { ControlHandler } from "../http/control-handler.ts";
import { formatInstant } from "../http/bank-answer.ts";
import { isPartyId } from "../queries/parse-search-terms.ts";
import { formatOptionalInstant, invalidRequest } from "../views/control-values.ts";
import { everybody } from "./latencies.ts";
import { countAt, findTrend, rates, type Series, type SeriesPoint, type Trend } from "./series.ts";

interface SeriesPorts {
  readonly series: Series;
  readonly brokerNowMs: () => number | null;
}

export function showSeries({ series, brokerNowMs }: SeriesPorts): ControlHandler {
  return async ({ query }) => {
    const bank = query.get("bank");
    if (bank !== null && !isPartyId(bank)) return invalidRequest("bank: the id of a bank or connector.");
    const points = series.list();
    const held = (point: SeriesPoint): number => countAt(point.held, bank);
    const waiting = (point: SeriesPoint): number => countAt(point.waiting, bank);
    const nowMs = brokerNowMs();
    const accepted = rates(points, (point) => point.accepted, nowMs);
    const delivered = rates(points, (point) => point.delivered, nowMs);
    return await Promise.resolve({
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
        looksSince: formatOptionalInstant(series.looksSinceMs()),
        breakerChanges: series
          .breakers()
          .filter((one) => bank === null || one.bank === bank)
          .map(({ atMs, bank: of, isOpen, why }) => ({ at: formatInstant(atMs), bank: of, isOpen, why })),
        heldTrend: trendView(findTrend(points, held)),
        waitingTrend: trendView(findTrend(points, waiting)),
      },
    });
  };
}

function trendView(trend: Trend | null) {
  return trend === null ? null : { perMinute: trend.perMinute, emptyAt: formatOptionalInstant(trend.emptyAtMs) };
}
