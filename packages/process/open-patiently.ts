// Opens a need, and waits for what is away: a broker, a registry, a store, a file of a secret, a topic.
//
// #1 Every retryable Fault is tried again, for ever, after 0.5 s to 5 s. A restart would cure none of them sooner: a
//    supervisor waits longer after each.
// #2 Why it waits is in `/readyz` at once, and in the log at first, when it changes, and every 10 s.
// #3 What is not retryable ends the wait: a person must mend it.

import { Fault, type Logger, sleep, type Time } from "@sluice/kernel";

export interface OpeningWait {
  /** Takes the reason of the present wait; null: it is over. */
  readonly waiting: (reason: string | null) => void;
}

interface PatientOpening {
  readonly time: Time;
  readonly logger: Logger;
  /** Ends the wait. */
  readonly stopping: AbortSignal;
  readonly opened: AsyncDisposableStack;
}

const firstWaitMs = 500;
const waitMaxMs = 5_000;
const sayAgainMs = 10_000;
const reasonCharactersMax = 300;

/** Each attempt gets a stack of its own, which is closed where it fails. */
export async function openPatiently<T>(
  name: string,
  open: (attempt: AsyncDisposableStack) => T | Promise<T>,
  { time, logger, stopping, opened }: PatientOpening,
  { waiting }: OpeningWait,
): Promise<T> {
  const said = { reason: "", atMs: 0 };
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, waitMaxMs)) {
    const attempt = new AsyncDisposableStack();
    try {
      const value = await open(attempt);
      opened.use(attempt);
      if (said.reason !== "") logger.info("service.waited", { need: name });
      waiting(null);
      return value;
    } catch (error) {
      await attempt.disposeAsync();
      if (!(error instanceof Fault) || !error.isRetryable || stopping.aborted) throw error;
      const reason = `${name}: ${error.message}`.slice(0, reasonCharactersMax);
      waiting(reason);
      if (said.reason !== reason || time.monotonicMs() - said.atMs >= sayAgainMs) {
        Object.assign(said, { reason, atMs: time.monotonicMs() });
        logger.warn("service.waiting", { need: name, reason, code: error.code });
      }
      await sleep(time, waitMs, stopping);
    }
  }
}
