/** A time such as `500ms`, `2s`, `5m`, `8h`. */
export type Duration = `${number}${"ms" | "s" | "m" | "h"}`;

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export function durationMs(text: Duration): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text) ?? [];
  const ms = Number(number) * (unitsMs[unit] ?? Number.NaN);
  if (!Number.isFinite(ms)) throw new Error(`${text} is not a time such as 500ms, 2s, 5m or 8h`);
  return ms;
}
