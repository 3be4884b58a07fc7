// The outage of the day: one bank closes its door for some seconds, really: its address refuses connections. What the console says of it is
// looked at all the while, as anybody could.
//
// #1 It is looked at from the opening of the window until nothing waits for the bank any more, it has taken a message again, and its breakers are
//    seen closed: what is known of them is up to a second old.
// #2 A look that fails (the console is being killed) leaves a gap; it is no trouble of the day.

import { sleep } from "@sluice/runtime";
import type { BankSimulator, MemoryRecorder } from "@sluice/testkit";
import { arrayAt, ask, memberAt, numberAt, textAt, type ConsolePorts } from "./console-calls.ts";
import { outage, type DemoTimes } from "./demo-day.ts";
import type { Narrator } from "./narrator.ts";

export interface OutagePorts extends ConsolePorts {
  readonly banks: ReadonlyMap<string, BankSimulator>;
  readonly recorded: MemoryRecorder;
  readonly times: DemoTimes;
  readonly narrator: Narrator;
}

/** Times are epoch ms. */
export interface Outage {
  readonly bank: string;
  readonly downAtMs: number;
  readonly upAtMs: number;
  /** Breakers that were seen open, by who they are of. */
  readonly breakers: readonly { readonly service: string; readonly openedAtMs: number; readonly reason: string }[];
  /** The first message that the bank took when it was back; null: none. */
  readonly firstTakenAtMs: number | null;
  /** When nothing waited for it any more; null: that was not seen. */
  readonly drainedAtMs: number | null;
  readonly looks: readonly OutageLook[];
}

export interface OutageLook {
  readonly atMs: number;
  /** Messages and events that wait for the bank. */
  readonly waiting: number;
  /** Of a breaker of any service. */
  readonly isBreakerOpen: boolean;
}

const lookEveryMs = 250;
const closedSeenMaxMs = 5_000;

export async function playOutage(ports: OutagePorts): Promise<Outage | null> {
  const { time, times, banks, narrator, signal } = ports;
  const bank = banks.get(outage.bank);
  if (bank === undefined) return null;
  await sleep(time, Math.max(0, times.opensAtMs - time.nowMs()), signal);
  const watch = new Watch(ports);
  const watching = watch.run();
  await sleep(time, Math.max(0, times.opensAtMs + outage.fromMs - time.nowMs()), signal);
  await bank.closeDoor();
  const downAtMs = time.nowMs();
  narrator.say(outage.bank, "is down: its address refuses connections; it goes on sending debits");
  await sleep(time, Math.max(0, times.opensAtMs + outage.toMs - time.nowMs()), signal);
  await bank.openDoor();
  watch.upAtMs = time.nowMs();
  narrator.say(outage.bank, `is back; ${watch.looks.at(-1)?.waiting ?? 0} messages and events wait for it`);
  await watching;
  const { looks, upAtMs } = watch;
  const breakers = [...watch.breakers.values()];
  return { bank: outage.bank, downAtMs, upAtMs, breakers, firstTakenAtMs: watch.firstTakenAtMs, drainedAtMs: watch.drainedAtMs, looks };
}

class Watch {
  readonly #ports: OutagePorts;
  readonly looks: OutageLook[] = [];
  readonly breakers = new Map<string, Outage["breakers"][number]>();
  /** Infinity: it is not back yet. */
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
    this.#ports.narrator.say(outage.bank, "nothing waits for it any more");
  }

  /** #2 */
  async #look(): Promise<OutageLook | null> {
    const { operators, time } = this.#ports;
    const atMs = time.nowMs();
    const undelivered = await ask(this.#ports, operators[0], "/undelivered", { method: "GET" });
    const banks = await ask(this.#ports, operators[0], "/banks", { method: "GET" });
    if (undelivered?.status !== 200 || banks?.status !== 200) return null;
    const waiting = rowsOf(undelivered.text).map((row) => waitingIn(row, "deliveries") + waitingIn(row, "postings"));
    const isBreakerOpen = rowsOf(banks.text).flatMap((row) => arrayAt(row, "addresses").map((address) => this.#noteBreaker(address)));
    return { atMs, waiting: waiting.reduce((sum, count) => sum + count, 0), isBreakerOpen: isBreakerOpen.includes(true) };
  }

  #noteBreaker(address: unknown): boolean {
    const breaker = memberAt(address, "breaker");
    if (breaker === null || breaker === undefined) return false;
    const service = textAt(address, "service");
    if (!this.breakers.has(service)) {
      const openedAtMs = Temporal.Instant.from(textAt(breaker, "since")).epochMilliseconds;
      this.breakers.set(service, { service, openedAtMs, reason: textAt(breaker, "reason") });
      this.#ports.narrator.say(service, `tries ${outage.bank} every 10 s only, with one message: ${textAt(breaker, "reason")}`);
    }
    return true;
  }

  #noteTaken(): void {
    if (this.firstTakenAtMs !== null) return;
    const taken = this.#ports.recorded.requests.find(
      ({ entry }) => entry.kind === "received" && entry.bank === outage.bank && entry.atMs >= this.upAtMs && entry.status === 202,
    );
    if (taken === undefined) return;
    this.firstTakenAtMs = taken.entry.atMs;
    const afterMs = this.firstTakenAtMs - this.upAtMs;
    this.#ports.narrator.say(
      outage.bank,
      `takes a message again, ${(afterMs / 1_000).toFixed(1)} s after it came back: all that waits is due`,
    );
  }
}

function rowsOf(text: string): readonly unknown[] {
  const body: unknown = JSON.parse(text);
  return arrayAt(body, "rows").filter((row) => textAt(row, "bank") === outage.bank);
}

function waitingIn(row: unknown, what: "deliveries" | "postings"): number {
  return numberAt(memberAt(row, what), "waiting") ?? 0;
}
