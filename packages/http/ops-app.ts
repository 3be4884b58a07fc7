// The operations side of a service, on an own port: is it alive, is it ready (and if not, why), its metrics.

import { Hono } from "hono";
import type { Metrics } from "@sluice/telemetry";
import { problem } from "./problem.ts";

export interface OpsOptions {
  readonly service: string;
  readiness(): { readonly isReady: boolean; readonly reasons: readonly string[] };
  readonly metrics: Metrics;
}

export function opsApp(options: OpsOptions): { fetch(request: Request): Response | Promise<Response> } {
  const { service, metrics } = options;
  const app = new Hono();
  const ready = metrics.gauge("sluice_service_ready", "Whether the service is ready: 1, or 0 while it says why not at /readyz");
  app.get("/livez", (context) => context.json({ service, isAlive: true }));
  app.get("/readyz", (context) => {
    const { isReady, reasons } = options.readiness();
    return context.json({ service, isReady, reasons }, isReady ? 200 : 503);
  });
  app.get("/metrics", async (context) => {
    ready.set(options.readiness().isReady ? 1 : 0);
    return context.body(await metrics.text(), 200, { "content-type": "text/plain; version=0.0.4" });
  });
  app.notFound(() => problem(404, "Not found", "Here are /livez, /readyz and /metrics."));
  return { fetch: (request) => app.fetch(request) };
}
