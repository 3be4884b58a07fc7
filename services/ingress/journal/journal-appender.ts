// Appends records to the journal. It bounds how long a caller waits, and makes no attempt while the broker is known to
// be away.
//
// #1 `appended` is returned only after the broker has acknowledged the record.
// #2 A caller waits at most 1 s, less if it had to wait for its turn before. After that the outcome is `unknown`: the
//    record may be in the journal or may still get there, and nobody here waits for it any more.
// #3 After the first failure the appender accepts nothing: every append is `unavailable` at once, without an attempt,
//    until a probe was acknowledged. Probes go out a second apart, one at a time, behind everything that still waits in
//    the producer; so once a probe is acknowledged, nothing old waits.
// #4 It also accepts nothing while this process's clock is more than 2 s off the broker's, which is checked at every
//    append and every acknowledgement. After 10 s without an append a probe is sent, so that a clock that jumped
//    meanwhile is noticed before it stamps messages.

import { topics } from "@sluice/contracts";
import { type BrokerClock, createBrokerClock, type Messaging, type OutgoingRecord, type Producer, skewMaxMs } from "@sluice/messaging";
import { assert, Fault, type Logger, sleep, type Time } from "@sluice/kernel";

export type AppendOutcome =
  | { readonly kind: "appended"; readonly partition: number; readonly offset: bigint; readonly appendedAtMs: number }
  /** The record is not in the journal. */
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason }
  /** The record may be in the journal or not. */
  | { readonly kind: "unknown"; readonly reason: string };

type UnavailableReason = "starting" | "broker" | "clock" | "stopping";

export interface JournalAppender {
  /** `waitMaxMs` is what is left of the time in which the caller must be answered, a second at most. */
  append(record: OutgoingRecord, waitMaxMs?: number): Promise<AppendOutcome>;
  /** Why nothing can be appended now; null: the appender accepts records. */
  unavailableReason(): UnavailableReason | null;
  stop(): Promise<void>;
}

export interface AppenderPorts {
  readonly time: Time;
  readonly logger: Logger;
  readonly messaging: Messaging;
}

const appendTimeoutMs = 1_000;
const probeIntervalMs = 1_000;
const idleProbeMs = 10_000;
const noBytes = new Uint8Array();

export function createJournalAppender(ports: AppenderPorts): JournalAppender {
  const appender = new Appender(ports);
  appender.start();
  return appender;
}

class Appender implements JournalAppender {
  readonly #time: Time;
  readonly #log: Logger;
  readonly #messaging: Messaging;
  readonly #clock: BrokerClock;
  readonly #stopping = new AbortController();
  #producer: Producer | null = null;
  #unavailable: UnavailableReason | null = "starting";
  #probing: Promise<void> = Promise.resolve();

  constructor({ time, logger, messaging }: AppenderPorts) {
    this.#time = time;
    this.#log = logger;
    this.#messaging = messaging;
    this.#clock = createBrokerClock(time);
  }

  start(): void {
    this.#probing = this.#keepProbing();
  }

  unavailableReason(): UnavailableReason | null {
    return this.#unavailable === null && this.#isClockOff() ? "clock" : this.#unavailable;
  }

  async append(record: OutgoingRecord, waitMaxMs = appendTimeoutMs): Promise<AppendOutcome> {
    if (this.#unavailable === null && this.#isClockOff()) this.#suspend("clock");
    if (this.#unavailable !== null || this.#producer === null) return { kind: "unavailable", reason: this.#unavailable ?? "starting" };
    return await this.#withinBound(this.#send(this.#producer, record), waitMaxMs);
  }

  async stop(): Promise<void> {
    this.#unavailable = "stopping";
    this.#stopping.abort();
    await this.#probing;
    await this.#producer?.close();
  }

  /** Never rejects. After a failure the appender accepts nothing, whether a caller still waits or not. */
  async #send(through: Producer, record: OutgoingRecord): Promise<AppendOutcome> {
    const sentMs = this.#time.monotonicMs();
    try {
      const [appended] = await through.send([record]);
      assert(appended !== undefined, "a send answers for each record");
      this.#clock.measure(appended.appendedAtMs, sentMs);
      if (this.#isClockOff()) this.#suspend("clock");
      return { kind: "appended", partition: appended.partition, offset: appended.offset, appendedAtMs: appended.appendedAtMs };
    } catch (error) {
      this.#suspend("broker", error);
      const isRefused = error instanceof Fault && error.code === "messaging.refused";
      return isRefused ? { kind: "unavailable", reason: "broker" } : { kind: "unknown", reason: "not acknowledged" };
    }
  }

  /** The broker has its whole second, also if the caller waits for a part of it only (#3). */
  async #withinBound(sending: Promise<AppendOutcome>, waitMaxMs = appendTimeoutMs): Promise<AppendOutcome> {
    const suspending = this.#time.after(appendTimeoutMs, () => this.#suspend("broker"));
    void sending.then(() => suspending[Symbol.dispose]());
    const { promise: tooLate, resolve } = Promise.withResolvers<AppendOutcome>();
    const timer = this.#time.after(waitMaxMs, () => resolve({ kind: "unknown", reason: "not acknowledged in time" }));
    try {
      return await Promise.race([sending, tooLate]);
    } finally {
      timer[Symbol.dispose]();
    }
  }

  async #keepProbing(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#unavailable !== null || this.#clock.ageMs() >= idleProbeMs) await this.#probe();
      await sleep(this.#time, probeIntervalMs, this.#stopping.signal);
    }
  }

  /** Settles when the probe itself does, however long the producer takes: there is one at a time (#3). */
  async #probe(): Promise<void> {
    try {
      this.#producer ??= await this.#messaging.producer("ingress");
    } catch (error) {
      this.#suspend("broker", error);
      return;
    }
    const sending = this.#send(this.#producer, { topic: topics.probe, partition: 0, key: null, value: noBytes, headers: {} });
    const inTime = await this.#withinBound(sending);
    const outcome = inTime.kind === "unknown" ? await sending : inTime;
    if (outcome.kind === "appended" && !this.#isClockOff()) this.#resume();
  }

  #isClockOff(): boolean {
    return (this.#clock.skewMs() ?? 0) > skewMaxMs;
  }

  #resume(): void {
    if (this.#unavailable === null || this.#unavailable === "stopping") return;
    this.#log.info("ingress.open", { was: this.#unavailable });
    this.#unavailable = null;
  }

  #suspend(why: "broker" | "clock", error?: unknown): void {
    const reason = error === undefined ? undefined : error instanceof Fault ? error.code : "unexpected";
    if (this.#unavailable !== why)
      this.#log.warn("ingress.closed", { unavailable: why, was: this.#unavailable, reason, skewMs: this.#clock.skewMs() });
    if (this.#unavailable !== "stopping") this.#unavailable = why;
  }
}
