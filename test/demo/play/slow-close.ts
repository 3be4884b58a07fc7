// On a slow machine debits are not through when their window closes. Then the first operator extends the closes of the
// day through the console, and the demo says so.
//
// #1 It looks a moment before the close, and extends it as often as there is something left, `extensionsMax` times at
//    most. What is left then is a problem of the day.
// #2 The reconciliation close is extended first: a window closes before it.
// #3 The console takes a request, and the day decides it. So the demo waits for the day, and goes by its plan in force.
// #4 A close that has been reached is never extended, and what is held then waits for another date. The demo says that
//    the machine is too slow, and lets the day end: `check/late.ts` makes a problem of what missed it.
// #5 What is held for another date already, because it came after the cut-off, is not waited for: no extension brings
//    it back.

import { dayKey, type Day } from "@sluice/domain";
import { sleep } from "@sluice/kernel";
import { loadDocuments } from "@sluice/environment";
import type { Store } from "@sluice/store";
import { isLate } from "../check/late.ts";
import type { DemoDay, DemoTimes } from "../plan/day.ts";
import { lookBeforeCloseMs } from "../plan/pace.ts";
import type { Narrator } from "../narrator.ts";
import { pollConsole, postDecision, type ConsoleClientPorts } from "./console-client.ts";

export interface SlowClosePorts extends ConsoleClientPorts {
  readonly day: DemoDay;
  readonly narrator: Narrator;
  readonly store: Pick<Store, "transactions" | "days">;
}

type MovedTimes = { -readonly [Name in keyof DemoTimes]: DemoTimes[Name] };

/** The first extension; each is twice as long as the one before. */
const extensionMs = 10_000;
const extensionsMax = 6;
const windowNumber = 1;
/** The window by which an extension names the reconciliation close. */
const reconciliationNumber = 0;

/** Moves `times` with each extension. Ends when nothing is left, when it is too late, or after the last extension. */
export async function extendWhileSlow(ports: SlowClosePorts, times: MovedTimes): Promise<readonly string[]> {
  const { time, signal, narrator, operators } = ports;
  const problems: string[] = [];
  for (let extension = 1; extension <= extensionsMax; extension += 1) {
    await sleep(time, Math.max(0, times.closesAtMs - lookBeforeCloseMs - time.nowMs()), signal);
    const left = signal.aborted ? 0 : await countLeft(ports, times);
    if (left === 0) return problems;
    const longerMs = extensionMs * 2 ** (extension - 1);
    const closesAtMs = times.closesAtMs + longerMs;
    narrator.say(
      "day",
      `this machine is slow: ${left} are not through, and ${operators[0]?.name} extends the close by ${longerMs / 1_000} s`,
    );
    problems.push(
      ...(await requestClose(ports, times, { number: reconciliationNumber, atMs: times.reconciliationAtMs + longerMs, extension })),
      ...(await requestClose(ports, times, { number: windowNumber, atMs: closesAtMs, extension })),
    );
    const decided = await waitForClose(ports, times, closesAtMs);
    if (signal.aborted) return problems;
    moveTimes(times, decided);
    if (decided === null || closeOf(decided) < closesAtMs) {
      narrator.say("day", "this machine is too slow: the window closed before it was extended. What is held waits for the next date");
      return problems;
    }
    narrator.awaits("the window closes", closesAtMs);
  }
  return problems;
}

interface WantedClose {
  readonly number: number;
  readonly atMs: number;
  readonly extension: number;
}

function requestClose(ports: SlowClosePorts, times: DemoTimes, { number, atMs, extension }: WantedClose): Promise<readonly string[]> {
  const reason = "This machine is slow: debits of the day are not through.";
  const closesAt = Temporal.Instant.fromEpochMilliseconds(atMs).toString();
  return postDecision(ports, ports.operators[0], {
    path: `/days/ZA_EFT/${times.businessDate}/close-extension`,
    id: `demo-close-${number}-${extension}`,
    body: { reason, window: number, closesAt },
    form: null,
  });
}

/** #3. Returns the day once its window closes at `closesAtMs`, or is closed; null if neither came in time. */
function waitForClose(ports: SlowClosePorts, times: DemoTimes, closesAtMs: number): Promise<Day | null> {
  const key = dayKey("ZA_EFT", times.businessDate);
  return pollConsole(ports, async () => {
    const day = (await ports.store.days.load([key])).get(key);
    if (day === undefined) return null;
    return closeOf(day) >= closesAtMs || day.closed.includes(windowNumber) ? day : null;
  });
}

function closeOf({ plan }: Day): number {
  return plan.windows.find(({ number }) => number === windowNumber)?.closesAtMs ?? 0;
}

function moveTimes(times: MovedTimes, day: Day | null): void {
  if (day === null) return;
  times.closesAtMs = closeOf(day);
  times.reconciliationAtMs = day.plan.reconciliationAtMs;
}

/** What should end in the window and has not (#5). */
async function countLeft({ day, store }: SlowClosePorts, { businessDate }: DemoTimes): Promise<number> {
  const planned = day.transactions.filter(({ end }) => end.row === null);
  const documents = await loadDocuments(
    store.transactions,
    planned.map(({ uetr }) => uetr),
  );
  return planned.filter(({ uetr, end }) => {
    const transaction = documents.get(uetr)?.transaction;
    return transaction?.state !== end.state && !isLate(transaction, businessDate);
  }).length;
}
