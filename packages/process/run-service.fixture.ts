// A service whose topics have twelve partitions, for the test of run-service.ts.

import { derivedNeed } from "./needs.ts";
import { requirePartitions } from "./checks/partition-check.ts";
import { runService } from "./run-service.ts";

const topicsWithTwelve = { partitionCount: async () => await Promise.resolve(12) };

runService("fixture", {
  needs: { messaging: derivedNeed(({ configuration }) => requirePartitions(topicsWithTwelve, configuration.partitionCount)) },
  start: () => ({ replaceConfiguration: () => {}, readiness: () => ({ isReady: true, reasons: [] }), stop: () => Promise.resolve() }),
});
