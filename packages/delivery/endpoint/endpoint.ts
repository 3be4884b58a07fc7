// One endpoint of a receiver, in the whole process: whether it may be called, how often at once, what is tried first.
//
// #1 An open breaker lets only probes through. During a `Retry-After` no attempt begins, but for one it would outlast.
// #2 One probe runs at a time, over all partitions. The next is due `probeIntervalMs` after the last began, or at the
//    end of a `Retry-After` if that is later. While there is nothing to try, it stays due.
// #3 The first acknowledgement closes the breaker: all messages are due once no `Retry-After` runs; the limit grows.
// #4 While the breaker is open, answers to attempts from before and failed probes change nothing else.
// #5 Its health is advice: each process learns for itself, and a restart continues from the stored one (endpoints.ts).
//    While deliveries succeed it is written once a minute, over the value of a process that lost its partitions.
// #6 An endpoint is throttled while a `Retry-After` runs, or while it bears fewer requests at once than configured,
//    except in the ramp after a breaker closed. Begin and end are counted and logged apart from the breaker.

import type { Logger, Time } from "@sluice/kernel";
import type { EndpointHealth } from "@sluice/store";
import type { AttemptAnswer } from "./attempt-answer.ts";
import { AttemptSlots } from "./attempt-slots.ts";
import { isBreakerReason, isEvidence, probeIntervalMs, type BreakerReason } from "./breaker.ts";
import { BreakerJudge } from "./breaker-judge.ts";
import {
  learntLimit,
  restoredConcurrency,
  lowerLimit,
  raiseLimit,
  rampLimit,
  initialConcurrency,
  type LearntConcurrency,
} from "./concurrency.ts";
import type { DeliveryMetrics } from "../metrics.ts";
import { RetryPlaces, type ProcessLimit } from "./retry-places.ts";
import { retryAfterMaxMs, parseRetryAfterMs } from "../attempt/retry-law.ts";

/** Acts on the backlogs of all partitions (endpoint-suspension.ts). */
export interface EndpointEvents {
  /** From now on no attempt to the endpoint begins. */
  suspended(endpoint: Endpoint): void;
  /** Attempts begin again. `isAllDue`: all waiting messages are due, whatever they waited for. */
  released(endpoint: Endpoint, isAllDue: boolean): void;
  /** Tries one message; false where there is none. */
  probe(endpoint: Endpoint): boolean;
  /** Its health has changed. */
  changed(endpoint: Endpoint): void;
}

export interface EndpointOptions {
  readonly receiverId: string;
  /** The origin of its URL; null where the receiver has no address, or is not configured. */
  readonly origin: string | null;
  readonly connections: number;
  readonly isLearning: boolean;
  /** Milliseconds that one attempt may take. */
  readonly attemptTimeoutMs: number;
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: DeliveryMetrics;
  readonly brokerClock: { nowMs(): number };
  readonly events: EndpointEvents;
  /** The parked messages that the process has in hand. */
  readonly retryLimit: ProcessLimit;
}

export type BlockReason = "breaker" | "retry-after";

const emptyProbeWaitMs = 1_000;
const healthIntervalMs = 60_000;
/** The weight of the newest answer in the moving average. */
const averageWeight = 0.05;
const never = Number.NEGATIVE_INFINITY;

export class Endpoint {
  readonly receiverId: string;
  readonly origin: string | null;
  readonly slots: AttemptSlots;
  readonly places: RetryPlaces;
  readonly #options: EndpointOptions;
  /** Labels of its metrics and fields of its log lines. */
  readonly labels: { readonly receiver: string; readonly endpoint: string };
  readonly #judge: BreakerJudge;
  /** Whether the next probe is a fresh message: every other one is. */
  isProbeFresh = true;
  #concurrency: LearntConcurrency;
  #open: { readonly sinceMs: number; readonly reason: BreakerReason } | null = null;
  /** Milliseconds of the monotonic clock. */
  #retryAfterUntilMs = never;
  /** When the receiver asked for it last, in milliseconds of the broker clock. */
  #retryAfterSetAtMs = never;
  #isThrottled = false;
  /** Milliseconds of the process's own clock, which stamps attempts. */
  #dueSinceMs: number | null = null;
  /** The moving average of how long attempts take, in milliseconds; null before the first. */
  #answerMs: number | null = null;
  #retryAfterTimer: Disposable | null = null;
  #probeTimer: Disposable | null = null;
  #isProbeDue = false;
  /** Milliseconds of the monotonic clock; a `Retry-After` that ends later puts the probe off. */
  #nextProbeAtMs = never;
  #isProbing = false;
  #hasProbeBegun = false;
  /** When the last probe began, in milliseconds of the monotonic clock. */
  #probedAtMs = never;
  #resumedAtMs = never;
  /** What an operator's newest check of it brought. */
  check: EndpointHealth["check"] = null;
  #isStopped = false;
  /** #5, in milliseconds of the monotonic clock. */
  #healthWrittenAtMs: number;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#healthWrittenAtMs = options.time.monotonicMs();
    this.#judge = new BreakerJudge(this.#healthWrittenAtMs);
    this.receiverId = options.receiverId;
    this.origin = options.origin;
    this.labels = { receiver: options.receiverId, endpoint: options.origin ?? "none" };
    this.slots = new AttemptSlots(options.time, options.connections);
    this.places = new RetryPlaces(options.retryLimit, (use) => this.slots.maxFor(use));
    this.#concurrency = initialConcurrency(this.slots.slotsMax);
    if (options.origin === null) return;
    const { metrics } = options;
    metrics.breakerOpen.set(0, this.labels);
    metrics.retryAfterSeconds.set(0, this.labels);
    metrics.concurrency.set(this.slots.limit, this.labels);
  }

  get isBreakerOpen(): boolean {
    return this.#open !== null;
  }

  get isBackingOff(): boolean {
    return this.#retryAfterUntilMs > this.#options.time.monotonicMs();
  }

  /** A message tried last before this time is due; epoch ms of the process's clock, null where there is none. */
  get dueSinceMs(): number | null {
    return this.#dueSinceMs;
  }

  /** #1. When an attempt may begin (monotonic; Infinity: unknown). Attempts end at `endMs` (broker clock, or null). */
  freeAtMs(endMs: number | null): number {
    if (this.#open !== null) return Number.POSITIVE_INFINITY;
    const { time, brokerClock, attemptTimeoutMs } = this.#options;
    const nowMs = time.monotonicMs();
    if (this.#retryAfterUntilMs <= nowMs) return nowMs;
    const lastStartMs = endMs === null ? Number.POSITIVE_INFINITY : nowMs + endMs - brokerClock.nowMs() - attemptTimeoutMs;
    return Math.min(this.#retryAfterUntilMs, Math.max(nowMs, lastStartMs));
  }

  /** Why no attempt may begin now; null where one may. */
  blockReason(endMs: number | null): BlockReason | null {
    if (this.#open !== null) return "breaker";
    return this.#retryAfterUntilMs > never && this.freeAtMs(endMs) > this.#options.time.monotonicMs() ? "retry-after" : null;
  }

  /** Milliseconds that a new message would wait for its slot, estimated from the answers so far; 0 before the first. */
  get expectedWaitMs(): number {
    return this.#answerMs === null ? 0 : (this.slots.waiting / this.slots.limit) * this.#answerMs;
  }

  recordAnswer(answer: AttemptAnswer): void {
    const { events } = this.#options;
    this.#answerMs = this.#answerMs === null ? answer.tookMs : this.#answerMs + (answer.tookMs - this.#answerMs) * averageWeight;
    if (answer.class === "acknowledged") return this.#recordAcknowledgement(answer.nowMs);
    this.#applyRetryAfter(answer);
    // #4
    if (this.#open !== null) return;
    this.#judge.recordFailure(answer);
    this.#throttle(answer);
    const reason = this.#judge.reasonToOpen(answer.nowMs);
    if (reason === null) return;
    this.#openBreaker(reason);
    events.suspended(this);
  }

  /** #2. Starts the probe if it is due; the caller has a message that could be tried. */
  probeIfDue(): void {
    if (!this.#isProbeDue || this.#isProbing || this.#open === null || this.#isStopped) return;
    this.#isProbing = true;
    this.#hasProbeBegun = false;
    this.#probedAtMs = this.#options.time.monotonicMs();
    if (this.#options.events.probe(this)) this.#isProbeDue = false;
    else this.#isProbing = false;
  }

  markProbeStarted(): void {
    this.#hasProbeBegun = true;
    this.isProbeFresh = !this.isProbeFresh;
    this.#probedAtMs = this.#options.time.monotonicMs();
  }

  /** Ends a probe, also one without an attempt because its message had ended. */
  endProbe(): void {
    this.#isProbing = false;
    if (this.#open === null) return;
    const tookMs = this.#options.time.monotonicMs() - this.#probedAtMs;
    this.#probeIn(this.#hasProbeBegun ? probeIntervalMs[this.#open.reason] - tookMs : emptyProbeWaitMs);
  }

  /**
   * An operator resumed the receiver at `atMs` of the broker clock: an open breaker's next probe is due, and an older
   * `Retry-After` ends. A newer one stays, because a partition that lags behind reads the resume late.
   */
  resume(atMs: number): void {
    if (this.#isStopped) return;
    const { events } = this.#options;
    const wasBackingOff = this.#retryAfterUntilMs > never && this.#retryAfterSetAtMs <= atMs;
    if (wasBackingOff) {
      this.#liftRetryAfter();
      events.changed(this);
    }
    if (this.#open === null && wasBackingOff) return events.released(this, false);
    // Each partition calls this when it reads the resume; one probe is enough for all.
    const nowMs = this.#options.time.monotonicMs();
    if (this.#open === null || this.#isProbing || nowMs - this.#resumedAtMs < probeIntervalMs[this.#open.reason]) return;
    this.#resumedAtMs = nowMs;
    this.#probeIn(0);
  }

  /** Our credentials were replaced: all that waits is due, or the next probe is. A `Retry-After` stays. */
  retryWithNewCredentials(): void {
    if (this.#isStopped) return;
    if (this.#open === null) {
      this.#dueSinceMs = this.#options.time.nowMs();
      this.#options.events.released(this, true);
    } else if (!this.#isProbing) this.#probeIn(0);
  }

  health(service: string): EndpointHealth | null {
    const { receiverId, origin } = this;
    if (origin === null) return null;
    const { time, brokerClock } = this.#options;
    const leftMs = this.#retryAfterUntilMs - time.monotonicMs();
    const known = { service, receiverId, origin, check: this.check, changes: this.#judge.changes, checks: [] };
    return {
      ...known,
      breaker: this.#open,
      concurrency: learntLimit(this.#concurrency),
      retryAfterUntilMs: leftMs > 0 ? Math.ceil(brokerClock.nowMs() + leftMs) : null,
      updatedAtMs: time.nowMs(),
    };
  }

  /** #5. Continues from the stored health; with an open breaker a probe is due at once. */
  restore({ breaker, concurrency, retryAfterUntilMs, check, changes }: EndpointHealth): void {
    this.check = check;
    this.#judge.changes = changes;
    const retryAfterLeftMs = retryAfterUntilMs === null ? 0 : retryAfterUntilMs - this.#options.brokerClock.nowMs();
    const learnt = this.#options.isLearning ? restoredConcurrency(concurrency, this.slots.slotsMax) : this.#concurrency;
    // The state continues, so this is no transition.
    this.#isThrottled = retryAfterLeftMs > 0 || learntLimit(learnt) < this.slots.slotsMax;
    this.#suspendFor(retryAfterLeftMs);
    this.#retryAfterSetAtMs = never;
    this.#learn(learnt);
    if (breaker === null) return;
    const reason = isBreakerReason(breaker.reason) ? breaker.reason : "transient";
    this.#open = { sinceMs: breaker.sinceMs, reason };
    this.#options.metrics.breakerOpen.set(1, this.labels);
    this.#options.logger.warn("breaker.still-open", { ...this.labels, reason, sinceMs: breaker.sinceMs });
    this.#probeIn(0);
  }

  /** Cancels its timers. Who waits for a slot of it may still get one. */
  stop(): void {
    this.#isStopped = true;
    this.#retryAfterTimer?.[Symbol.dispose]();
    this.#probeTimer?.[Symbol.dispose]();
  }

  #recordAcknowledgement(nowMs: number): void {
    this.slots.recordAcknowledgement(nowMs);
    this.#judge.recordAcknowledgement(nowMs);
    if (this.#open !== null) return this.#closeBreaker();
    this.#refreshHealth(nowMs);
    if (this.#options.isLearning) this.#learn(raiseLimit(this.#concurrency, this.slots.running, this.slots.slotsMax));
  }

  /** #5 */
  #refreshHealth(nowMs: number): void {
    if (nowMs - this.#healthWrittenAtMs < healthIntervalMs) return;
    this.#healthWrittenAtMs = nowMs;
    this.#options.events.changed(this);
  }

  #openBreaker(reason: BreakerReason): void {
    const { time, logger, metrics, events } = this.#options;
    this.#open = { sinceMs: time.nowMs(), reason };
    this.isProbeFresh = true;
    const failures = this.#judge.recordOpened(reason, time.monotonicMs(), time.nowMs());
    metrics.breakerOpen.set(1, this.labels);
    metrics.breakerTransitions.add({ ...this.labels, to: "open" });
    logger.warn("breaker.opened", { ...this.labels, reason, failures });
    this.#probeIn(probeIntervalMs[reason]);
    events.changed(this);
  }

  /** #3 */
  #closeBreaker(): void {
    if (this.#open === null) return;
    const { time, logger, metrics, events } = this.#options;
    const openForMs = time.nowMs() - this.#open.sinceMs;
    this.#open = null;
    this.#judge.recordClosed(time.monotonicMs(), time.nowMs());
    this.#dueSinceMs = time.nowMs();
    this.#isProbeDue = false;
    this.#probeTimer?.[Symbol.dispose]();
    this.#probeTimer = null;
    if (this.#options.isLearning) this.#learn(rampLimit(this.#concurrency));
    metrics.breakerOpen.set(0, this.labels);
    metrics.breakerTransitions.add({ ...this.labels, to: "closed" });
    logger.info("breaker.closed", { ...this.labels, openForMs });
    events.changed(this);
    events.released(this, true);
  }

  #probeIn(waitMs: number): void {
    const { time } = this.#options;
    this.#probeTimer?.[Symbol.dispose]();
    this.#probeTimer = null;
    this.#isProbeDue = false;
    if (this.#isStopped) return;
    const nowMs = time.monotonicMs();
    this.#nextProbeAtMs = nowMs + waitMs;
    const leftMs = Math.max(waitMs, this.#retryAfterUntilMs - nowMs, 0);
    this.#probeTimer = time.after(Math.ceil(leftMs), () => {
      this.#probeTimer = null;
      this.#isProbeDue = true;
      this.probeIfDue();
    });
  }

  #applyRetryAfter({ status, retryAfter }: AttemptAnswer): void {
    if (status !== 429 && status !== 503) return;
    const waitMs = parseRetryAfterMs(retryAfter, this.#options.brokerClock.nowMs());
    if (waitMs === null || !this.#suspendFor(waitMs)) return;
    this.#options.events.changed(this);
    if (this.#open === null) this.#options.events.suspended(this);
    else if (!this.#isProbing) this.#probeIn(this.#nextProbeAtMs - this.#options.time.monotonicMs());
  }

  /** Suspends attempts; the longest wait wins. False where nothing changed. */
  #suspendFor(forMs: number): boolean {
    const { time, logger, metrics, brokerClock, events } = this.#options;
    const waitMs = Math.min(forMs, retryAfterMaxMs);
    const endsAtMs = time.monotonicMs() + waitMs;
    if (waitMs <= 0 || endsAtMs <= this.#retryAfterUntilMs) return false;
    this.#retryAfterUntilMs = endsAtMs;
    this.#retryAfterSetAtMs = brokerClock.nowMs();
    this.#retryAfterTimer?.[Symbol.dispose]();
    if (this.#isStopped) return true;
    this.#retryAfterTimer = time.after(Math.ceil(waitMs), () => {
      this.#liftRetryAfter();
      events.changed(this);
      if (this.#open === null) events.released(this, false);
    });
    metrics.retryAfterSeconds.set(Math.ceil(waitMs / 1_000), this.labels);
    logger.info("endpoint.retry-after", { ...this.labels, untilMs: Math.ceil(brokerClock.nowMs() + waitMs) });
    this.#noteThrottled();
    return true;
  }

  #liftRetryAfter(): void {
    if (this.#retryAfterUntilMs === never) return;
    this.#retryAfterTimer?.[Symbol.dispose]();
    this.#retryAfterTimer = null;
    this.#retryAfterUntilMs = never;
    this.#options.metrics.retryAfterSeconds.set(0, this.labels);
    this.#noteThrottled();
  }

  #throttle({ status, retryAfter, isTimeout, startedMs, nowMs, failedBefore }: AttemptAnswer): void {
    if (!this.#options.isLearning) return;
    const isAsked = status === 429 || (status === 503 && retryAfter !== null);
    const isSign = isEvidence({ failedBefore }) && (status === 503 || isTimeout) && this.#judge.isOfSeveral;
    if (!isAsked && !isSign) return;
    const before = this.slots.limit;
    this.#learn(lowerLimit(this.#concurrency, { startedMs, nowMs, isTimeout }));
    if (this.slots.limit < before) this.#options.logger.info("endpoint.throttled", { ...this.labels, concurrency: this.slots.limit });
  }

  #learn(next: LearntConcurrency): void {
    if (next === this.#concurrency) return;
    this.#concurrency = next;
    this.#noteThrottled();
    const limit = Math.floor(next.limit);
    if (limit === this.slots.limit) return;
    this.slots.setLimit(limit);
    this.places.serve();
    this.#options.metrics.concurrency.set(limit, this.labels);
    this.#options.events.changed(this);
  }

  /** #6 */
  #noteThrottled(): void {
    const isThrottled = this.#retryAfterUntilMs > never || learntLimit(this.#concurrency) < this.slots.slotsMax;
    if (isThrottled === this.#isThrottled) return;
    this.#isThrottled = isThrottled;
    const { logger, metrics } = this.#options;
    metrics.throttleTransitions.add({ ...this.labels, to: isThrottled ? "throttled" : "active" });
    if (!isThrottled) logger.info("endpoint.unthrottled", this.labels);
  }
}
