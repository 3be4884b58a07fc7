// Decides whose message is processed next when messages come faster than they can be parsed and authorized, which is
// the work that a message costs this process.
//
// #1 Turns are shared by the milliseconds that each caller's messages cost (`fair-shares.ts`). A caller that sends
//    alone waits for nobody; a caller next to a flood, or next to messages that cost much, gets its share of the time.
// #2 After `budgetMs` of work the process serves its connections before it goes on, so that callers that arrive
//    meanwhile take part.
// #3 Only admitted messages wait, so what waits is bounded as requests in progress are (`admission.ts`).
// #4 Work that does not get its turn within `turnWaitMaxMs` is never done, so that its caller is answered in time.

import type { Time } from "@sluice/kernel";
import { createFairShares } from "@sluice/service";

export interface FairQueue {
  /** Runs `work` at the caller's turn, and settles as it does; null: its turn did not come in time (#4). */
  run<T>(caller: string, work: () => T): Promise<T | null>;
  /** Resolves once no message waits; false: there were messages all the time (#4). */
  afterMessages(): Promise<boolean>;
}

const budgetMs = 2;
/** Half of the second in which every request is answered: the rest is for the broker. */
export const turnWaitMaxMs = 500;

export function createFairQueue(time: Time): FairQueue {
  const shares = createFairShares<() => void>();
  /** Documents that wait; few (`document-share.ts`). */
  const last = new Set<() => void>();
  let spentMs = 0;
  let isArmed = false;

  function arm(): void {
    if (isArmed) return;
    isArmed = true;
    time.after(0, takeTurns);
  }

  function takeTurns(): void {
    isArmed = false;
    spentMs = 0;
    while (spentMs < budgetMs) {
      const next = shares.take();
      if (next === null) return endWithDocuments();
      spend(next.caller, next.work);
    }
    arm();
  }

  function endWithDocuments(): void {
    for (const resolve of last) resolve();
    last.clear();
  }

  function spend(caller: string, work: () => void): void {
    const startedMs = time.monotonicMs();
    work();
    const tookMs = time.monotonicMs() - startedMs;
    spentMs += tookMs;
    shares.charge(caller, tookMs);
  }

  return {
    run(caller, work) {
      return new Promise((resolve, reject) => {
        const turn = (): void => {
          try {
            resolve(work());
          } catch (error) {
            reject(error);
          }
        };
        arm();
        if (shares.waiting() === 0 && spentMs < budgetMs) return spend(caller, turn);
        const overdue = time.after(turnWaitMaxMs, () => {
          shares.remove(caller, inTime);
          resolve(null);
        });
        const inTime = (): void => {
          overdue[Symbol.dispose]();
          turn();
        };
        shares.add(caller, inTime);
        return undefined;
      });
    },
    afterMessages: () => (shares.waiting() === 0 ? Promise.resolve(true) : waitIn(last, time)),
  };
}

/** Waits until what is added is called, which is true, or until it is too late. */
function waitIn(waiting: Set<() => void>, time: Time): Promise<boolean> {
  return new Promise((resolve) => {
    const overdue = time.after(turnWaitMaxMs, () => {
      waiting.delete(go);
      resolve(false);
    });
    const go = (): void => {
      overdue[Symbol.dispose]();
      resolve(true);
    };
    waiting.add(go);
  });
}
