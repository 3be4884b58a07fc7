// The tracing port. Its adapter is `traces/otlp-tracer.ts` of @sluice/process; without one nothing is traced.
//
// #1 Whether a transaction is traced is decided at its head, once, from its UETR. Everybody behind reads the flag of
//    the record's or the request's traceparent, before a span is made.
// #2 A traceparent is what W3C Trace Context says: version, trace id, id of the span above, flags.
// #3 A trace, as records' readers and the store keep it, is a traceparent and, behind a blank, the tracestate that a
//    caller gave with it. Wherever a traceparent is read, a trace can be.

export type SpanKind = "server" | "client" | "consumer";

/** One finished piece of work of a trace. */
export interface Span {
  /** The span's own place: its trace id, and its id as the id of the span above. */
  readonly traceparent: string;
  /** Null: it begins the trace. */
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly tookMs: number;
  /** Identifiers, states and codes only: never an account number, a name or an amount. */
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
  /** Places of other spans that it belongs to, in other traces; left out: none. */
  readonly links?: readonly string[];
}

export interface Tracer {
  /** #1 */
  samples(uetr: string): boolean;
  /** Returns the place of a new span below a place. */
  below(traceparent: string): string;
  /** Returns the place of a span that begins a trace of its own, for work on several transactions. */
  apart(): string;
  /** Takes a span whose traceparent is sampled. It never fails, and never waits. */
  record(span: Span): void;
}

export interface TraceParts {
  readonly traceId: string;
  /** The id of the span above. */
  readonly spanId: string;
  readonly flags: string;
}

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/;
const sampledFlag = 1;
/** Where the digit with that flag is. */
const flagPlace = 54;

/** #2. Null: it is none. */
export function readTraceparent(text: string | null | undefined): TraceParts | null {
  const [, traceId, spanId, flags] = form.exec(text ?? "") ?? [];
  return traceId === undefined || spanId === undefined || flags === undefined ? null : { traceId, spanId, flags };
}

const stateCharactersMax = 512;
const stateMembersMax = 32;
const stateMember = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/** #3. A tracestate that is none, or longer than others must hand on, is left out. */
export function joinTrace(traceparent: string, tracestate: string | null): string {
  if (tracestate === null || tracestate.length > stateCharactersMax) return traceparent;
  const members = tracestate.split(",").map((member) => member.trim());
  const isState = members.length <= stateMembersMax && members.every((member) => stateMember.test(member));
  return isState ? `${traceparent} ${members.join(",")}` : traceparent;
}

/** #3 */
export function splitTrace(trace: string): { readonly traceparent: string; readonly tracestate: string | null } {
  const blank = trace.indexOf(" ");
  if (blank < 0) return { traceparent: trace, tracestate: null };
  return { traceparent: trace.slice(0, blank), tracestate: trace.slice(blank + 1) };
}

export function isSampled(traceparent: string | null | undefined): traceparent is string {
  // The flag first: most are not sampled, and only the others are worth reading.
  if (typeof traceparent !== "string" || (Number.parseInt(traceparent.charAt(flagPlace), 16) & sampledFlag) !== sampledFlag) return false;
  return readTraceparent(traceparent) !== null;
}

/** Records a piece of work below a place. `describe` is called only if there is a tracer and the place is sampled. */
export function traceBelow(
  tracer: Tracer | undefined,
  above: string | null | undefined,
  describe: () => Omit<Span, "traceparent" | "parentId">,
): void {
  if (tracer === undefined || !isSampled(above)) return;
  tracer.record({ ...describe(), traceparent: tracer.below(above), parentId: readTraceparent(above)?.spanId ?? null });
}
