// The overview, and what it was before, made once for everybody who asks this process.
//
// #1 A look every `lookEveryMs` keeps the series whole also while nobody asks. It costs what one reader costs.
// #2 A look that fails leaves its minute out: a store that is not available has an alarm of its own.

import { Fault, type Logger } from "@sluice/kernel";
import { createParkedCounts, type ParkedCounts } from "../queries/parked-counts.ts";
import { createSeries, type Series } from "./series.ts";
import { createOverview, type Overview, type OverviewPorts } from "./show-overview.ts";

export interface Outlook {
  readonly counts: ParkedCounts;
  readonly overview: Overview;
  readonly series: Series;
  stop(): void;
}

export type OutlookPorts = Omit<OverviewPorts, "counts"> & { readonly logger: Logger };

const lookEveryMs = 10_000;

export function createOutlook(ports: OutlookPorts): Outlook {
  const { time, logger } = ports;
  const counts = createParkedCounts(ports);
  const overview = createOverview({ ...ports, counts });
  const series = createSeries();
  let isStopped = false;
  let timer = time.after(lookEveryMs, () => void look());

  async function look(): Promise<void> {
    try {
      series.record(await overview.read());
    } catch (error) {
      if (!(error instanceof Fault)) logger.error("console.failed", { operation: "lookAtNumbers", error });
    }
    if (!isStopped) timer = time.after(lookEveryMs, () => void look());
  }

  return {
    counts,
    overview,
    series,
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}
