// W3C trace context: continues a trace that the caller began, or begins one. Ingress is a span of its own.

import type { Random } from "@sluice/kernel";

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})/;

export function traceparentFrom(header: string | null, random: Random): string {
  const [, traceId, flags] = form.exec(header ?? "") ?? [];
  return `00-${traceId ?? random.hex(16)}-${random.hex(8)}-${flags ?? "01"}`;
}
