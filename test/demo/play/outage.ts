// Plays the outage of the day: the address of one bank refuses connections for some seconds. Meanwhile the console is
// asked for the bank's backlog and breakers, as any operator can.
//
// #1 Samples are taken from the opening of the window until the bank has taken a message again, nothing waits for it,
//    and its breakers are closed. What the console shows of breakers is up to a second old.
// #2 A sample that fails, because the console is being killed, leaves a gap and is no problem of the day.

import { sleep } from "@sluice/kernel";
import type { BankSimulator, MemoryRecorder } from "@sluice/testkit";
import { getArray, requestConsole, getMember, getNumber, getText, type ConsoleClientPorts } from "./console-client.ts";
import { plannedOutage, type DemoTimes } from "../plan/day.ts";
import type { Narrator } from "../narrator.ts";

export interface OutagePorts extends ConsoleClientPorts {
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly recorded: MemoryRecorder;
  readonly times: DemoTimes;
  readonly narrator: Narrator;
}

/** The outage as it was observed. Times are epoch milliseconds. */
export interface Outage {
  readonly bank: string;
  readonly downAtMs: number;
  readonly upAtMs: number;
  /** Breakers that were open, by service. */
  readonly breakers: readonly { readonly service: string; readonly openedAtMs: number; readonly reason: string }[];
  /** When the bank took its first message after it was back; null if it took none. */
  readonly firstTakenAtMs: number | null;
  /** When nothing waited for it any more; null if that was not observed. */
  readonly drainedAtMs: number | null;
  readonly looks: readonly OutageLook[];
}

export interface OutageLook {
  readonly atMs: number;
  /** Messages and events that wait for the bank. */
  readonly waiting: number;
  /** Whether a breaker of any service is open. */
  readonly isBreakerOpen: boolean;
}

const lookEveryMs = 250;
const closedSeenMaxMs = 5_000;

export async function playOutage(ports: OutagePorts): Promise<Outage | null> {
  const { time, times, banks, narrator, signal } = ports;
  const bank = banks.get(plannedOutage.bank);
  if (bank === undefined) return null;
  await sleep(time, Math.max(0, times.opensAtMs - time.nowMs()), signal);
  const watch = new Watch(ports);
  const watching = watch.run();
  await sleep(time, Math.max(0, times.opensAtMs + plannedOutage.fromMs - time.nowMs()), signal);
  await bank.stopAccepting();
  const downAtMs = time.nowMs();
  narrator.act("One bank goes down and comes back; the others notice nothing");
  narrator.awaits(`${plannedOutage.bank} comes back`, times.opensAtMs + plannedOutage.toMs);
  narrator.say(plannedOutage.bank, "is down: its address refuses connections; it goes on sending debits");
  await sleep(time, Math.max(0, times.opensAtMs + plannedOutage.toMs - time.nowMs()), signal);
  await bank.startAccepting();
  watch.upAtMs = time.nowMs();
  narrator.say(plannedOutage.bank, `is back; ${watch.looks.at(-1)?.waiting ?? 0} messages and events wait for it`);
  narrator.awaits("the window closes", times.closesAtMs);
  await watching;
  const { looks, upAtMs } = watch;
  const breakers = [...watch.breakers.values()];
  return {
    bank: plannedOutage.bank,
    downAtMs,
    upAtMs,
    breakers,
    firstTakenAtMs: watch.firstTakenAtMs,
    drainedAtMs: watch.drainedAtMs,
    looks,
  };
}

class Watch {
  readonly #ports: OutagePorts;
  readonly looks: OutageLook[] = [];
  readonly breakers = new Map<string, Outage["breakers"][number]>();
  /** Infinity until the bank is back. */
  upAtMs = Number.POSITIVE_INFINITY;
  firstTakenAtMs: number | null = null;
  drainedAtMs: number | null = null;

  constructor(ports: OutagePorts) {
    this.#ports = ports;
  }

  /** #1 */
  async run(): Promise<void> {
    const { time, times, signal } = this.#ports;
    while (!signal.aborted && !this.#isOver(time.nowMs()) && time.nowMs() < times.reconciliationAtMs) {
      const look = await this.#look();
      if (look !== null) this.looks.push(look);
      this.#noteTaken();
      this.#noteDrained(look);
      await sleep(time, lookEveryMs, signal);
    }
  }

  #isOver(nowMs: number): boolean {
    if (this.drainedAtMs === null) return false;
    return this.looks.at(-1)?.isBreakerOpen !== true || nowMs > this.drainedAtMs + closedSeenMaxMs;
  }

  #noteDrained(look: OutageLook | null): void {
    const { firstTakenAtMs } = this;
    if (this.drainedAtMs !== null || firstTakenAtMs === null || look === null) return;
    if (look.atMs <= firstTakenAtMs || look.waiting > 0) return;
    this.drainedAtMs = look.atMs;
    this.#ports.narrator.say(plannedOutage.bank, "nothing waits for it any more");
  }

  /** #2 */
  async #look(): Promise<OutageLook | null> {
    const { operators, time } = this.#ports;
    const atMs = time.nowMs();
    const undelivered = await requestConsole(this.#ports, operators[0], "/undelivered", { method: "GET" });
    const banks = await requestConsole(this.#ports, operators[0], "/banks", { method: "GET" });
    if (undelivered?.status !== 200 || banks?.status !== 200) return null;
    const waiting = parseRows(undelivered.text).map((row) => readWaiting(row, "deliveries") + readWaiting(row, "postings"));
    const isBreakerOpen = parseRows(banks.text).flatMap((row) => getArray(row, "endpoints").map((address) => this.#noteBreaker(address)));
    return { atMs, waiting: waiting.reduce((sum, count) => sum + count, 0), isBreakerOpen: isBreakerOpen.includes(true) };
  }

  #noteBreaker(address: unknown): boolean {
    const breaker = getMember(address, "breaker");
    if (breaker === null || breaker === undefined) return false;
    const service = getText(address, "service");
    if (!this.breakers.has(service)) {
      const openedAtMs = Temporal.Instant.from(getText(breaker, "since")).epochMilliseconds;
      this.breakers.set(service, { service, openedAtMs, reason: getText(breaker, "reason") });
      this.#ports.narrator.say(service, `tries ${plannedOutage.bank} every 10 s only, with one message: ${getText(breaker, "reason")}`);
    }
    return true;
  }

  #noteTaken(): void {
    if (this.firstTakenAtMs !== null) return;
    const taken = this.#ports.recorded.requests.find(
      ({ entry }) => entry.kind === "received" && entry.bank === plannedOutage.bank && entry.atMs >= this.upAtMs && entry.status === 202,
    );
    if (taken === undefined) return;
    this.firstTakenAtMs = taken.entry.atMs;
    const afterMs = this.firstTakenAtMs - this.upAtMs;
    this.#ports.narrator.say(
      plannedOutage.bank,
      `takes a message again, ${(afterMs / 1_000).toFixed(1)} s after it came back: all that waits is due`,
    );
  }
}

function parseRows(text: string): readonly unknown[] {
  const body: unknown = JSON.parse(text);
  return getArray(body, "rows").filter((row) => getText(row, "bank") === plannedOutage.bank);
}

function readWaiting(row: unknown, what: "deliveries" | "postings"): number {
  return getNumber(getMember(row, what), "waiting") ?? 0;
}
