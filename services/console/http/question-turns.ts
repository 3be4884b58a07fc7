// Decides which questions of banks are answered at the same time. The console answers operators in the same process,
// and banks must not take all of it.
//
// #1 At most `runningMax` questions run at once, and `runningPerCallerMax` of one caller. So a caller with many
//    questions slows only itself.
// #2 Further questions wait. Next is the caller whose questions have taken the fewest milliseconds (`fair-shares.ts`).
// #3 A question that does not get its turn within `waitMaxMs` is never run.

import type { Time } from "@sluice/kernel";
import { createFairShares } from "@sluice/service";

export interface QuestionTurns {
  /** Runs `work` at the caller's turn, and settles as it does; null: its turn did not come in time (#3). */
  run<T>(caller: string, work: () => Promise<T>): Promise<T | null>;
}

const runningMax = 32;
const runningPerCallerMax = 4;
/** A question is answered within 6 s (`bank-api.ts`); this leaves two of them for its work. */
export const questionWaitMaxMs = 4_000;

export function createQuestionTurns(time: Time): QuestionTurns {
  const shares = createFairShares<() => void>();
  /** Callers with running questions: never more entries than questions. */
  const running = new Map<string, number>();
  let count = 0;

  const mayRun = (caller: string): boolean => count < runningMax && (running.get(caller) ?? 0) < runningPerCallerMax;

  function change(caller: string, by: 1 | -1): void {
    count += by;
    const own = (running.get(caller) ?? 0) + by;
    if (own === 0) running.delete(caller);
    else running.set(caller, own);
  }

  /** Runs work that is counted as running already. */
  async function runCounted<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const startedMs = time.monotonicMs();
    try {
      return await work();
    } finally {
      change(caller, -1);
      shares.charge(caller, time.monotonicMs() - startedMs);
      for (let next = shares.take(mayRun); next !== null; next = shares.take(mayRun)) next.work();
    }
  }

  return {
    async run(caller, work) {
      if (mayRun(caller)) {
        change(caller, 1);
        return await runCounted(caller, work);
      }
      const { promise: turn, resolve } = Promise.withResolvers<"now" | "too-late">();
      const start = (): void => {
        change(caller, 1);
        resolve("now");
      };
      using _overdue = time.after(questionWaitMaxMs, () => {
        shares.remove(caller, start);
        resolve("too-late");
      });
      shares.add(caller, start);
      return (await turn) === "now" ? await runCounted(caller, work) : null;
    },
  };
}
