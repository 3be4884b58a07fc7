// A list of spans as an OTLP request in JSON (OpenTelemetry protocol 1.x): times in nanoseconds as text, ids in hex.

import { type Span, readTraceparent, splitTrace } from "@sluice/kernel";

/** OTLP's numbers of the kinds. */
const kinds = { server: 2, client: 3, consumer: 5 } as const;
const errorStatus = 2;

export function otlpRequest(service: string, spans: readonly Span[]): string {
  const resource = { attributes: attributesOf({ "service.name": service, "service.namespace": "sluice" }) };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "sluice" }, spans: spans.map(spanOf) }] }] });
}

/** As many as OpenTelemetry's own default. */
const linksMax = 128;

function spanOf({ traceparent, parentId, name, kind, startMs, tookMs, attributes, isError, links = [] }: Span) {
  const place = placeOf(traceparent);
  return {
    ...place,
    ...(parentId === null ? {} : { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(startMs + tookMs),
    attributes: attributesOf(attributes),
    ...(links.length === 0 ? {} : { links: links.slice(0, linksMax).map(placeOf) }),
    ...(links.length > linksMax ? { droppedLinksCount: links.length - linksMax } : {}),
    status: isError ? { code: errorStatus } : {},
  };
}

function placeOf(trace: string) {
  const place = readTraceparent(trace);
  const { tracestate } = splitTrace(trace);
  return {
    traceId: place?.traceId,
    spanId: place?.spanId,
    ...(tracestate === null ? {} : { traceState: tracestate }),
  };
}

/** Whole microseconds: a double has no more of an epoch time. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1_000)}000`;
}

function attributesOf(attributes: Readonly<Record<string, string | number>>) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: String(value) },
  }));
}
