// Turns for asynchronous work.

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs one piece of work at a time, in the order asked; work that fails does not hold up the next. */
export function createMutex(): InTurn {
  return createTurns(1);
}

/** Runs at most so many pieces of work at a time. */
export function createTurns(atOnceMax: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnceMax) await new Promise<void>((resolve) => void waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
