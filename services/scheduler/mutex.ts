// A mutex for asynchronous work.

/** Runs one piece of work at a time, in the order asked; work that fails does not hold up the next. */
export function createMutex(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
