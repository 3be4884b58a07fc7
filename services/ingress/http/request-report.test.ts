import { silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { expect, test } from "vitest";
import { ingressOperations } from "../operations.ts";
import { createIngressRequestReport } from "./request-report.ts";

test("the 503 of each operation is there at the first scrape, with 0", async () => {
  const metrics = createMetrics({ withProcess: false });
  createIngressRequestReport({ logger: silentLogger, metrics }, { hasLine: () => true });
  const text = await metrics.text();
  for (const { name } of ingressOperations) expect(text).toContain(`sluice_ingress_requests_total{operation="${name}",status="503"} 0`);
});
