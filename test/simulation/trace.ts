// Records the trace of a simulation, one line for every port call. Its hash is the run's fingerprint: a seed always
// gives the same one.

import { createHash } from "node:crypto";
import type { Time } from "@sluice/kernel";

export interface Trace {
  add(process: string, port: string, operation: string, argumentsGiven: readonly unknown[]): void;
  /** The number of lines so far. */
  lines(): number;
  /** SHA-256 over all lines so far, in hex. */
  hash(): string;
  /** The last lines as text, for a failing run. */
  tail(): readonly string[];
}

const tailLinesMax = 200;

export function createTrace(time: Time): Trace {
  const sum = createHash("sha256");
  const tail: string[] = [];
  let lines = 0;
  return {
    add(process, port, operation, argumentsGiven) {
      const line = `${time.monotonicMs().toFixed(3)} ${process} ${port}.${operation} ${describe(argumentsGiven)}`;
      sum.update(line).update("\n");
      lines += 1;
      tail.push(line);
      if (tail.length > tailLinesMax) tail.shift();
    },
    lines: () => lines,
    hash: () => sum.copy().digest("hex"),
    tail: () => tail,
  };
}

/** Returns a short hash over all arguments. */
function describe(argumentsGiven: readonly unknown[]): string {
  const digest = createHash("sha256");
  feed(digest, argumentsGiven, 0);
  return digest.digest("hex").slice(0, 16);
}

const depthMax = 12;

function feed(digest: ReturnType<typeof createHash>, value: unknown, depth: number): void {
  if (depth > depthMax || typeof value === "function") return;
  if (value instanceof Uint8Array) {
    digest.update("b").update(value);
    return;
  }
  if (typeof value !== "object" || value === null) {
    digest.update(`${typeof value}:${String(value)};`);
    return;
  }
  const entries = value instanceof Map ? [...value.entries()] : Object.entries(value);
  digest.update("{");
  for (const [name, member] of entries) {
    digest.update(`${String(name)}=`);
    feed(digest, member, depth + 1);
  }
  digest.update("}");
}
