// A small collector of traces, by OTLP over HTTP with JSON, on a port of this machine.

import { createServer } from "node:http";

export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly tookMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  /** Of its place; null: it has none. */
  readonly traceState: string | null;
  /** Spans that it is linked with, as trace id and span id. */
  readonly links: readonly string[];
}

export interface OtlpCollector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Bodies as they came, the newest hundred. */
  readonly bodies: readonly string[];
  /** Answers every request with this status from now on. */
  answer(status: number): void;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly kind: number;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly attributes: readonly Attribute[];
        readonly status: { readonly code?: number };
        readonly traceState?: string;
        readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
      }[];
    }[];
  }[];
}

const errorStatus = 2;
const bodiesKept = 100;

export async function openOtlpCollector(): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      if (status === 200) spans.push(...readSpans(body));
      if (bodies.push(body) > bodiesKept) bodies.shift();
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a listening server has a port");
  return {
    url: `http://127.0.0.1:${address.port}/v1/traces`,
    spans,
    bodies,
    answer: (next) => void (status = next),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readSpans(text: string): readonly CollectedSpan[] {
  const { resourceSpans }: OtlpBody = JSON.parse(text);
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        service: readAttributes(resource.attributes)["service.name"] ?? "",
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? null,
        name: span.name,
        kind: span.kind,
        startMs: toMs(span.startTimeUnixNano),
        tookMs: toMs(span.endTimeUnixNano) - toMs(span.startTimeUnixNano),
        isError: span.status.code === errorStatus,
        attributes: readAttributes(span.attributes),
        traceState: span.traceState ?? null,
        links: (span.links ?? []).map(({ traceId, spanId }) => `${traceId} ${spanId}`),
      })),
    ),
  );
}

function readAttributes(attributes: readonly Attribute[]): Readonly<Record<string, string>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? ""]));
}

function toMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}
