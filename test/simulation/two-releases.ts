// Plays an update of the schedulers, one instance after the other, while the day runs. The newer release decides by
// rules with a newer version, which are today's rules: what is looked at is who decides, not what.
//
// #1 A process of the older release never decides about a transaction that the newer one has decided (ADR 55).

import { rulesVersion } from "@sluice/domain";
import type { Random, Running, Time } from "@sluice/kernel";
import type { Store } from "@sluice/store";
import type { Replicas } from "./cluster.ts";

/** Times in milliseconds from the start of the run. */
export interface PlannedUpdate {
  /** When each instance is replaced, by its number. */
  readonly replacedAtMs: readonly number[];
  /** When instance 0, the first of the newer ones, is stopped once more, so that older ones take its partitions. */
  readonly stoppedAtMs: number;
}

const newerRulesVersion = rulesVersion + 1;
const updatedShare = 1 / 6;
/** Instances of each service; there are as many partitions. */
export const instancesMax = 3;

/** Draws a time for as many instances as there may be. The first one is replaced in the first third of the time. */
export function drawUpdate(random: Random, fromMs: number, untilMs: number): PlannedUpdate | null {
  if (random.fraction() >= updatedShare) return null;
  const third = (untilMs - fromMs) / 3;
  const drawFrom = (beginMs: number): number => beginMs + random.fraction() * third;
  const later = Array.from({ length: instancesMax - 1 }, () => drawFrom(fromMs + 2 * third));
  return { replacedAtMs: [drawFrom(fromMs), ...later], stoppedAtMs: drawFrom(fromMs + third) };
}

export interface SimulatedUpdate {
  /** The version of the rules of a process that starts now. */
  versionOf(instance: number): number;
  /** The store as a process of that version sees it. */
  watch(store: Store, version: number): Store;
  /** Replaces the instances at their times. */
  run(schedulers: Replicas<Running>): void;
  /** #1, one sentence for each transaction. */
  wrong(): readonly string[];
}

export function startSimulatedUpdate(update: PlannedUpdate | null, time: Time): SimulatedUpdate {
  const wrong = new Set<string>();
  const isNewer = (instance: number): boolean => time.monotonicMs() >= (update?.replacedAtMs[instance] ?? Number.POSITIVE_INFINITY);
  return {
    versionOf: (instance) => (isNewer(instance) ? newerRulesVersion : rulesVersion),
    watch(store, version) {
      const { transactions } = store;
      const watched: Store["transactions"] = {
        ...transactions,
        write(writes) {
          for (const { document } of writes)
            if (document.rules.newest > version) wrong.add(`an older release decided ${document.transaction.uetr} after a newer one`);
          return transactions.write(writes);
        },
      };
      return { ...store, transactions: watched };
    },
    run(schedulers) {
      if (update === null) return;
      for (const [instance, atMs] of update.replacedAtMs.entries()) time.after(atMs, () => void schedulers.replace(instance));
      time.after(update.stoppedAtMs, () => void schedulers.replace(0));
    },
    wrong: () => [...wrong],
  };
}
