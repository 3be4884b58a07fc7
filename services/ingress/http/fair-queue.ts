// Decides whose message is processed next when messages come faster than they can be parsed and authorized, which is
// the work that a message costs this process.
//
// #1 Callers take turns: one message of each caller that waits, then the next of each. A caller that sends alone waits
//    for nobody; a caller next to a flood waits for one message of the flood at a time.
// #2 After `budgetMs` of work the process serves its connections before it goes on, so that callers that arrive
//    meanwhile take part.
// #3 Only admitted messages wait, so what waits is bounded as requests in progress are (`admission.ts`).

import type { Time } from "@sluice/kernel";

export interface FairQueue {
  /** Runs `work` at the caller's turn, and settles as it does. */
  run<T>(caller: string, work: () => T): Promise<T>;
}

const budgetMs = 2;

export function createFairQueue(time: Time): FairQueue {
  /** Waiting work by caller, in the order of the callers' next turns. */
  const waiting = new Map<string, (() => void)[]>();
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
      const next = nextTurn(waiting);
      if (next === null) return;
      spend(next);
    }
    arm();
  }

  function spend(work: () => void): void {
    const startedMs = time.monotonicMs();
    work();
    spentMs += time.monotonicMs() - startedMs;
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
        if (waiting.size === 0 && spentMs < budgetMs) spend(turn);
        else findQueue(waiting, caller).push(turn);
      });
    },
  };
}

function findQueue(waiting: Map<string, (() => void)[]>, caller: string): (() => void)[] {
  const known = waiting.get(caller) ?? [];
  waiting.set(caller, known);
  return known;
}

/** Takes the first caller's first work; the caller goes to the end. */
function nextTurn(waiting: Map<string, (() => void)[]>): (() => void) | null {
  for (const [caller, turns] of waiting) {
    const turn = turns.shift();
    waiting.delete(caller);
    if (turns.length > 0) waiting.set(caller, turns);
    if (turn !== undefined) return turn;
  }
  return null;
}
