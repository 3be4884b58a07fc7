// Reads a whole number among the arguments of a verb.

/** Returns null if the text is not a whole number from `least` to `most`. */
export function readWhole(text: string, least: number, most: number): number | null {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : null;
}
