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

function deliveryMembers(receiver: DeliveryReceiver): readonly unknown[] {
  const { baseUrl, operationUrls, eventsUrl = null, bearerToken, bearerTokenFile, signingKeys, caFile, clientCertificate } = receiver;
  const { answerTimeoutMs, acknowledgeCodes, duplicateCodes, connections, concurrency, allowedAddresses, egressProxy } = receiver;
  return [
    [baseUrl, operationUrls, eventsUrl, bearerToken, bearerTokenFile, signingKeys, caFile, clientCertificate],
    [answerTimeoutMs, acknowledgeCodes, duplicateCodes, connections, concurrency, allowedAddresses, egressProxy],
  ];
}
