// Writes the log lines of one turn of the event loop together: a write to the kernel costs more than a line does, and
// the broker's answer to a batch makes many lines at once.
//
// #1 What was said in a turn is written at its end. A process that is killed loses the lines of the turn it was in, and
//    none before. One that ends by itself loses none: `flush` writes what waits.

export interface TurnWriter {
  write(line: string): void;
  /** Writes at once what waits. */
  flush(): void;
}

/** Characters that may wait; more are written at once. */
const waitingCharactersMax = 64 * 1024;

/** `write` takes one or several lines. `atTurnEnd` calls its action once at the end of the turn. */
export function createTurnWriter(write: (lines: string) => void, atTurnEnd: (action: () => void) => void): TurnWriter {
  let waiting = "";
  let isArmed = false;

  function flush(): void {
    const lines = waiting;
    waiting = "";
    if (lines !== "") write(lines);
  }

  function endTurn(): void {
    isArmed = false;
    flush();
  }

  return {
    write(line) {
      waiting += line;
      if (waiting.length > waitingCharactersMax) return flush();
      if (!isArmed) atTurnEnd(endTurn);
      isArmed = true;
      return undefined;
    },
    flush,
  };
}
