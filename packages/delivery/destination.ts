// An address of a receiver, for the whole process: whether it may be called now, how often at once, and who tries first when it is down.
//
// #1 While the breaker is open, or a gate stands (`Retry-After`), no attempt begins but a probe; and where only a gate stands, one whose
//    attempts would be over by its end.
// #2 One probe at a time, over all lanes. The next is due `probeSpacingMs` after the last began, or at the end of a gate if that is later.
//    With nothing to try it stays due until there is something.
// #3 The first acknowledgement closes the breaker: all that waits is due, as soon as no gate stands, and the limit grows from two.
// #4 Answers to attempts that began before the breaker opened change nothing else while it is open, nor does a probe that fails.
// #5 What is known here is advice: another process learns it by itself, and a restart goes on with it (destinations.ts).
//    Who is acknowledged says so once a minute: what a process wrote that has lost its lanes since does not stay.
// #6 Throttled: a gate stands, or it bears fewer requests at once than configured. When that begins and ends it is counted and logged, beside the
//    breaker; the first requests after a breaker closed are few, and no sign of it.

import type { Time } from "@sluice/runtime";
import type { AddressStanding } from "@sluice/store";
import type { Log } from "@sluice/telemetry";
import { BankSlots } from "./bank-slots.ts";
import { counted, noRows, opensFor, probeSpacingMs, type BreakerReason, type Rows } from "./breaker.ts";
import { bearsAtOnce, learntBefore, lowered, raised, ramped, unlearnt, type Concurrency } from "./concurrency.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import { retryAfterMaxMs, retryAfterMs, type AnswerClass } from "./retry-law.ts";

/** What becomes of what waits in the lanes (held.ts). */
export interface DestinationEvents {
  /** No attempt to it begins from now on. */
  held(destination: Destination): void;
  /** Attempts begin again. `isAllDue`: whatever they waited for. */
  released(destination: Destination, isAllDue: boolean): void;
  /** One message is to be tried; false: there is none. */
  probe(destination: Destination): boolean;
  /** Its standing is news. */
  changed(destination: Destination): void;
}

export interface DestinationOptions {
  readonly bank: string;
  /** Origin; null: the receiver has no address, or is not configured. */
  readonly address: string | null;
  readonly connections: number;
  readonly isLearning: boolean;
  /** How long one attempt may take. */
  readonly attemptTimeoutMs: number;
  readonly time: Time;
  readonly log: Log;
  readonly metrics: DeliveryMetrics;
  readonly agreed: { nowMs(): number };
  readonly events: DestinationEvents;
}

export interface Answered {
  readonly class: AnswerClass;
  readonly uetr: string;
  /** Null: no answer. */
  readonly status: number | null;
  readonly isTimeout: boolean;
  readonly isDuplicateCode: boolean;
  readonly retryAfter: string | null;
  readonly tookMs: number;
  /** When the attempt began, and when its answer came: monotonic. */
  readonly startedMs: number;
  readonly nowMs: number;
}

export type Hold = "breaker" | "gate";

const nothingToProbeWaitMs = 1_000;
const standingSpacingMs = 60_000;
/** Of the newest answer in the average. */
const averageWeight = 0.05;
const never = Number.NEGATIVE_INFINITY;

export class Destination {
  readonly bank: string;
  readonly address: string | null;
  readonly slots: BankSlots;
  readonly #options: DestinationOptions;
  /** Of metrics and logs. */
  readonly labels: { readonly bank: string; readonly address: string };
  #rows: Rows = noRows;
  #concurrency: Concurrency;
  #open: { readonly sinceMs: number; readonly reason: BreakerReason } | null = null;
  /** Monotonic. */
  #gateEndsAtMs = never;
  /** When it was asked for last, agreed. */
  #gatedAtMs = never;
  #isThrottled = false;
  /** Own clock, as attempts are recorded. */
  #dueSinceMs: number | null = null;
  /** Moving average of how long attempts take; null: none was made. */
  #answerMs: number | null = null;
  #gateTimer: Disposable | null = null;
  #probeTimer: Disposable | null = null;
  #isProbeDue = false;
  /** Monotonic; it is put off to the end of a gate that is later. */
  #nextProbeAtMs = never;
  #isProbing = false;
  #hasProbeBegun = false;
  /** When the last one began, monotonic. */
  #probedAtMs = never;
  #recalledAtMs = never;
  #isStopped = false;
  /** Monotonic; #5. */
  #saidAtMs: number;

  constructor(options: DestinationOptions) {
    this.#options = options;
    this.#saidAtMs = options.time.monotonicMs();
    this.bank = options.bank;
    this.address = options.address;
    this.labels = { bank: options.bank, address: options.address ?? "none" };
    this.slots = new BankSlots(options.time, options.connections);
    this.#concurrency = unlearnt(this.slots.slotsMax);
    if (options.address === null) return;
    const { metrics } = options;
    metrics.breakerOpen.set(0, this.labels);
    metrics.gateSeconds.set(0, this.labels);
    metrics.concurrency.set(this.slots.limit, this.labels);
  }

  get isBreakerOpen(): boolean {
    return this.#open !== null;
  }

  get isGated(): boolean {
    return this.#gateEndsAtMs > this.#options.time.monotonicMs();
  }

  /** When the breaker closed last, or our credentials were replaced, in this process: what was tried last before that is due. Epoch ms by the own clock; null: never. */
  get dueSinceMs(): number | null {
    return this.#dueSinceMs;
  }

  /** #1. From when on an attempt may begin, monotonic (Infinity: not known), on a message whose attempts end at `endMs` (agreed; null: unknown). */
  freeAtMs(endMs: number | null): number {
    if (this.#open !== null) return Number.POSITIVE_INFINITY;
    const { time, agreed, attemptTimeoutMs } = this.#options;
    const nowMs = time.monotonicMs();
    if (this.#gateEndsAtMs <= nowMs) return nowMs;
    const lastStartMs = endMs === null ? Number.POSITIVE_INFINITY : nowMs + endMs - agreed.nowMs() - attemptTimeoutMs;
    return Math.min(this.#gateEndsAtMs, Math.max(nowMs, lastStartMs));
  }

  /** Why no attempt may begin now; null: one may. */
  holdOf(endMs: number | null): Hold | null {
    if (this.#open !== null) return "breaker";
    return this.#gateEndsAtMs > never && this.freeAtMs(endMs) > this.#options.time.monotonicMs() ? "gate" : null;
  }

  /** How long a new message would wait for its turn, as far as answers so far say; 0 while there were none. */
  get expectedWaitMs(): number {
    return this.#answerMs === null ? 0 : (this.slots.waiting / this.slots.limit) * this.#answerMs;
  }

  /** What an attempt brought. */
  answered(answer: Answered): void {
    const { events } = this.#options;
    this.#answerMs = this.#answerMs === null ? answer.tookMs : this.#answerMs + (answer.tookMs - this.#answerMs) * averageWeight;
    if (answer.class === "acknowledged") return this.#acknowledged(answer.nowMs);
    this.#gate(answer);
    // #4
    if (this.#open !== null) return;
    this.#rows = counted(this.#rows, answer);
    this.#throttle(answer);
    const reason = opensFor(this.#rows);
    if (reason === null) return;
    this.#opened(reason);
    events.held(this);
  }

  /** #2. The caller has something that could be tried. */
  probeIfDue(): void {
    if (!this.#isProbeDue || this.#isProbing || this.#open === null || this.#isStopped) return;
    this.#isProbing = true;
    this.#hasProbeBegun = false;
    this.#probedAtMs = this.#options.time.monotonicMs();
    if (this.#options.events.probe(this)) this.#isProbeDue = false;
    else this.#isProbing = false;
  }

  /** Its request leaves now. */
  probeBegins(): void {
    this.#hasProbeBegun = true;
    this.#probedAtMs = this.#options.time.monotonicMs();
  }

  /** A probe is over; or there was none, because its message had ended. */
  probed(): void {
    this.#isProbing = false;
    if (this.#open === null) return;
    const tookMs = this.#options.time.monotonicMs() - this.#probedAtMs;
    this.#probeIn(this.#hasProbeBegun ? probeSpacingMs[this.#open.reason] - tookMs : nothingToProbeWaitMs);
  }

  /**
   * An operator said at that agreed time that it may be called again: a gate that stood then ends, and with an open breaker the next probe is due.
   * What the receiver has asked for since stands: a lane that lags behind says so late.
   */
  recalled(atMs: number): void {
    if (this.#isStopped) return;
    const { events } = this.#options;
    const wasGated = this.#gateEndsAtMs > never && this.#gatedAtMs <= atMs;
    if (wasGated) {
      this.#liftGate();
      events.changed(this);
    }
    if (this.#open === null && wasGated) return events.released(this, false);
    // Each lane says so when it reads of it: one probe, not one for each.
    const nowMs = this.#options.time.monotonicMs();
    if (this.#open === null || this.#isProbing || nowMs - this.#recalledAtMs < probeSpacingMs[this.#open.reason]) return;
    this.#recalledAtMs = nowMs;
    this.#probeIn(0);
  }

  /** What proves who we are to it was replaced, so what failed may do now: the next probe is due, or all that waits. A gate stands. */
  renewed(): void {
    if (this.#isStopped) return;
    if (this.#open === null) {
      this.#dueSinceMs = this.#options.time.nowMs();
      this.#options.events.released(this, true);
    } else if (!this.#isProbing) this.#probeIn(0);
  }

  standing(service: string): AddressStanding | null {
    const { bank, address } = this;
    if (address === null) return null;
    const { time, agreed } = this.#options;
    const leftMs = this.#gateEndsAtMs - time.monotonicMs();
    return {
      service,
      bank,
      address,
      breaker: this.#open,
      concurrency: bearsAtOnce(this.#concurrency),
      gateUntilMs: leftMs > 0 ? Math.ceil(agreed.nowMs() + leftMs) : null,
      updatedAtMs: time.nowMs(),
    };
  }

  /** #5, before the first lane. A probe is due at once. */
  restore({ breaker, concurrency, gateUntilMs }: AddressStanding): void {
    const { agreed } = this.#options;
    const gateLeftMs = gateUntilMs === null ? 0 : gateUntilMs - agreed.nowMs();
    const learnt = this.#options.isLearning ? learntBefore(concurrency, this.slots.slotsMax) : this.#concurrency;
    // It was so before: no transition.
    this.#isThrottled = gateLeftMs > 0 || bearsAtOnce(learnt) < this.slots.slotsMax;
    this.#gateFor(gateLeftMs);
    this.#gatedAtMs = never;
    this.#learn(learnt);
    if (breaker === null) return;
    const reason = isReason(breaker.reason) ? breaker.reason : "transient";
    this.#open = { sinceMs: breaker.sinceMs, reason };
    this.#options.metrics.breakerOpen.set(1, this.labels);
    this.#options.log.warn("breaker.still-open", { ...this.labels, reason, sinceMs: breaker.sinceMs });
    this.#probeIn(0);
  }

  stop(): void {
    this.#isStopped = true;
    this.#gateTimer?.[Symbol.dispose]();
    this.#probeTimer?.[Symbol.dispose]();
  }

  #acknowledged(nowMs: number): void {
    this.slots.acknowledged(nowMs);
    this.#rows = noRows;
    if (this.#open !== null) return this.#close();
    this.#sayStanding(nowMs);
    if (this.#options.isLearning) this.#learn(raised(this.#concurrency, this.slots.running, this.slots.slotsMax));
  }

  /** #5 */
  #sayStanding(nowMs: number): void {
    if (nowMs - this.#saidAtMs < standingSpacingMs) return;
    this.#saidAtMs = nowMs;
    this.#options.events.changed(this);
  }

  #opened(reason: BreakerReason): void {
    const { time, log, metrics, events } = this.#options;
    this.#open = { sinceMs: time.nowMs(), reason };
    metrics.breakerOpen.set(1, this.labels);
    metrics.breakerTransitions.add({ ...this.labels, to: "open" });
    log.warn("breaker.opened", { ...this.labels, reason, failures: this.#rows[reason].count });
    this.#rows = noRows;
    this.#probeIn(probeSpacingMs[reason]);
    events.changed(this);
  }

  /** #3 */
  #close(): void {
    if (this.#open === null) return;
    const { time, log, metrics, events } = this.#options;
    const openForMs = time.nowMs() - this.#open.sinceMs;
    this.#open = null;
    this.#dueSinceMs = time.nowMs();
    this.#isProbeDue = false;
    this.#probeTimer?.[Symbol.dispose]();
    this.#probeTimer = null;
    if (this.#options.isLearning) this.#learn(ramped(this.#concurrency));
    metrics.breakerOpen.set(0, this.labels);
    metrics.breakerTransitions.add({ ...this.labels, to: "closed" });
    log.info("breaker.closed", { ...this.labels, openForMs });
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
    const leftMs = Math.max(waitMs, this.#gateEndsAtMs - nowMs, 0);
    this.#probeTimer = time.after(Math.ceil(leftMs), () => {
      this.#probeTimer = null;
      this.#isProbeDue = true;
      this.probeIfDue();
    });
  }

  #gate({ status, retryAfter }: Answered): void {
    if (status !== 429 && status !== 503) return;
    const waitMs = retryAfterMs(retryAfter, this.#options.agreed.nowMs());
    if (waitMs === null || !this.#gateFor(waitMs)) return;
    this.#options.events.changed(this);
    if (this.#open === null) this.#options.events.held(this);
    else if (!this.#isProbing) this.#probeIn(this.#nextProbeAtMs - this.#options.time.monotonicMs());
  }

  /** The longest counts. False: nothing changed. */
  #gateFor(forMs: number): boolean {
    const { time, log, metrics, agreed, events } = this.#options;
    const waitMs = Math.min(forMs, retryAfterMaxMs);
    const endsAtMs = time.monotonicMs() + waitMs;
    if (waitMs <= 0 || endsAtMs <= this.#gateEndsAtMs) return false;
    this.#gateEndsAtMs = endsAtMs;
    this.#gatedAtMs = agreed.nowMs();
    this.#gateTimer?.[Symbol.dispose]();
    if (this.#isStopped) return true;
    this.#gateTimer = time.after(Math.ceil(waitMs), () => {
      this.#liftGate();
      events.changed(this);
      if (this.#open === null) events.released(this, false);
    });
    metrics.gateSeconds.set(Math.ceil(waitMs / 1_000), this.labels);
    log.info("bank.gated", { ...this.labels, untilMs: Math.ceil(agreed.nowMs() + waitMs) });
    this.#noteThrottled();
    return true;
  }

  #liftGate(): void {
    if (this.#gateEndsAtMs === never) return;
    this.#gateTimer?.[Symbol.dispose]();
    this.#gateTimer = null;
    this.#gateEndsAtMs = never;
    this.#options.metrics.gateSeconds.set(0, this.labels);
    this.#noteThrottled();
  }

  #throttle({ status, retryAfter, isTimeout, startedMs, nowMs }: Answered): void {
    if (!this.#options.isLearning) return;
    const isAsked = status === 429 || (status === 503 && retryAfter !== null);
    const isSign = (status === 503 || isTimeout) && this.#rows.transient.isOfSeveral;
    if (!isAsked && !isSign) return;
    const before = this.slots.limit;
    this.#learn(lowered(this.#concurrency, { startedMs, nowMs, isTimeout }));
    if (this.slots.limit < before) this.#options.log.info("bank.throttled", { ...this.labels, concurrency: this.slots.limit });
  }

  #learn(next: Concurrency): void {
    if (next === this.#concurrency) return;
    this.#concurrency = next;
    this.#noteThrottled();
    const limit = Math.floor(next.limit);
    if (limit === this.slots.limit) return;
    this.slots.restrict(limit);
    this.#options.metrics.concurrency.set(limit, this.labels);
    this.#options.events.changed(this);
  }

  /** #6 */
  #noteThrottled(): void {
    const isThrottled = this.#gateEndsAtMs > never || bearsAtOnce(this.#concurrency) < this.slots.slotsMax;
    if (isThrottled === this.#isThrottled) return;
    this.#isThrottled = isThrottled;
    const { log, metrics } = this.#options;
    metrics.throttleTransitions.add({ ...this.labels, to: isThrottled ? "throttled" : "active" });
    if (!isThrottled) log.info("bank.unthrottled", this.labels);
  }
}

function isReason(text: string): text is BreakerReason {
  return Object.hasOwn(probeSpacingMs, text);
}
