// The series of single receivers: only receivers in trouble have any, so that a scrape stays small however many
// receivers are configured.
//
// #1 A receiver is in trouble while a breaker of it is open, it is paused, it throttles, or messages wait for it. One
//    whose breaker opened stays for half an hour after its trouble, so that a breaker that flaps is seen.
// #2 At most `receiversShownMax` receivers are shown: the worst trouble first, in the order above, and those longest in
//    it first. The others are counted.
// #3 A scrape looks at the receivers shown, and at `forgottenMax` that calmed down; never at all receivers.
// #4 Counters of a receiver begin when its trouble begins. What is counted over all receivers is in metrics.ts.

import type { Gauge, ListedMetric, ListedSample, Metrics, Time } from "@sluice/kernel";

const receiversShownMax = 50;
const forgottenMax = 1_000;
const calmShownMs = 30 * 60_000;

const troubles = ["breaker-open", "paused", "throttled", "waiting", "calm"] as const;
type Trouble = (typeof troubles)[number];

type Labels = Readonly<Record<string, string>>;

interface EndpointSeries {
  isBreakerOpen: boolean;
  retryAfterSeconds: number;
  concurrency: number;
  /** Openings of its breaker. */
  opened: number;
}

interface ReceiverSeriesEntry {
  readonly receiver: string;
  trouble: Trouble | null;
  /** Waiting messages by partition, without partitions that have none. */
  readonly waitingByPartition: Map<string, number>;
  waiting: number;
  readonly pausedPartitions: Set<string>;
  readonly endpoints: Map<string, EndpointSeries>;
  /** Messages parked, and ended by outcome, since the trouble began. */
  parked: number;
  readonly ended: Map<string, number>;
  /** The last acknowledgement, or the begin of the trouble if there was none since; epoch ms. */
  unacknowledgedSinceMs: number;
  hasOpened: boolean;
  /** When the trouble was over, in milliseconds of the monotonic clock. */
  calmSinceMs: number;
}

const ofReceiver = ["receiver"];
const ofEndpoint = ["receiver", "endpoint"];

const listedMetrics = {
  waiting: gauge("sluice_delivery_waiting_messages", "Parked messages in memory that are still tried.", ofReceiver),
  paused: gauge("sluice_delivery_receiver_paused", "Partitions of this process in which the receiver is paused.", ofReceiver),
  unacknowledgedSince: gauge(
    "sluice_delivery_unacknowledged_since_seconds",
    "Unix time of the receiver's last acknowledgement, or of the begin of its trouble.",
    ofReceiver,
  ),
  parked: counter("sluice_delivery_receiver_parked_total", "Messages parked since the receiver's trouble began.", ofReceiver),
  ended: counter("sluice_delivery_receiver_ended_total", "Deliveries that ended since the receiver's trouble began, by outcome.", [
    "receiver",
    "outcome",
  ]),
  breakerOpen: gauge("sluice_delivery_breaker_open", "1 while the breaker is open and only probes are sent to the endpoint.", ofEndpoint),
  breakerOpened: counter("sluice_delivery_breaker_opened_total", "Openings of the breaker since the receiver's trouble began.", ofEndpoint),
  retryAfterSeconds: gauge(
    "sluice_delivery_retry_after_seconds",
    "Seconds that the receiver asked to wait with Retry-After; 0 once they are over.",
    ofEndpoint,
  ),
  concurrency: gauge("sluice_delivery_concurrency", "Learnt limit of requests at once to the endpoint.", ofEndpoint),
  connections: gauge("sluice_delivery_connections", "Configured limit of requests at once to the endpoint.", ofEndpoint),
  troubled: gauge("sluice_delivery_troubled_receivers", "Receivers by their worst trouble, whether they have series or not.", ["trouble"]),
  leftOut: gauge("sluice_delivery_left_out_receivers", "Receivers in trouble that have no series of their own.", []),
  backlog: gauge("sluice_delivery_backlog_messages", "Parked messages in memory that are still tried, for all receivers.", []),
} as const;

function gauge(name: string, help: string, labels: readonly string[]): ListedMetric {
  return { name, help, kind: "gauge", labels };
}

function counter(name: string, help: string, labels: readonly string[]): ListedMetric {
  return { name, help, kind: "counter", labels };
}

export class ReceiverSeries {
  readonly #time: Time;
  readonly #entries = new Map<string, ReceiverSeriesEntry>();
  /** #2. Each set has its receivers in the order in which they came into it. */
  readonly #byTrouble = new Map<Trouble, Set<ReceiverSeriesEntry>>(troubles.map((trouble) => [trouble, new Set()]));
  /** Configured connections by endpoint; bounded by the configured endpoints. */
  readonly #connections = new Map<string, number>();
  #backlog = 0;

  readonly waiting: Gauge = { set: (value, labels = {}) => this.#setWaiting(value, labels) };
  readonly paused: Gauge = { set: (value, labels = {}) => this.#setPaused(value > 0, labels) };
  readonly breakerOpen: Gauge = {
    set: (value, labels = {}) => this.#setEndpoint(labels, value > 0, (endpoint) => (endpoint.isBreakerOpen = value > 0)),
  };
  readonly retryAfterSeconds: Gauge = {
    set: (value, labels = {}) => this.#setEndpoint(labels, value > 0, (endpoint) => (endpoint.retryAfterSeconds = value)),
  };
  /** The first value of an endpoint is its configured limit, and so is each higher one. */
  readonly concurrency: Gauge = { set: (value, labels = {}) => this.#setConcurrency(value, labels) };

  constructor(metrics: Metrics, time: Time) {
    this.#time = time;
    metrics.listed(Object.values(listedMetrics), () => this.#list());
  }

  /** #4 */
  recordParked(receiver: string): void {
    const entry = this.#entries.get(receiver);
    if (entry !== undefined) entry.parked += 1;
  }

  /** #4 */
  recordEnded(receiver: string, outcome: string): void {
    const entry = this.#entries.get(receiver);
    if (entry === undefined) return;
    entry.ended.set(outcome, (entry.ended.get(outcome) ?? 0) + 1);
    if (outcome === "acknowledged") entry.unacknowledgedSinceMs = this.#time.nowMs();
  }

  recordOpened(labels: Labels): void {
    const entry = this.#entry(receiverOf(labels));
    entry.hasOpened = true;
    this.#endpoint(entry, labels).opened += 1;
    this.#rank(entry.receiver);
  }

  /** Forgets an endpoint that left the configuration, or whose limits changed. */
  forgetEndpoint(labels: Labels): void {
    this.#connections.delete(endpointKey(labels));
    const entry = this.#entries.get(receiverOf(labels));
    if (entry?.endpoints.delete(labels["endpoint"] ?? "") === true) this.#rank(entry.receiver);
  }

  #setWaiting(messages: number, labels: Labels): void {
    const receiver = receiverOf(labels);
    const known = this.#entries.get(receiver);
    if (known === undefined && messages === 0) return;
    const entry = known ?? this.#entry(receiver);
    const partition = labels["partition"] ?? "";
    const change = messages - (entry.waitingByPartition.get(partition) ?? 0);
    if (change === 0) return this.#rank(receiver);
    if (messages === 0) entry.waitingByPartition.delete(partition);
    else entry.waitingByPartition.set(partition, messages);
    entry.waiting += change;
    this.#backlog += change;
    this.#rank(receiver);
  }

  #setPaused(isPaused: boolean, labels: Labels): void {
    const receiver = receiverOf(labels);
    if (isPaused) this.#entry(receiver).pausedPartitions.add(labels["partition"] ?? "");
    else this.#entries.get(receiver)?.pausedPartitions.delete(labels["partition"] ?? "");
    this.#rank(receiver);
  }

  #setConcurrency(limit: number, labels: Labels): void {
    const key = endpointKey(labels);
    const connections = Math.max(limit, this.#connections.get(key) ?? 0);
    this.#connections.set(key, connections);
    this.#setEndpoint(labels, limit < connections, (endpoint) => (endpoint.concurrency = limit));
  }

  /** Without trouble only what is known already changes. */
  #setEndpoint(labels: Labels, isTrouble: boolean, set: (endpoint: EndpointSeries) => void): void {
    const receiver = receiverOf(labels);
    const entry = isTrouble ? this.#entry(receiver) : this.#entries.get(receiver);
    if (entry === undefined || (!isTrouble && !entry.endpoints.has(labels["endpoint"] ?? ""))) return;
    set(this.#endpoint(entry, labels));
    this.#rank(receiver);
  }

  #endpoint(entry: ReceiverSeriesEntry, labels: Labels): EndpointSeries {
    const endpoint = labels["endpoint"] ?? "";
    const known = entry.endpoints.get(endpoint);
    if (known !== undefined) return known;
    const made = { isBreakerOpen: false, retryAfterSeconds: 0, concurrency: this.#connections.get(endpointKey(labels)) ?? 0, opened: 0 };
    entry.endpoints.set(endpoint, made);
    return made;
  }

  #entry(receiver: string): ReceiverSeriesEntry {
    const known = this.#entries.get(receiver);
    if (known !== undefined) return known;
    const made: ReceiverSeriesEntry = {
      receiver,
      trouble: null,
      waitingByPartition: new Map(),
      waiting: 0,
      pausedPartitions: new Set(),
      endpoints: new Map(),
      parked: 0,
      ended: new Map(),
      unacknowledgedSinceMs: this.#time.nowMs(),
      hasOpened: false,
      calmSinceMs: 0,
    };
    this.#entries.set(receiver, made);
    return made;
  }

  /** #1, #2 */
  #rank(receiver: string): void {
    const entry = this.#entries.get(receiver);
    if (entry === undefined) return;
    const trouble = this.#findTrouble(entry);
    if (trouble === entry.trouble) return;
    if (entry.trouble !== null) this.#byTrouble.get(entry.trouble)?.delete(entry);
    entry.trouble = trouble;
    if (trouble === "calm") entry.calmSinceMs = this.#time.monotonicMs();
    if (trouble === null) this.#entries.delete(receiver);
    else this.#byTrouble.get(trouble)?.add(entry);
  }

  #findTrouble(entry: ReceiverSeriesEntry): Trouble | null {
    let isThrottled = false;
    for (const [endpoint, one] of entry.endpoints) {
      if (one.isBreakerOpen) return "breaker-open";
      isThrottled ||= this.#isThrottled(entry.receiver, endpoint, one);
    }
    if (entry.pausedPartitions.size > 0) return "paused";
    if (isThrottled) return "throttled";
    if (entry.waiting > 0) return "waiting";
    return entry.hasOpened ? "calm" : null;
  }

  #isThrottled(receiver: string, endpoint: string, { retryAfterSeconds, concurrency }: EndpointSeries): boolean {
    return retryAfterSeconds > 0 || concurrency < (this.#connections.get(endpointKey({ receiver, endpoint })) ?? 0);
  }

  #list(): readonly ListedSample[] {
    this.#forgetCalm();
    const shown: ReceiverSeriesEntry[] = [];
    for (const trouble of troubles) {
      for (const entry of this.#byTrouble.get(trouble) ?? []) {
        if (shown.length === receiversShownMax) break;
        shown.push(entry);
      }
    }
    const counts = troubles.map((trouble) => [trouble, this.#byTrouble.get(trouble)?.size ?? 0] as const);
    const troubled = counts.reduce((sum, [trouble, count]) => (trouble === "calm" ? sum : sum + count), 0);
    return [
      ...counts.flatMap(([trouble, count]) => (trouble === "calm" ? [] : [sample("troubled", { trouble }, count)])),
      sample("leftOut", {}, Math.max(0, troubled - receiversShownMax)),
      sample("backlog", {}, this.#backlog),
      ...shown.flatMap((entry) => this.#samplesOf(entry)),
    ];
  }

  /** #3. The one that calmed down first is first. */
  #forgetCalm(): void {
    const calm = this.#byTrouble.get("calm") ?? new Set();
    const before = this.#time.monotonicMs() - calmShownMs;
    let looked = 0;
    for (const entry of calm) {
      looked += 1;
      if (looked > forgottenMax || entry.calmSinceMs > before) return;
      calm.delete(entry);
      this.#entries.delete(entry.receiver);
    }
  }

  #samplesOf(entry: ReceiverSeriesEntry): readonly ListedSample[] {
    const { receiver } = entry;
    return [
      sample("waiting", { receiver }, entry.waiting),
      sample("paused", { receiver }, entry.pausedPartitions.size),
      sample("unacknowledgedSince", { receiver }, Math.floor(entry.unacknowledgedSinceMs / 1_000)),
      sample("parked", { receiver }, entry.parked),
      ...[...entry.ended].map(([outcome, count]) => sample("ended", { receiver, outcome }, count)),
      ...[...entry.endpoints].flatMap(([endpoint, one]) => {
        const labels = { receiver, endpoint };
        return [
          sample("breakerOpen", labels, one.isBreakerOpen ? 1 : 0),
          sample("breakerOpened", labels, one.opened),
          sample("retryAfterSeconds", labels, one.retryAfterSeconds),
          sample("concurrency", labels, one.concurrency),
          sample("connections", labels, this.#connections.get(endpointKey(labels)) ?? 0),
        ];
      }),
    ];
  }
}

function sample(metric: keyof typeof listedMetrics, labels: Labels, value: number): ListedSample {
  return { name: listedMetrics[metric].name, labels, value };
}

function receiverOf(labels: Labels): string {
  return labels["receiver"] ?? "";
}

function endpointKey(labels: Labels): string {
  return `${labels["receiver"] ?? ""} ${labels["endpoint"] ?? ""}`;
}
