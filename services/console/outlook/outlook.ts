// The overview, and what it was before, made once for everybody who asks this process.
//
// #1 A look every `lookEveryMs` keeps the series whole also while nobody asks. It costs what one reader costs.
// #2 A look that fails leaves its minute out: a store that is not available has an alarm of its own.

import { Fault, type Logger } from "@sluice/kernel";
import type { Serde } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";
import { createAddressHistory, type AddressHistory } from "../banks/history/address-history.ts";
import { findLimits } from "../banks/history/find-limits.ts";
import { createDateTotals, type DateTotals } from "./date-totals.ts";
import { createLatencies } from "./latencies.ts";
import { createParkedCounts, type ParkedCounts } from "../queries/parked-counts.ts";
import { createSeries, type Series } from "./series.ts";
import { createOverview, type Overview, type OverviewPorts } from "./show-overview.ts";

export interface Outlook {
  readonly counts: ParkedCounts;
  readonly dates: DateTotals;
  readonly overview: Overview;
  readonly series: Series;
  readonly history: AddressHistory;
  stop(): void;
}

export type OutlookPorts = Omit<OverviewPorts, "counts" | "dates" | "messaging"> & {
  readonly logger: Logger;
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Serde;
};

const lookEveryMs = 10_000;
/** The first look counts before a person asks. */
const firstLookAfterMs = 1_000;

export function createOutlook(ports: OutlookPorts): Outlook {
  const { time, logger } = ports;
  const counts = createParkedCounts(ports);
  const dates = createDateTotals(ports);
  const overview = createOverview({ ...ports, counts, dates });
  const series = createSeries();
  const history = createAddressHistory();
  const latencies = createLatencies({
    ...ports,
    onAcknowledged: (receiver, operation, tookMs) => {
      const nowMs = ports.brokerNowMs();
      if (nowMs !== null) history.acknowledged(receiver, operation, tookMs, nowMs);
    },
  });
  let isStopped = false;
  let timer = time.after(firstLookAfterMs, () => void look());

  function report(error: unknown): void {
    if (!(error instanceof Fault)) logger.error("console.failed", { operation: "lookAtNumbers", error });
  }

  async function lookAtLimits(): Promise<void> {
    const nowMs = ports.brokerNowMs();
    if (nowMs !== null) history.limited(await findLimits(ports, nowMs), nowMs);
  }

  async function look(): Promise<void> {
    // The log and the store may take long, and the series does not wait for them.
    latencies.look().catch(report);
    lookAtLimits().catch(report);
    try {
      series.record(await overview.read(null), () => latencies.take());
    } catch (error) {
      report(error);
    }
    if (!isStopped) timer = time.after(lookEveryMs, () => void look());
  }

  return {
    counts,
    dates,
    overview,
    series,
    history,
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}
