// A Sluice that runs for a test: its addresses and tokens, what became of a transaction, and its clock.
//
// #1 Every error has the end of Sluice's log, so that a failing test says why.
// #2 `stop` may be called twice. At the end of its scope, what is kept for another run goes on; `stop` ends it too.

import { setTimeout as sleep } from "node:timers/promises";
import type { ClockView, SentMessage, TransactionTimeline } from "./answers.ts";
import { type Duration, durationMs } from "./duration.ts";
import type { Launched } from "./launched.ts";
import type { LogTail } from "./log-tail.ts";
import type { GivenServers } from "./servers.ts";
import type { Party } from "./settings.ts";

export interface RunningOptions {
  readonly launched: Launched;
  readonly parties: readonly Party[];
  readonly operatorToken: string;
  readonly zone: string;
  readonly businessDate: string;
  readonly log: LogTail;
  /** False: it is the machine's. */
  readonly isClockMovable: boolean;
  /** #2 */
  readonly isKept: boolean;
  /** Null: Sluice runs over memory. */
  readonly servers: GivenServers | null;
}

/** Of vitest's test context, or of anything alike. */
interface FailureListener {
  onTestFailed(listener: () => void): void;
}

const untilDefault: Duration = "10s";
const lookMs = 25;
const callMaxMs = 300_000;

export class RunningSluice implements AsyncDisposable {
  /** Where banks and connectors call. */
  readonly url: string;
  /** Where banks ask about their own transactions: the same address, but on real servers. */
  readonly consoleUrl: string;
  /** Where operators call. */
  readonly controlUrl: string;
  readonly operatorToken: string;
  /**
   * The date at the clock's start; its window is the one that was asked for. Of one that an earlier run left: its
   * present date.
   */
  readonly businessDate: string;
  /** The zone of the calendar, as an offset. */
  readonly zone: string;
  readonly #options: RunningOptions;
  #stopped: Promise<void> | null = null;

  constructor(options: RunningOptions) {
    this.#options = options;
    this.url = options.launched.url;
    this.consoleUrl = options.launched.consoleUrl;
    this.controlUrl = options.launched.controlUrl;
    this.operatorToken = options.operatorToken;
    this.zone = options.zone;
    this.businessDate = options.businessDate;
  }

  /** The token with which this bank or connector calls Sluice. */
  token(id: string): string {
    return this.#party(id).token;
  }

  /** The token with which Sluice calls this bank or connector. */
  sluiceToken(id: string): string {
    return this.#party(id).sluiceToken;
  }

  /** The branch of this bank's agent in messages. */
  branch(id: string): string {
    const { branch } = this.#party(id);
    if (branch === null) throw new Error(`${id} is a connector and has no branch`);
    return branch;
  }

  /**
   * Kafka, the registry and the store that it runs on: as they were given, or as this machine reaches those that were
   * started with it.
   */
  get servers(): GivenServers {
    if (this.#options.servers === null) throw new Error("Sluice runs over memory: there are no servers");
    return this.#options.servers;
  }

  /** All that happened to a transaction; null: nothing is known of it. */
  async timeline(uetr: string): Promise<TransactionTimeline | null> {
    const { status, text } = await this.#call("GET", `/control/v1/transactions/${uetr.toLowerCase()}`);
    if (status === 404) return null;
    if (status !== 200) throw this.#failure(`the timeline of ${uetr} is answered with ${status}: ${text}`);
    const body: { readonly timeline: TransactionTimeline } = JSON.parse(text);
    return body.timeline;
  }

  /** The messages that Sluice has sent to banks and connectors about a transaction, or tries to send. */
  async sent(uetr: string): Promise<readonly SentMessage[]> {
    const { messages = [] } = (await this.timeline(uetr)) ?? {};
    return messages
      .filter(({ direction }) => direction === "out")
      .map(({ bank, operation, messageIdentification, delivery }) => {
        return { to: bank, operation, messageIdentification, outcome: delivery?.outcome ?? null };
      });
  }

  /** Waits, by the machine's time, until a transaction is in a state or has been in it. */
  async until(uetr: string, state: string, within: Duration = untilDefault): Promise<TransactionTimeline> {
    const deadlineMs = performance.now() + durationMs(within);
    for (;;) {
      const timeline = await this.timeline(uetr);
      if (timeline?.states.some((entered) => entered.state === state) === true) return timeline;
      if (performance.now() > deadlineMs) {
        const entered = timeline?.states.map((one) => one.state).join(", ") ?? "none: it is not known";
        throw this.#failure(`${uetr} is not ${state} within ${within}; its states: ${entered}`);
      }
      await sleep(lookMs);
    }
  }

  /** What Sluice's clock shows. */
  async now(): Promise<Date> {
    return this.#options.isClockMovable ? new Date((await this.#clock("GET", "/clock")).now) : new Date();
  }

  /** Lets this much time pass for Sluice, without the waiting. */
  advance(time: Duration): Promise<ClockView> {
    return this.#clock("POST", "/clock/advance", JSON.stringify({ ms: durationMs(time) }));
  }

  /** Moves Sluice's clock to the next opening, unless a window is open; resolves when it is open. */
  openWindow(): Promise<ClockView> {
    return this.#clock("POST", "/clock/open-window", "");
  }

  /** The last lines of the log. */
  logs(): string {
    return this.#options.log.text();
  }

  /** Prints the log if the test fails: `sluice.attachLogs(context)` with the context of vitest's test. */
  attachLogs(test: FailureListener): void {
    test.onTestFailed(() => console.error(this.logs()));
  }

  /** #2 */
  stop(): Promise<void> {
    this.#stopped ??= this.#options.launched.stop();
    return this.#stopped;
  }

  /** #2 */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#options.isKept) await this.stop();
  }

  #party(id: string): Party {
    const party = this.#options.parties.find((one) => one.id === id);
    if (party === undefined) throw new Error(`there is no bank or connector ${id}`);
    return party;
  }

  async #clock(method: "GET" | "POST", path: string, given: string | null = null): Promise<ClockView> {
    if (!this.#options.isClockMovable)
      throw new Error("on real servers the clock is the machine's, and cannot be moved: wait with until()");
    const { status, text } = await this.#call(method, path, given);
    if (status !== 200) throw this.#failure(`${method} ${path} is answered with ${status}: ${text}`);
    const view: ClockView = JSON.parse(text);
    return view;
  }

  async #call(method: "GET" | "POST", path: string, given: string | null = null) {
    const headers = { authorization: `Bearer ${this.operatorToken}` };
    const more = given === null ? {} : { body: given };
    try {
      const answer = await fetch(`${this.controlUrl}${path}`, { method, headers, signal: AbortSignal.timeout(callMaxMs), ...more });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      throw this.#failure(`${method} ${path} is not answered`, error);
    }
  }

  /** #1 */
  #failure(message: string, cause?: unknown): Error {
    return new Error(this.#options.log.explain(message), cause === undefined ? {} : { cause });
  }
}
