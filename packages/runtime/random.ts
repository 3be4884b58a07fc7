// Randomness as an argument.

export interface Random {
  /** Uniform in [0, 1). */
  fraction(): number;
  /** Lower-case hex text of `bytes` random bytes. */
  hex(bytes: number): string;
}

/** The machine's randomness. */
export const machineRandom: Random = {
  fraction: () => Math.random(),
  hex: (bytes) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex"),
};
