// On a slow machine debits are not through when their window closes. Then the first operator extends the closes of the
// day through the console, and the demo says so.
//
// #1 It looks a moment before the close, and extends it as often as there is something left, `extensionsMax` times at
//    most. What is left then is a problem of the day.
// #2 The reconciliation close is extended first: a window closes before it.

import { sleep } from "@sluice/kernel";
import { loadDocuments } from "@sluice/environment";
import type { Store } from "@sluice/store";
import type { DemoDay, DemoTimes } from "../plan/day.ts";
import type { Narrator } from "../narrator.ts";
import { postDecision, type ConsoleClientPorts } from "./console-client.ts";

export interface SlowClosePorts extends ConsoleClientPorts {
  readonly day: DemoDay;
  readonly narrator: Narrator;
  readonly store: Pick<Store, "transactions">;
}

const lookBeforeMs = 2_500;
/** The first extension; each is twice as long as the one before. */
const extensionMs = 10_000;
const extensionsMax = 6;

/** Moves `times` with each extension. Ends when nothing is left, or after the last extension. */
export async function extendWhileSlow(ports: SlowClosePorts, times: { -readonly [Name in keyof DemoTimes]: DemoTimes[Name] }) {
  const { time, signal, narrator, operators } = ports;
  const problems: string[] = [];
  for (let extension = 1; extension <= extensionsMax; extension += 1) {
    await sleep(time, Math.max(0, times.closesAtMs - lookBeforeMs - time.nowMs()), signal);
    const left = signal.aborted ? 0 : await countLeft(ports);
    if (left === 0) return problems;
    const longerMs = extensionMs * 2 ** (extension - 1);
    const [closesAtMs, reconciliationAtMs] = [times.closesAtMs + longerMs, times.reconciliationAtMs + longerMs];
    const reason = "This machine is slow: debits of the day are not through.";
    narrator.say(
      "day",
      `this machine is slow: ${left} are not through, and ${operators[0]?.name} extends the close by ${longerMs / 1_000} s`,
    );
    for (const [window, atMs] of [
      [0, reconciliationAtMs],
      [1, closesAtMs],
    ] as const) {
      const closesAt = Temporal.Instant.fromEpochMilliseconds(atMs).toString();
      const path = `/days/ZA_EFT/${times.businessDate}/close-extension`;
      problems.push(
        ...(await postDecision(ports, operators[0], {
          path,
          id: `demo-close-${window}-${extension}`,
          body: { reason, window, closesAt },
          form: null,
        })),
      );
    }
    Object.assign(times, { closesAtMs, reconciliationAtMs });
    narrator.awaits("the window closes", closesAtMs);
  }
  return problems;
}

/** What should end in the window and has not. */
async function countLeft({ day, store }: SlowClosePorts): Promise<number> {
  const planned = day.transactions.filter(({ end }) => end.row === null);
  const documents = await loadDocuments(
    store.transactions,
    planned.map(({ uetr }) => uetr),
  );
  return planned.filter(({ uetr, end }) => documents.get(uetr)?.transaction.state !== end.state).length;
}
