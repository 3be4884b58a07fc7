// The document of the collection `addresses`: what a service knows of the health of one endpoint.

import type { EndpointHealth } from "../port.ts";

export interface StoredEndpointHealth {
  /** No part contains a blank, so the documents sort by (service, receiver, origin). */
  readonly _id: string;
  readonly service: string;
  readonly bank: string;
  readonly address: string;
  readonly breaker: { readonly since: Date; readonly reason: string } | null;
  readonly concurrency: number;
  readonly gateUntil: Date | null;
  readonly updatedAt: Date;
}

export function toStoredEndpointHealth(standing: EndpointHealth): StoredEndpointHealth {
  const { service, receiverId, origin, breaker, concurrency, retryAfterUntilMs, updatedAtMs } = standing;
  return {
    _id: `${service} ${receiverId} ${origin}`,
    service,
    bank: receiverId,
    address: origin,
    breaker: breaker === null ? null : { since: new Date(breaker.sinceMs), reason: breaker.reason },
    concurrency,
    gateUntil: retryAfterUntilMs === null ? null : new Date(retryAfterUntilMs),
    updatedAt: new Date(updatedAtMs),
  };
}

export function fromStoredEndpointHealth(stored: StoredEndpointHealth): EndpointHealth {
  const { service, bank, address, breaker, concurrency, gateUntil, updatedAt } = stored;
  return {
    service,
    receiverId: bank,
    origin: address,
    breaker: breaker === null ? null : { sinceMs: breaker.since.getTime(), reason: breaker.reason },
    concurrency,
    retryAfterUntilMs: gateUntil?.getTime() ?? null,
    updatedAtMs: updatedAt.getTime(),
  };
}
