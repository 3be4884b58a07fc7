// A number among the arguments.

/** Null: it is none, or not within the bounds. */
export function readWhole(text: string, least: number, most: number): number | null {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : null;
}
