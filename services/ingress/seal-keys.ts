// The keys under which new messages are sealed.
//
// #1 Messages that need the same key at the same moment ask for it once.
// #2 A message waits `waitMaxMs` for its key; the question goes on for the next one.

import type { Serde } from "@sluice/contracts";
import type { Logger, Time } from "@sluice/kernel";

interface SealKeys {
  /** Resolves with true once the key of the scope is at hand; with false where it cannot be had in time. */
  make(scope: string): Promise<boolean>;
}

const waitMaxMs = 400;

export function createSealKeys({ time, logger, serde }: { readonly time: Time; readonly logger: Logger; readonly serde: Serde }): SealKeys {
  const making = new Map<string, Promise<boolean>>();

  async function ask(scope: string): Promise<boolean> {
    try {
      if (serde.makeKey === undefined) throw new Error("nothing here can seal");
      await serde.makeKey(scope);
      return true;
    } catch (error) {
      logger.error("ingress.no-seal-key", { scope, error });
      return false;
    } finally {
      making.delete(scope);
    }
  }

  /** #1 */
  function askOnce(scope: string): Promise<boolean> {
    const known = making.get(scope);
    if (known !== undefined) return known;
    const asked = ask(scope);
    making.set(scope, asked);
    return asked;
  }

  return {
    async make(scope) {
      const { promise: late, resolve } = Promise.withResolvers<boolean>();
      using _timer = time.after(waitMaxMs, () => resolve(false));
      return await Promise.race([askOnce(scope), late]);
    },
  };
}
