// Reads durations as people write them: `1s`, `15m`, `72h`.

const unitMs = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/** Returns milliseconds; null unless the text is a whole number and a unit. */
export function readDuration(text: string): number | null {
  const [, number, unit] = /^(\d{1,9})([a-z]{1,2})$/.exec(text) ?? [];
  const ms = unitMs.get(unit ?? "");
  return ms === undefined ? null : Number(number) * ms;
}
