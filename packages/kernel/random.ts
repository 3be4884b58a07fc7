// Randomness as an argument, so that a seed reproduces a run.

export interface Random {
  /** Returns a uniform number in [0, 1). */
  fraction(): number;
  /** Returns `bytes` random bytes as lower-case hex text. */
  hex(bytes: number): string;
}

/** The machine's randomness. */
export const machineRandom: Random = {
  fraction: () => Math.random(),
  hex: (bytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex"),
};
