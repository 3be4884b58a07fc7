// Verifies what the sink received: each message at least once, and the first arrivals of one UETR in order.

import { benchMessage } from "../messages.ts";

/** `receivedIds` are webhook-ids in the order of arrival. */
export function findDeliveryProblems(receivedIds: readonly string[], run: string, messages: number): readonly string[] {
  const orderById = new Map<string, number>();
  for (const [index, id] of receivedIds.entries()) if (!orderById.has(id)) orderById.set(id, index);
  const lastOfUetr = new Map<string, number>();
  let missing = 0;
  let inverted = 0;
  for (let number = 0; number < messages; number += 1) {
    const { id, uetr } = benchMessage(run, number);
    const order = orderById.get(id);
    if (order === undefined) {
      missing += 1;
      continue;
    }
    if (order < (lastOfUetr.get(uetr) ?? -1)) inverted += 1;
    lastOfUetr.set(uetr, order);
  }
  const unexpected = orderById.size - (messages - missing);
  return [
    ...(missing > 0 ? [`${missing} of ${messages} messages did not arrive`] : []),
    ...(inverted > 0 ? [`${inverted} messages came before an earlier one of their UETR`] : []),
    ...(unexpected > 0 ? [`${unexpected} messages arrived that nobody sent`] : []),
  ];
}
