// Decides whose work is next when several callers wait for one process, by the milliseconds that each has spent.
//
// #1 Next is the work of the caller that has spent least; a caller's own work keeps its order. So one message that
//    costs fifty times as much as another's waits for fifty of them.
// #2 A caller that begins to wait counts as having spent as much as the caller that was served last. Nobody saves up
//    turns, and nobody pays for work that delayed no one.
// #3 Only callers with work that waits, or that was charged while others waited, are remembered. When nothing waits,
//    all is forgotten.

export interface FairShares<Work> {
  add(caller: string, work: Work): void;
  /** Takes the work that is next, of the callers that `mayBeServed` admits; null: none of theirs waits. */
  take(mayBeServed?: (caller: string) => boolean): { readonly caller: string; readonly work: Work } | null;
  /** Takes back work that has not been taken. */
  remove(caller: string, work: Work): void;
  charge(caller: string, spentMs: number): void;
  /** The number of works that wait. */
  waiting(): number;
}

interface Account<Work> {
  spentMs: number;
  readonly waiting: Work[];
}

export function createFairShares<Work>(): FairShares<Work> {
  const accounts = new Map<string, Account<Work>>();
  let servedAtMs = 0;
  let count = 0;

  function accountOf(caller: string): Account<Work> {
    const known = accounts.get(caller);
    if (known !== undefined) return known;
    const account: Account<Work> = { spentMs: servedAtMs, waiting: [] };
    accounts.set(caller, account);
    return account;
  }

  function forgetIfIdle(): void {
    if (count > 0) return;
    accounts.clear();
    servedAtMs = 0;
  }

  return {
    add(caller, work) {
      const account = accountOf(caller);
      // #2
      if (account.waiting.length === 0) account.spentMs = Math.max(account.spentMs, servedAtMs);
      account.waiting.push(work);
      count += 1;
    },
    take(mayBeServed = () => true) {
      let next: string | null = null;
      let leastMs = Infinity;
      for (const [caller, { spentMs, waiting }] of accounts) {
        if (waiting.length === 0 || spentMs >= leastMs || !mayBeServed(caller)) continue;
        next = caller;
        leastMs = spentMs;
      }
      const work = next === null ? undefined : accounts.get(next)?.waiting.shift();
      if (next === null || work === undefined) return null;
      servedAtMs = leastMs;
      count -= 1;
      return { caller: next, work };
    },
    remove(caller, work) {
      const waiting = accounts.get(caller)?.waiting;
      const at = waiting?.indexOf(work) ?? -1;
      if (at < 0) return;
      waiting?.splice(at, 1);
      count -= 1;
      forgetIfIdle();
    },
    charge(caller, spentMs) {
      accountOf(caller).spentMs += spentMs;
      forgetIfIdle();
    },
    waiting: () => count,
  };
}
