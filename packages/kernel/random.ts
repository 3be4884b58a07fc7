// Randomness as an argument, so that a seed reproduces a run.

export interface Random {
  /** Returns a uniform number in [0, 1). */
  fraction(): number;
  /** Returns `bytes` random bytes as lower-case hex text. */
  hex(bytes: number): string;
}

/** Bytes that the machine is asked for at once: a call costs as much for 8 bytes as for some thousand. */
const drawnBytes = 4_096;
const drawn = Buffer.alloc(drawnBytes);
let drawnUsed = drawnBytes;

function drawHex(bytes: number): string {
  if (bytes > drawnBytes) return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");
  if (drawnUsed + bytes > drawnBytes) {
    crypto.getRandomValues(drawn);
    drawnUsed = 0;
  }
  const from = drawnUsed;
  drawnUsed += bytes;
  const text = drawn.toString("hex", from, drawnUsed);
  // What was given out is not kept: it may be a secret.
  drawn.fill(0, from, drawnUsed);
  return text;
}

/** The machine's randomness. */
export const machineRandom: Random = { fraction: () => Math.random(), hex: drawHex };
