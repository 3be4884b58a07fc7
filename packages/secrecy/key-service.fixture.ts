// A key service in memory for tests and the simulation, with a switch that makes it stop answering.

import { createHmac } from "node:crypto";
import { Fault } from "@sluice/kernel";
import type { KeyService } from "./key-service.ts";

interface MemoryKeyService extends KeyService {
  setAvailable(isAvailable: boolean): void;
  /** How often it was asked to unwrap. */
  readonly unwraps: () => number;
}

/** Its keys follow from the scope, so that a run is the same each time. */
export function createMemoryKeyService(seed = "keys"): MemoryKeyService {
  const made = new Map<string, { count: number; isDestroyed: boolean }>();
  let isAvailable = true;
  let unwraps = 0;

  function digest(text: string): Buffer {
    return createHmac("sha256", seed).update(text).digest();
  }
  async function available<T>(work: () => T): Promise<T> {
    if (!isAvailable) throw new Fault("secrecy.unavailable", "the key service is away", { isRetryable: true });
    return await Promise.resolve(work());
  }
  function isReadable(scope: string): boolean {
    return made.get(scope)?.isDestroyed === false;
  }

  return {
    create: (scope) =>
      available(() => {
        const one = made.get(scope) ?? { count: 0, isDestroyed: false };
        made.set(scope, one);
        if (one.isDestroyed) return null;
        one.count += 1;
        return { plain: digest(`${scope} ${one.count}`), wrapped: Buffer.from(`${scope} ${one.count}`) };
      }),
    unwrap: (keys) =>
      available(() => {
        unwraps += 1;
        return keys.map(({ scope, wrapped }) => {
          if (!isReadable(scope)) return null;
          const text = Buffer.from(wrapped).toString();
          if (text.startsWith(`${scope} `)) return digest(text);
          throw new Fault("secrecy.not-wrapped", `a data key that was not wrapped under ${scope}`, { isRetryable: false });
        });
      }),
    derive: (scopes) => available(() => scopes.map((scope) => (isReadable(scope) ? digest(`derived ${scope}`) : null))),
    list: () =>
      available(() =>
        [...made].map(([scope, { isDestroyed }]) => ({ scope, isDestroyed })).toSorted((a, b) => (a.scope < b.scope ? -1 : 1)),
      ),
    destroy: (scope) => available(() => void made.set(scope, { count: 0, isDestroyed: true })),
    setAvailable: (next) => void (isAvailable = next),
    unwraps: () => unwraps,
  };
}
