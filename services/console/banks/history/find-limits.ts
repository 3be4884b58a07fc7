// What limits the addresses of all receivers now, as the services that call them have stored it.

import { loadReceiverStatuses, type ReceiverStatusPorts } from "../../views/receiver-status.ts";
import type { LimitLook } from "./address-history.ts";

/** Only of addresses that something limits: the others take nothing. */
export async function findLimits(ports: ReceiverStatusPorts, nowMs: number): Promise<readonly LimitLook[]> {
  const { receivers, of } = await loadReceiverStatuses(ports, nowMs);
  return [...receivers.keys()].flatMap((receiver) =>
    of(receiver)
      .endpoints.filter(({ state }) => state !== "active")
      .map(({ service, origin, concurrency, breaker, retryAfterUntilMs }) => ({
        receiver,
        service,
        origin,
        concurrency,
        isBreakerOpen: breaker !== null,
        isRetryAfter: retryAfterUntilMs !== null,
      })),
  );
}
