import { type LogFields, silentLogger } from "@sluice/kernel";
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

test("a 503 is a warning that names the bank and the reason, as the runbook of the alarm says", () => {
  const lines: (readonly [string, LogFields | undefined])[] = [];
  const logger = { ...silentLogger, warn: (event: string, fields?: LogFields) => void lines.push([event, fields]) };
  const report = createIngressRequestReport({ logger, metrics: createMetrics({ withProcess: false }) }, { hasLine: () => true });
  report({
    operation: "outboundDirectDebit",
    caller: "first",
    tokenId: "t",
    remoteAddress: null,
    status: 503,
    detail: "Too much is under way",
    bytes: 1,
    tookMs: 1,
    traceparent: null,
    subject: null,
    outcome: null,
  });
  expect(lines).toMatchObject([["ingress.answered", { caller: "first", status: 503, detail: "Too much is under way" }]]);
});
