// Takes a configuration over in ingress: at once for the banks and connectors that are known, and after a delay for new
// ones.
//
// #1 The other services read the same file at another time, where it is mounted up to minutes later. A message of a new
//    bank must not be in the journal before they know the bank: the validator would refuse it as one of a bank that
//    left.
// #2 Each new party waits from when it was first seen, whatever else changes meanwhile. One that is gone
//    meanwhile waits from the beginning when it comes back.

import type { Configuration } from "@sluice/config";
import type { Time } from "@sluice/kernel";

/** Longer than a mounted file takes to reach all machines. */
export const newPartyDelayMs = 120_000;

export interface NewPartiesOptions {
  readonly time: Time;
  readonly running: Configuration;
  /** Called with the configuration as far as it is in force now. */
  readonly take: (next: Configuration) => void;
}

export interface NewParties {
  replace(next: Configuration): void;
  stop(): void;
}

export function createNewParties({ time, running, take }: NewPartiesOptions): NewParties {
  let known = partyIds(running);
  /** When each waiting party was first seen, in milliseconds of the monotonic clock. */
  let seenAtMs = new Map<string, number>();
  let timer: Disposable | null = null;
  let isStopped = false;

  function replace(next: Configuration): void {
    timer?.[Symbol.dispose]();
    timer = null;
    if (isStopped) return;
    const nowMs = time.monotonicMs();
    const ids = partyIds(next);
    const waiting = new Map([...ids].filter((id) => !known.has(id)).map((id) => [id, seenAtMs.get(id) ?? nowMs]));
    for (const [id, atMs] of waiting) if (nowMs - atMs >= newPartyDelayMs) waiting.delete(id);
    seenAtMs = waiting;
    known = new Set([...ids].filter((id) => !waiting.has(id)));
    take(without(next, waiting));
    if (waiting.size === 0) return;
    const firstMs = Math.min(...waiting.values());
    timer = time.after(Math.max(1, Math.ceil(firstMs + newPartyDelayMs - nowMs)), () => replace(next));
  }

  return {
    replace,
    stop() {
      isStopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}

function partyIds({ banks, connectors }: Configuration): ReadonlySet<string> {
  return new Set([...banks, ...connectors].map(({ id }) => id));
}

function without(configuration: Configuration, waiting: ReadonlyMap<string, number>): Configuration {
  if (waiting.size === 0) return configuration;
  const isKnown = ({ id }: { readonly id: string }): boolean => !waiting.has(id);
  return {
    ...configuration,
    banks: configuration.banks.filter(isKnown),
    connectors: configuration.connectors.filter(isKnown),
  };
}
