// The document of the collection `endpointHealth`: what a service knows of the health of one endpoint.

import type { EndpointCheck, EndpointHealth, KeptCheck } from "../port.ts";
import { checksKept } from "../bounds.ts";
import { as, date, derived, document, listSince, nullable, plain, type StoredIn } from "./codec.ts";

export type StoredEndpointHealth = StoredIn<typeof endpointHealthCodec>;

const check = { action: plain, at: as("atMs", date), tookMs: plain, httpStatusCode: plain, reason: plain } as const;

export const endpointHealthCodec = document<EndpointHealth>()({
  // No part contains a blank, so the documents sort by (service, receiver, origin).
  _id: derived(({ service, receiverId, origin }: EndpointHealth) => `${service} ${receiverId} ${origin}`),
  service: plain,
  bank: as("receiverId", plain),
  address: as("origin", plain),
  breaker: nullable(document<NonNullable<EndpointHealth["breaker"]>>()({ since: as("sinceMs", date), reason: plain })),
  concurrency: plain,
  retryAfterUntil: as("retryAfterUntilMs", nullable(date)),
  updatedAt: as("updatedAtMs", date),
  check: nullable(document<EndpointCheck>()(check)),
  changes: listSince(document<EndpointHealth["changes"][number]>()({ at: as("atMs", date), reason: plain })),
  checks: listSince(document<KeptCheck>()({ ...check, operator: plain })),
});

/** The checks that are kept when one is added. */
export function keepNewest(earlier: EndpointHealth["checks"], check: KeptCheck): EndpointHealth["checks"] {
  return [...earlier, check].slice(-checksKept);
}
