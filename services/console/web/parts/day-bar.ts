// A day as a bar: from the window's opening to the reconciliation close, with a mark for now. It is drawn on the server
// and says nothing that the text beside it does not say.

import { html } from "hono/html";
import type { Html } from "./html.ts";

interface DayTimes {
  readonly opens: string | null;
  readonly closes: string | null;
  readonly reconciliation: string | null;
  readonly nowMs: number | null;
}

const width = 600;

export function dayBar({ opens, closes, reconciliation, nowMs }: DayTimes): Html | string {
  if (opens === null || closes === null || reconciliation === null) return "";
  const [fromMs, closesMs, toMs] = [opens, closes, reconciliation].map((at) => Temporal.Instant.from(at).epochMilliseconds);
  if (fromMs === undefined || closesMs === undefined || toMs === undefined || toMs <= fromMs) return "";
  const marginMs = (toMs - fromMs) / 12;
  const placeOf = (atMs: number): number => Math.round(((atMs - fromMs + marginMs) / (toMs - fromMs + 2 * marginMs)) * width);
  const now = nowMs === null ? null : Math.min(width, Math.max(0, placeOf(nowMs)));
  const [from, close, to] = [placeOf(fromMs), placeOf(closesMs), placeOf(toMs)];
  return html`<svg class="bar" viewBox="0 0 ${width} 12" preserveAspectRatio="none" aria-hidden="true">
    <rect class="rest" x="0" y="4" width="${width}" height="4" />
    <rect class="window" x="${from}" y="2" width="${close - from}" height="8" />
    <rect class="close" x="${to - 1}" y="0" width="2" height="12" />
    ${now === null ? "" : html`<rect class="now" x="${now - 1}" y="0" width="3" height="12" />`}
  </svg>`;
}
