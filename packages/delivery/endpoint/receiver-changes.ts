// Finds the receivers whose deliveries a changed configuration concerns: added, removed, or other in a member that
// delivery uses. A receiver with other tokens of its own, or another name, is none of them.

import { isSameContent } from "@sluice/config";
import type { DeliveryReceiver } from "./operation-addresses.ts";

export interface ReceiverChanges {
  /** Ids of the receivers that were added, removed or changed. */
  readonly changed: readonly string[];
  /** All receivers from now on; those that did not change are the same objects as before. */
  readonly receivers: ReadonlyMap<string, DeliveryReceiver>;
}

export function findReceiverChanges(before: ReadonlyMap<string, DeliveryReceiver>, next: readonly DeliveryReceiver[]): ReceiverChanges {
  const receivers = new Map<string, DeliveryReceiver>();
  const changed = new Set(before.keys());
  for (const receiver of next) {
    const known = before.get(receiver.id);
    const isSame = known !== undefined && (known === receiver || isSameContent(deliveryMembers(known), deliveryMembers(receiver)));
    receivers.set(receiver.id, isSame ? known : receiver);
    if (isSame) changed.delete(receiver.id);
    else changed.add(receiver.id);
  }
  return { changed: [...changed], receivers };
}

/** Whether delivery uses a member of a receiver. */
const isUsed = {
  id: true,
  name: false,
  tokens: false,
  certificates: false,
  clients: false,
  requestsPerSecond: false,
  inboundConnections: false,
  baseUrl: true,
  operationUrls: true,
  eventsUrl: true,
  bearerToken: true,
  bearerTokenFile: true,
  accessToken: true,
  signingKeys: true,
  messageSignatures: true,
  caFile: true,
  clientCertificate: true,
  answerTimeoutMs: true,
  acknowledgeCodes: true,
  duplicateCodes: true,
  connections: true,
  concurrency: true,
  allowedAddresses: true,
  egressProxy: true,
  egressProxyCredentialsFile: true,
} as const satisfies Record<keyof DeliveryReceiver, boolean>;

const usedMembers: ReadonlySet<string> = new Set(Object.entries(isUsed).flatMap(([member, used]) => (used ? [member] : [])));

function deliveryMembers(receiver: DeliveryReceiver): readonly unknown[] {
  return Object.entries(receiver)
    .filter(([member]) => usedMembers.has(member))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
}
