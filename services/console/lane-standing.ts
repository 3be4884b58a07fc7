// Where a service's lane stands: the first record that it has not done, as its document or its group has it.

import { groups, topics } from "@sluice/contracts";
import type { Messaging } from "@sluice/messaging";
import type { Store } from "@sluice/store";

export interface StandingPorts {
  readonly messaging: Pick<Messaging, "ends" | "committedOf">;
  readonly store: Pick<Store, "lanes">;
}

/** Services with lanes, and the topic that each reads. */
export const topicOfService: Readonly<Record<string, string>> = {
  scheduler: topics.journal,
  validator: topics.journal,
  dispatcher: topics.dispatch,
  "event-publisher": topics.events,
};

/** Null: it never had the lane. */
export async function standingOf({ messaging, store }: StandingPorts, service: string, partition: number): Promise<bigint | null> {
  if (service !== "validator") {
    const document = (await store.lanes.list(service)).find((one) => one.partition === partition);
    return document?.position ?? null;
  }
  const place = { topic: topics.journal, partition };
  const [committed] = await messaging.committedOf(groups.validator, [place]);
  const [ends] = await messaging.ends([place]);
  return committed ?? ends?.logStart ?? null;
}
