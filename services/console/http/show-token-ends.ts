// Shows when the bearer tokens of banks, connectors and operators end, so that nobody is cut off unwarned.
//
// #1 The metric shows the `tokensShownMax` that end first. One that ended is shown for `endedShownMs`, so that the
//    alarm goes on while its caller may still be cut off, and no old entry of the file keeps a new one out.

import { type Configuration, listCallers } from "@sluice/config";
import { findLargest, type ListedMetric, type Metrics, type Time } from "@sluice/kernel";

const tokensShownMax = 50;
const endedShownMs = 7 * 86_400_000;

const endsMetric: ListedMetric = {
  name: "sluice_console_token_ends_timestamp_seconds",
  help: "When a caller's bearer token ends, in Unix time",
  kind: "gauge",
  labels: ["caller", "token"],
};

export interface TokenEndsPorts {
  readonly time: Pick<Time, "nowMs">;
  readonly metrics: Pick<Metrics, "listed">;
  readonly configuration: Configuration;
}

export function showTokenEnds({ time, metrics, configuration }: TokenEndsPorts): void {
  metrics.listed([endsMetric], () => {
    const shownFromMs = time.nowMs() - endedShownMs;
    const ends = [...listCallers(configuration), ...configuration.operators].flatMap(({ id, tokens }) =>
      tokens.flatMap((token) =>
        token.notAfterMs === null || token.notAfterMs < shownFromMs ? [] : [[{ caller: id, token: token.id }, -token.notAfterMs] as const],
      ),
    );
    return findLargest(ends, tokensShownMax).map(([labels, atMs]) => ({
      name: endsMetric.name,
      labels,
      value: Math.floor(-atMs / 1_000),
    }));
  });
}
