// Checks whether the store answers, for the readiness of a process that may have nothing to ask it for a while.

import { formatReason, type Time } from "@sluice/kernel";
import type { Store } from "./port.ts";

export interface StoreProbe {
  /** Why the store did not answer the last time; null if it did. */
  trouble(): string | null;
  stop(): void;
}

const everyMs = 5_000;

/** Creates a probe that looks when it is asked, at most every five seconds, and answers what it saw before. */
export function createStoreProbe({
  store,
  time,
}: {
  readonly store: Pick<Store, "ping">;
  readonly time: Time;
}): Pick<StoreProbe, "trouble"> {
  let trouble: string | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    try {
      await store.ping();
      trouble = null;
    } catch (error) {
      trouble = formatReason(error);
    }
  }

  return {
    trouble() {
      const nowMs = time.monotonicMs();
      if (nowMs - lookedAtMs >= everyMs) {
        lookedAtMs = nowMs;
        void look();
      }
      return trouble;
    },
  };
}

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
