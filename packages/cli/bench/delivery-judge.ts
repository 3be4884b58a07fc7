// Whether what the sink heard is what was to be delivered: each message once or more, and those of one UETR first in their order.

import { benchMessage } from "./messages.ts";

/** `heard`: webhook-ids in the order of arrival. */
export function problemsOf(heard: readonly string[], run: string, messages: number): readonly string[] {
  const orderOf = new Map<string, number>();
  for (const [index, id] of heard.entries()) if (!orderOf.has(id)) orderOf.set(id, index);
  const lastOfUetr = new Map<string, number>();
  let missing = 0;
  let inverted = 0;
  for (let number = 0; number < messages; number += 1) {
    const { id, uetr } = benchMessage(run, number);
    const order = orderOf.get(id);
    if (order === undefined) {
      missing += 1;
      continue;
    }
    if (order < (lastOfUetr.get(uetr) ?? -1)) inverted += 1;
    lastOfUetr.set(uetr, order);
  }
  const strange = orderOf.size - (messages - missing);
  return [
    ...(missing > 0 ? [`${missing} of ${messages} messages did not arrive`] : []),
    ...(inverted > 0 ? [`${inverted} messages came before an earlier one of their UETR`] : []),
    ...(strange > 0 ? [`${strange} messages arrived that nobody sent`] : []),
  ];
}
