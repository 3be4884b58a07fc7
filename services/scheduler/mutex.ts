// Turns for asynchronous work.

import { assert } from "@sluice/kernel";

type InTurn = <T>(work: () => Promise<T>, weight?: number) => Promise<T>;

/** Runs one piece of work at a time, in the order asked; work that fails does not hold up the next. */
export function createMutex(): InTurn {
  return createTurns(1);
}

/** Runs pieces of work whose weights sum to `weightMax` at most; each weighs 1 unless its caller says otherwise. */
export function createTurns(weightMax: number): InTurn {
  let running = 0;
  const waiting: { readonly weight: number; readonly start: () => void }[] = [];
  function startNext(): void {
    for (let next = waiting[0]; next !== undefined && running + next.weight <= weightMax; next = waiting[0]) {
      running += next.weight;
      waiting.shift();
      next.start();
    }
  }
  return async (work, weight = 1) => {
    assert(weight <= weightMax, "a piece of work fits into the bound");
    const turn = new Promise<void>((resolve) => void waiting.push({ weight, start: resolve }));
    startNext();
    await turn;
    try {
      return await work();
    } finally {
      running -= weight;
      startNext();
    }
  };
}
