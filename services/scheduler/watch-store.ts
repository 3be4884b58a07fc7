// Whether the store answers, for readiness. A lane that cannot work says so itself; this is for a process whose lanes are idle.

import type { Time } from "@sluice/runtime";
import type { Store } from "@sluice/store";

export interface StoreWatch {
  /** null: it answered the last time. */
  trouble(): string | null;
  stop(): void;
}

const everyMs = 5_000;

export function watchStore({ store, time }: { readonly store: Pick<Store, "ping">; readonly time: Time }): StoreWatch {
  let trouble: string | null = "not asked yet";
  let isStopped = false;
  let timer = time.after(0, () => void ask());

  async function ask(): Promise<void> {
    try {
      await store.ping();
      trouble = null;
    } catch (error) {
      trouble = error instanceof Error ? error.message : String(error);
    }
    if (!isStopped) timer = time.after(everyMs, () => void ask());
  }

  return {
    trouble: () => trouble,
    stop() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}
