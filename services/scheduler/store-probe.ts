// Checks whether the store answers, for readiness. A partition that cannot work reports it itself; this is for a
// process whose partitions are idle.

import { formatReason, type Time } from "@sluice/kernel";
import type { Store } from "@sluice/store";

export interface StoreProbe {
  /** Why the store did not answer the last time; null if it did. */
  trouble(): string | null;
  stop(): void;
}

const everyMs = 5_000;

export function startStoreProbe({ store, time }: { readonly store: Pick<Store, "ping">; readonly time: Time }): StoreProbe {
  let trouble: string | null = "not checked yet";
  let isStopped = false;
  let timer = time.after(0, () => void check());

  async function check(): Promise<void> {
    try {
      await store.ping();
      trouble = null;
    } catch (error) {
      trouble = formatReason(error);
    }
    if (!isStopped) timer = time.after(everyMs, () => void check());
  }

  return {
    trouble: () => trouble,
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}
