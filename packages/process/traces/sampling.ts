// Decides which transactions are traced: a share of all, and those that an operator has marked.
//
// #1 The share is taken by the UETR's first digits, which are random, so that every process decides alike.

export interface Sampling {
  /** From 0 to 1. */
  readonly ratio: number;
  /** UETRs that are always traced. */
  readonly marked: readonly string[];
}

const digits = 8;

export function createSampling({ ratio, marked }: Sampling): (uetr: string) => boolean {
  const always = new Set(marked);
  const below = ratio * 16 ** digits;
  return (uetr) => Number.parseInt(uetr.slice(0, digits), 16) < below || always.has(uetr);
}
