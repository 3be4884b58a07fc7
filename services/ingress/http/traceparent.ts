// W3C trace context: continues a trace that the caller began, or begins one.
//
// #1 Where nothing is traced, the caller's context goes on as it is, and a new one says that it is not sampled.
// #2 Where traces are recorded, ingress is a span of its own. The flag says whether this transaction is traced here,
//    and not what the caller wished: a caller cannot make us trace everything.
// #3 The tracestate of a caller's context goes on as it is.
// #4 The id of a trace that begins here is the UETR, so that a person who has the one has the other.

import { joinTrace, type Random, readTraceparent, splitTrace, type Tracer } from "@sluice/kernel";

/** `uetr` is null for a message that is about no transaction. */
export function traceparentFrom(header: string | null, uetr: string | null, { random, tracer }: TracePorts): string {
  const given = readTraceparent(header);
  const state = given === null || header === null ? null : splitTrace(header).tracestate;
  if (tracer === undefined || uetr === null) {
    if (given !== null) return joinTrace(`00-${given.traceId}-${given.spanId}-${given.flags}`, state);
    return `00-${random.hex(16)}-${random.hex(8)}-00`;
  }
  const traceId = given?.traceId ?? uetr.replaceAll("-", "");
  return joinTrace(`00-${traceId}-${random.hex(8)}-${tracer.samples(uetr) ? "01" : "00"}`, state);
}

export interface TracePorts {
  readonly random: Random;
  readonly tracer?: Tracer;
}
