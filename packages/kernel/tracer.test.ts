import { expect, test } from "vitest";
import { isSampled, joinTrace, readTraceparent, type Span, splitTrace, traceBelow, type Tracer } from "./tracer.ts";

const sampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const work = { name: "verdict", kind: "consumer", startMs: 1, tookMs: 2, attributes: {}, isError: false } as const;

test("a traceparent is sampled by the last bit of its flags", () => {
  expect(isSampled(sampled)).toBe(true);
  expect(isSampled(`${sampled.slice(0, -2)}03`)).toBe(true);
  for (const other of [
    `${sampled.slice(0, -2)}00`,
    `${sampled.slice(0, -2)}02`,
    `ff${sampled.slice(2)}`,
    "",
    "00-1-2-01",
    null,
    undefined,
  ]) {
    expect(isSampled(other)).toBe(false);
  }
  expect(readTraceparent(sampled)).toEqual({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", flags: "01" });
});

test("a span is described only where there is a tracer and the place above is sampled", () => {
  const spans: Span[] = [];
  const below = "00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01";
  const tracer: Tracer = { samples: () => true, below: () => below, apart: () => below, record: (span) => void spans.push(span) };
  const never = (): never => {
    throw new Error("nothing is to be described");
  };
  traceBelow(undefined, sampled, never);
  traceBelow(tracer, `${sampled.slice(0, -2)}00`, never);
  traceBelow(tracer, undefined, never);
  traceBelow(tracer, sampled, () => work);
  expect(spans).toEqual([{ ...work, traceparent: below, parentId: "00f067aa0ba902b7" }]);
});

test("a tracestate goes with its traceparent, and one that is none is left out", () => {
  const state = "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7";
  const trace = joinTrace(sampled, "congo=t61rcWkgMzE, rojo=00f067aa0ba902b7");
  expect(splitTrace(trace)).toEqual({ traceparent: sampled, tracestate: state });
  expect([isSampled(trace), readTraceparent(trace)?.spanId]).toEqual([true, "00f067aa0ba902b7"]);
  expect(splitTrace(sampled)).toEqual({ traceparent: sampled, tracestate: null });
  const members = Array.from({ length: 33 }, (_, index) => `a${index}=1`).join(",");
  for (const none of [null, "", "congo", "Congo=1", "a=1\r\nx: y", `a=${"x".repeat(300)}`, `a=${"x".repeat(600)}`, members])
    expect(joinTrace(sampled, none)).toBe(sampled);
});
