// Fills the journal as a day does: debits by ingress, and a verdict on each by the validator.

import { topics } from "@sluice/contracts";
import { sleep, type Time } from "@sluice/kernel";
import { bankBranch, type BenchEnvironment } from "../environment.ts";
import { startLineProcess } from "../line-process.ts";
import { postDebits } from "./post.ts";

export interface FillOptions {
  readonly environment: BenchEnvironment;
  readonly debits: number;
  readonly time: Time;
  readonly signal: AbortSignal;
}

const connections = 64;
const lookMs = 100;
const standstillMaxMs = 60_000;
/** The debit and its verdict. */
const recordsPerDebit = 2;

/** Resolves with the number of records in the journal, when both services have ended. */
export async function fillJournal({ environment, debits, time, signal }: FillOptions): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const services = await Promise.all((["ingress", "validator"] as const).map((name) => environment.start(name)));
  opened.defer(async () => void (await Promise.all(services.map((service) => service.stop()))));
  await Promise.all(services.map((service) => service.ready()));
  const poster = startLineProcess(new URL("./post-process.ts", import.meta.url), []);
  opened.defer(() => poster.stop());
  const url = `http://127.0.0.1:${services[0]?.port}`;
  const { refused } = await postDebits(poster, { url, branch: bankBranch, run: 1, requests: debits, connections });
  if (refused > 0) throw new Error(`ingress refused ${refused} of ${debits} debits`);
  await untilCount({ what: "records in the journal", wanted: debits * recordsPerDebit, time, signal }, () =>
    environment.appended(topics.journal),
  );
  return await environment.appended(topics.journal);
}

interface Awaited {
  readonly what: string;
  readonly wanted: number;
  readonly time: Time;
  readonly signal: AbortSignal;
}

/** Resolves once the count is reached. Rejects when it has not changed for a minute. */
export async function untilCount({ what, wanted, time, signal }: Awaited, count: () => Promise<number>): Promise<void> {
  let [before, movedMs] = [-1, time.monotonicMs()];
  for (;;) {
    signal.throwIfAborted();
    const now = await count();
    if (now >= wanted) return;
    if (now !== before) [before, movedMs] = [now, time.monotonicMs()];
    if (time.monotonicMs() - movedMs > standstillMaxMs) throw new Error(`${now} of ${wanted} ${what}, and no more come`);
    await sleep(time, lookMs, signal);
  }
}
