// Sends spans to a collector by OTLP over HTTP, in batches, beside the work.
//
// #1 Nothing waits for it: a span that finds the queue full, or whose request fails, is dropped and counted.
// #2 One request runs at a time. What is in the queue at a stop is sent once more, for two seconds at most.
// #3 A failure is logged once, until a request succeeds again.

import { requestText } from "@sluice/connection";
import {
  type Logger,
  joinTrace,
  type Metrics,
  type Random,
  readTraceparent,
  splitTrace,
  type Span,
  type Time,
  type Tracer,
} from "@sluice/kernel";
import { otlpRequest } from "./otlp.ts";
import { createSampling, type Sampling } from "./sampling.ts";

export interface OtlpTracerOptions extends Sampling {
  readonly service: string;
  /** The whole address, such as `http://collector:4318/v1/traces`. */
  readonly url: string;
  readonly time: Time;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Milliseconds for one request; 5 s, and 2 s at a stop, if it is not given. */
  readonly requestMaxMs?: number;
}

export interface OtlpTracer extends Tracer {
  stop(): Promise<void>;
}

const queuedSpansMax = 4_096;
const requestSpansMax = 512;
const sendEveryMs = 1_000;
const requestDefaultMs = 5_000;
const stopDefaultMs = 2_000;

export function createOtlpTracer(options: OtlpTracerOptions): OtlpTracer {
  const { service, url, time, random, logger, metrics } = options;
  const recorded = metrics.counter("sluice_trace_spans_total", "Spans recorded");
  const dropped = metrics.counter(
    "sluice_trace_spans_dropped_total",
    "Spans dropped: the queue was full, or the collector did not take them",
  );
  recorded.add({}, 0);
  dropped.add({}, 0);
  let queue: Span[] = [];
  let isFailing = false;
  let isStopped = false;
  let timer = time.after(sendEveryMs, () => void sendAgain());

  async function send(timeoutMs: number): Promise<void> {
    const spans = queue.slice(0, requestSpansMax);
    if (spans.length === 0) return;
    queue = queue.slice(spans.length);
    const headers = { "content-type": "application/json" };
    try {
      const { status } = await requestText({ url, method: "POST", headers, body: otlpRequest(service, spans), time, timeoutMs });
      if (status >= 300) throw new Error(`the collector answers ${status}`);
      isFailing = false;
    } catch (error) {
      dropped.add({}, spans.length);
      if (!isFailing) logger.warn("traces.not-sent", { reason: error instanceof Error ? error.message : "no answer", spans: spans.length });
      isFailing = true;
    }
  }

  function isBusy(): boolean {
    return !isStopped && !isFailing && queue.length >= requestSpansMax;
  }

  async function sendAgain(): Promise<void> {
    await send(options.requestMaxMs ?? requestDefaultMs);
    while (isBusy()) await send(options.requestMaxMs ?? requestDefaultMs);
    if (!isStopped) timer = time.after(sendEveryMs, () => void sendAgain());
  }

  return {
    samples: createSampling(options),
    below(traceparent) {
      const place = readTraceparent(traceparent);
      if (place === null) return traceparent;
      return joinTrace(`00-${place.traceId}-${random.hex(8)}-${place.flags}`, splitTrace(traceparent).tracestate);
    },
    apart: () => `00-${random.hex(16)}-${random.hex(8)}-01`,
    record(span) {
      recorded.add();
      if (queue.length >= queuedSpansMax) dropped.add();
      else queue.push(span);
    },
    async stop() {
      isStopped = true;
      timer[Symbol.dispose]();
      while (queue.length > 0 && !isFailing) await send(options.requestMaxMs ?? stopDefaultMs);
    },
  };
}
