// What a service has learnt of an address of a receiver, as it lies in the collection `addresses`.

import type { AddressStanding } from "./port.ts";

export interface StoredAddress {
  /** No part has a blank, so the documents lie in the order of (service, bank, address). */
  readonly _id: string;
  readonly service: string;
  readonly bank: string;
  readonly address: string;
  readonly breaker: { readonly since: Date; readonly reason: string } | null;
  readonly concurrency: number;
  readonly gateUntil: Date | null;
  readonly updatedAt: Date;
}

export function toStoredAddress(standing: AddressStanding): StoredAddress {
  const { service, bank, address, breaker, concurrency, gateUntilMs, updatedAtMs } = standing;
  return {
    _id: `${service} ${bank} ${address}`,
    service,
    bank,
    address,
    breaker: breaker === null ? null : { since: new Date(breaker.sinceMs), reason: breaker.reason },
    concurrency,
    gateUntil: gateUntilMs === null ? null : new Date(gateUntilMs),
    updatedAt: new Date(updatedAtMs),
  };
}

export function fromStoredAddress(stored: StoredAddress): AddressStanding {
  const { service, bank, address, breaker, concurrency, gateUntil, updatedAt } = stored;
  return {
    service,
    bank,
    address,
    breaker: breaker === null ? null : { sinceMs: breaker.since.getTime(), reason: breaker.reason },
    concurrency,
    gateUntilMs: gateUntil?.getTime() ?? null,
    updatedAtMs: updatedAt.getTime(),
  };
}
