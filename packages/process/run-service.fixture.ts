// A service whose topics have twelve partitions, for the test of run-service.ts. Its API answers with the id of the
// certificate that the caller shows, and at `/direct` without the Fetch API with 202.

import { derivedNeed } from "./needs.ts";
import { requirePartitions } from "./checks/partition-check.ts";
import { runService } from "./run-service.ts";

const topicsWithTwelve = { partitionCount: async () => await Promise.resolve(12) };

runService("fixture", {
  needs: { messaging: derivedNeed(({ configuration }) => requirePartitions(topicsWithTwelve, "ingress", configuration.partitionCount)) },
  serves: {
    port: {
      variable: "SLUICE_HTTP_PORT",
      handlers: () => ({
        fetch: (_request, connection) => new Response(connection.certificate?.id ?? "none"),
        direct: (_method, path) => (path === "/direct" ? () => Promise.resolve({ status: 202, headers: {} }) : null),
      }),
    },
  },
  start: () => ({ replaceConfiguration: () => {}, readiness: () => ({ isReady: true, reasons: [] }), stop: () => Promise.resolve() }),
});
