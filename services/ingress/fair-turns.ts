// Whose message is judged next, when messages come faster than they can be judged. Judging is the work that a message costs this process.
//
// #1 Callers take turns: one message of each that waits, then the next of each. A caller that sends alone waits for nobody, one beside a
//    flood for one message of the flood at a time.
// #2 After `budgetMs` of work the process looks after its connections before it goes on, so that who comes meanwhile takes part.
// #3 Nothing waits that was not admitted, so what waits is bounded as requests under way are (`admission.ts`).

import type { Time } from "@sluice/runtime";

export interface FairTurns {
  /** Runs `work` at the caller's turn; settles as it does. */
  run<T>(caller: string, work: () => T): Promise<T>;
}

const budgetMs = 2;

export function createFairTurns(time: Time): FairTurns {
  /** In the order of their next turn. */
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
        else queueOf(waiting, caller).push(turn);
      });
    },
  };
}

function queueOf(waiting: Map<string, (() => void)[]>, caller: string): (() => void)[] {
  const known = waiting.get(caller) ?? [];
  waiting.set(caller, known);
  return known;
}

/** The first caller's first turn; the caller goes to the end. */
function nextTurn(waiting: Map<string, (() => void)[]>): (() => void) | null {
  for (const [caller, turns] of waiting) {
    const turn = turns.shift();
    waiting.delete(caller);
    if (turns.length > 0) waiting.set(caller, turns);
    if (turn !== undefined) return turn;
  }
  return null;
}
