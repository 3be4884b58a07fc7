// Sleeps of a consumer's fetch loop, which a resume, a join and a stop end.

import type { ConsumerGroup } from "kafkajs/src/consumer/consumerGroup.js";

const sleepers = new WeakMap<ConsumerGroup, Set<() => void>>();

export function sleepUntilWoken(group: ConsumerGroup, durationMs: number): Promise<void> {
  const asleep = sleepers.get(group) ?? new Set<() => void>();
  sleepers.set(group, asleep);
  return new Promise((resolve) => {
    const wake = (): void => {
      clearTimeout(timer);
      asleep.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, durationMs);
    asleep.add(wake);
  });
}

export function wakeAll(group: ConsumerGroup): void {
  for (const wake of sleepers.get(group) ?? []) wake();
}
