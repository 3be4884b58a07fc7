// The way into the journal, with a bound on how long a caller waits and no attempt while the broker is known to be away.
//
// #1 `appended` is said only after the log acknowledged the record.
// #2 A caller waits at most 1 s. After that the outcome is `unknown`: the record may be there or may still get there, and nobody here
//    waits for it any more.
// #3 The first failure closes the door: every append is `unavailable` at once, without a try, until a probe was acknowledged. Probes
//    go out a second apart, one at a time, behind whatever still waits in the producer; so when one is acknowledged, nothing old waits.
// #4 The door is also closed while this process's clock is more than 2 s off the log's, judged at every append and at every answer; and
//    after 10 s without an append a probe asks, so that a clock that jumped while nobody called is noticed before it stamps anything much.

import { topics } from "@sluice/contracts";
import type { Messaging, OutgoingRecord, Producer } from "@sluice/messaging";
import { assert, Fault, sleep, type Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { createBrokerClock, type BrokerClock } from "./broker-clock.ts";

export type AppendOutcome =
  | { readonly kind: "appended"; readonly partition: number; readonly offset: bigint; readonly appendedAtMs: number }
  /** Not in the journal. */
  | { readonly kind: "unavailable"; readonly obstacle: Obstacle }
  /** In the journal or not. */
  | { readonly kind: "unknown"; readonly reason: string };

export type Obstacle = "starting" | "broker" | "clock" | "stopping";

export interface JournalAppender {
  append(record: OutgoingRecord): Promise<AppendOutcome>;
  /** Why nothing can be appended now; null: it can. */
  obstacle(): Obstacle | null;
  stop(): Promise<void>;
}

export interface AppenderPorts {
  readonly time: Time;
  readonly log: Log;
  readonly messaging: Messaging;
}

const appendTimeoutMs = 1_000;
const probeIntervalMs = 1_000;
const idleProbeMs = 10_000;
const skewMaxMs = 2_000;
const noBytes = new Uint8Array();

export function createJournalAppender(ports: AppenderPorts): JournalAppender {
  const appender = new Appender(ports);
  appender.start();
  return appender;
}

class Appender implements JournalAppender {
  readonly #time: Time;
  readonly #log: Log;
  readonly #messaging: Messaging;
  readonly #clock: BrokerClock;
  readonly #stopping = new AbortController();
  #producer: Producer | null = null;
  #obstacle: Obstacle | null = "starting";
  #probing: Promise<void> = Promise.resolve();

  constructor({ time, log, messaging }: AppenderPorts) {
    this.#time = time;
    this.#log = log;
    this.#messaging = messaging;
    this.#clock = createBrokerClock(time);
  }

  start(): void {
    this.#probing = this.#keepProbing();
  }

  obstacle(): Obstacle | null {
    return this.#obstacle === null && this.#isClockOff() ? "clock" : this.#obstacle;
  }

  async append(record: OutgoingRecord): Promise<AppendOutcome> {
    if (this.#obstacle === null && this.#isClockOff()) this.#close("clock");
    if (this.#obstacle !== null || this.#producer === null) return { kind: "unavailable", obstacle: this.#obstacle ?? "starting" };
    return await this.#withinBound(this.#send(this.#producer, record));
  }

  async stop(): Promise<void> {
    this.#obstacle = "stopping";
    this.#stopping.abort();
    await this.#probing;
    await this.#producer?.close();
  }

  /** Never rejects. A failure closes the door, whether somebody still waits for it or not. */
  async #send(through: Producer, record: OutgoingRecord): Promise<AppendOutcome> {
    const sentMs = this.#time.monotonicMs();
    try {
      const [appended] = await through.send([record]);
      assert(appended !== undefined, "a send answers for each record");
      this.#clock.saw(appended.appendedAtMs, sentMs, this.#time.monotonicMs());
      if (this.#isClockOff()) this.#close("clock");
      return { kind: "appended", partition: appended.partition, offset: appended.offset, appendedAtMs: appended.appendedAtMs };
    } catch (error) {
      this.#close("broker", error);
      const isRefused = error instanceof Fault && error.code === "messaging.refused";
      return isRefused ? { kind: "unavailable", obstacle: "broker" } : { kind: "unknown", reason: "not acknowledged" };
    }
  }

  async #withinBound(sending: Promise<AppendOutcome>): Promise<AppendOutcome> {
    const { promise: tooLate, resolve } = Promise.withResolvers<AppendOutcome>();
    using _timer = this.#time.after(appendTimeoutMs, () => {
      this.#close("broker");
      resolve({ kind: "unknown", reason: "not acknowledged in time" });
    });
    return await Promise.race([sending, tooLate]);
  }

  async #keepProbing(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#obstacle !== null || this.#clock.ageMs() >= idleProbeMs) await this.#probe();
      await sleep(this.#time, probeIntervalMs, this.#stopping.signal);
    }
  }

  /** Settles with the probe itself, however long the producer takes: one at a time (#3). */
  async #probe(): Promise<void> {
    try {
      this.#producer ??= await this.#messaging.producer("ingress");
    } catch (error) {
      this.#close("broker", error);
      return;
    }
    const sending = this.#send(this.#producer, { topic: topics.probe, partition: 0, key: null, value: noBytes, headers: {} });
    const inTime = await this.#withinBound(sending);
    const outcome = inTime.kind === "unknown" ? await sending : inTime;
    if (outcome.kind === "appended" && !this.#isClockOff()) this.#open();
  }

  #isClockOff(): boolean {
    return (this.#clock.skewMs() ?? 0) > skewMaxMs;
  }

  #open(): void {
    if (this.#obstacle === null || this.#obstacle === "stopping") return;
    this.#log.info("ingress.open", { was: this.#obstacle });
    this.#obstacle = null;
  }

  #close(why: "broker" | "clock", error?: unknown): void {
    const reason = error === undefined ? undefined : error instanceof Fault ? error.code : "unexpected";
    if (this.#obstacle !== why)
      this.#log.warn("ingress.closed", { obstacle: why, was: this.#obstacle, reason, skewMs: this.#clock.skewMs() });
    if (this.#obstacle !== "stopping") this.#obstacle = why;
  }
}
