// The operations endpoints of a service on a port of their own: liveness, readiness with its reasons, and metrics.
//
// #1 `since` is when the answer of `/readyz` was first seen to change to what it is: as near as somebody asks.

import { Hono } from "hono";
import type { BlockedPosition, Metrics, Readiness } from "@sluice/kernel";
import { problemResponse } from "./http/problem.ts";
import { listRoutes, type ServedRoute } from "./http/served-routes.ts";

export interface OpsOptions {
  readonly service: string;
  readiness(): Readiness;
  readonly metrics: Metrics;
  readonly nowMs: () => number;
}

export interface OpsApp {
  readonly routes: readonly ServedRoute[];
  fetch(request: Request): Response | Promise<Response>;
}

export function createOpsApp(options: OpsOptions): OpsApp {
  const { service, metrics } = options;
  const readiness = watchReadiness(options);
  const app = new Hono();
  const ready = metrics.gauge("sluice_service_ready", "1 if the service is ready, otherwise 0; /readyz names the reasons.");
  metrics.gauge("sluice_service_info", "1, for each process of a service.", ["service"]).set(1, { service });
  app.get("/livez", (context) => context.json({ service, isAlive: true }));
  app.get("/readyz", (context) => {
    const { isReady, reasons, blocked, sinceMs } = readiness();
    const since = new Date(sinceMs).toISOString();
    const body = { service, isReady, reasons, since, ...(blocked === undefined ? {} : { blocked: blocked.map(blockedView) }) };
    return context.json(body, isReady ? 200 : 503);
  });
  app.get("/metrics", async (context) => {
    ready.set(readiness().isReady ? 1 : 0);
    return context.body(await metrics.text(), 200, { "content-type": "text/plain; version=0.0.4" });
  });
  app.notFound(() => problemResponse(404, "Not found", "Here are /livez, /readyz and /metrics."));
  return { routes: listRoutes(app), fetch: (request) => app.fetch(request) };
}

/** #1 */
function watchReadiness(options: OpsOptions): () => Readiness & { readonly sinceMs: number } {
  let seen = "";
  let sinceMs = options.nowMs();
  return () => {
    const now = options.readiness();
    // A reason may have an age in it, which grows while nothing else changes.
    const shown = JSON.stringify([now.isReady, now.reasons.map((reason) => reason.replaceAll(/\d+ (?=ms|s\b)/g, ""))]);
    if (seen !== shown) [seen, sinceMs] = [shown, options.nowMs()];
    return { ...now, sinceMs };
  };
}

function blockedView({ offset, sinceMs, ...rest }: BlockedPosition) {
  return { ...rest, offset: String(offset), since: new Date(sinceMs).toISOString() };
}
