import type { Span, Tracer } from "@sluice/kernel";
import { createVirtualTime } from "@sluice/testkit";
import { expect, test } from "vitest";
import { type HandledRecord, noEffects } from "../../handlers/handler.ts";
import { traceBatch } from "./trace-batch.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const sampled = `00-${traceId}-00f067aa0ba902b7-01`;
const batch = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const time = createVirtualTime({ startAtMs: 1_000 });

function traced(traceparents: readonly (string | null)[]): readonly Span[] {
  const spans: Span[] = [];
  let count = 0;
  const tracer: Tracer = {
    samples: () => true,
    below: () => `00-${traceId}-${String((count += 1)).padStart(16, "0")}-01`,
    apart: () => batch,
    record: (span) => void spans.push(span),
  };
  const handled = traceparents.map((traceparent, index): HandledRecord => ({
    record: {
      topic: "t",
      partition: 3,
      offset: BigInt(index),
      appendedAtMs: 0,
      key: null,
      value: null,
      headers: traceparent === null ? {} : { traceparent },
    },
    key: `u-${index}`,
    name: "Release",
    decision: "applied",
    reason: null,
    outgoing: [],
    ...noEffects,
  }));
  traceBatch({ time, tracer }, handled, 40);
  return spans;
}

test("a batch has a span in a trace of its own, linked both ways with those of its traced records", () => {
  const places = [`00-${traceId}-0000000000000001-01`, `00-${traceId}-0000000000000002-01`];
  const common = { kind: "consumer", startMs: 960, tookMs: 40, isError: false };
  expect(traced([sampled, null, `${sampled.slice(0, -1)}0`, sampled])).toMatchObject([
    { ...common, name: "decide Release", traceparent: places[0], parentId: "00f067aa0ba902b7", links: [batch] },
    { ...common, name: "decide Release", traceparent: places[1], parentId: "00f067aa0ba902b7", links: [batch] },
    {
      ...common,
      name: "decide batch",
      traceparent: batch,
      parentId: null,
      attributes: { "sluice.partition": 3, "sluice.batch.records": 4 },
      links: places,
    },
  ]);
});

test("a batch without a traced record has no span", () => {
  expect(traced([null, `${sampled.slice(0, -1)}0`])).toEqual([]);
});
