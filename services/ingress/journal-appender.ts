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
import { Fault, sleep, type Time } from "@sluice/runtime";
import type { Log } from "@sluice/telemetry";
import { createBrokerClock } from "./broker-clock.ts";

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
  const { time, log, messaging } = ports;
  const clock = createBrokerClock(time);
  const stopping = new AbortController();
  let producer: Producer | null = null;
  let obstacle: Obstacle | null = "starting";
  const probing = keepProbing();

  async function append(record: OutgoingRecord): Promise<AppendOutcome> {
    if (obstacle === null && isClockOff()) close("clock");
    if (obstacle !== null || producer === null) return { kind: "unavailable", obstacle: obstacle ?? "starting" };
    return await withinBound(send(producer, record));
  }

  /** Never rejects. A failure closes the door, whether somebody still waits for it or not. */
  async function send(through: Producer, record: OutgoingRecord): Promise<AppendOutcome> {
    const sentMs = time.monotonicMs();
    try {
      const [appended] = await through.send([record]);
      if (appended === undefined) throw new Error("an acknowledgement without a place");
      clock.saw(appended.appendedAtMs, sentMs, time.monotonicMs());
      if (isClockOff()) close("clock");
      return { kind: "appended", partition: appended.partition, offset: appended.offset, appendedAtMs: appended.appendedAtMs };
    } catch (error) {
      close("broker", error);
      const isRefused = error instanceof Fault && error.code === "messaging.refused";
      return isRefused ? { kind: "unavailable", obstacle: "broker" } : { kind: "unknown", reason: "not acknowledged" };
    }
  }

  async function withinBound(sending: Promise<AppendOutcome>): Promise<AppendOutcome> {
    const { promise: tooLate, resolve } = Promise.withResolvers<AppendOutcome>();
    using _timer = time.after(appendTimeoutMs, () => {
      close("broker");
      resolve({ kind: "unknown", reason: "not acknowledged in time" });
    });
    return await Promise.race([sending, tooLate]);
  }

  function isClockOff(): boolean {
    return (clock.skewMs() ?? 0) > skewMaxMs;
  }

  function close(why: "broker" | "clock", error?: unknown): void {
    if (obstacle === null || (why === "clock" && obstacle === "broker"))
      log.warn("ingress.closed", { obstacle: why, skewMs: clock.skewMs() });
    if (error !== undefined) log.debug("ingress.append-failed", { reason: error instanceof Fault ? error.code : "unexpected" });
    if (obstacle !== "stopping") obstacle = why;
  }

  async function keepProbing(): Promise<void> {
    while (!stopping.signal.aborted) {
      if (obstacle !== null || clock.ageMs() >= idleProbeMs) await probe();
      await sleep(time, probeIntervalMs, stopping.signal);
    }
  }

  /** Settles with the probe itself, however long the producer takes: one at a time (#3). */
  async function probe(): Promise<void> {
    try {
      producer ??= await messaging.producer("ingress");
    } catch (error) {
      close("broker", error);
      return;
    }
    const sending = send(producer, { topic: topics.probe, partition: 0, key: null, value: noBytes, headers: {} });
    const inTime = await withinBound(sending);
    const outcome = inTime.kind === "unknown" ? await sending : inTime;
    if (outcome.kind !== "appended" || isClockOff()) return;
    if (obstacle !== null && obstacle !== "stopping") {
      log.info("ingress.open", { was: obstacle });
      obstacle = null;
    }
  }

  return {
    append,
    obstacle: () => (obstacle === null && isClockOff() ? "clock" : obstacle),
    async stop() {
      obstacle = "stopping";
      stopping.abort();
      await probing;
      await producer?.close();
    },
  };
}
