// Seeds of CI, and what one of them is judged by.

import { checkHistory } from "@sluice/checker";
import { simulate } from "./world.ts";

/** 1 … 160, even ones calm, odd ones troubled; 1 … 1,000 with `./sluice test --long`. `SLUICE_SEED` runs that one alone (and the first of the other kind). */
const seedsInCi = 160;
const seedsLong = 1_000;

/** Two files share the troubled ones, so that two cores do: `half` is that of the file. */
export function seedsOf(kind: "calm" | "troubled", half: 0 | 1 | null = null): readonly number[] {
  const asked = process.env["SLUICE_SEED"];
  const count = process.env["SLUICE_LONG"] === "1" ? seedsLong : seedsInCi;
  const all = asked === undefined ? Array.from({ length: count }, (_, index) => index + 1) : [Number(asked)];
  const ofKind = all.filter((seed) => (seed % 2 === 0) === (kind === "calm"));
  const wanted = half === null ? ofKind : ofKind.filter((_, index) => index % 2 === half);
  return wanted.length > 0 ? wanted : [kind === "calm" ? 2 : 1];
}

/** A crash, a slow store and a delayed produce may lie between a debit's being held and the release that should have seen it. */
const queueToleranceMs = 10_000;

/** Where nothing but banks has troubles, those of one bank reach no other: what each takes on its way is milliseconds. */
const firstAttemptWithinMs = 5_000;

function isolationOf(seed: number): { readonly firstAttemptWithinMs?: number } {
  return seed % 2 === 0 ? { firstAttemptWithinMs } : {};
}

export interface Verdict {
  readonly seed: number;
  /** Promises broken, what was left undone (I16), and what the OpenAPI document does not say; empty in a good run. */
  readonly wrong: readonly string[];
  /** Of a bad run: crashes and the last port calls. */
  readonly evidence: readonly string[];
  /** How much the checker looked at. */
  readonly checked: number;
}

export async function judge(seed: number): Promise<Verdict> {
  const end = await simulate(seed);
  const { violations, counts } = checkHistory(end.history, { queueToleranceMs, ...isolationOf(seed) });
  const wrong = [...end.left, ...end.undocumented, ...violations.map(({ promise, uetr, text }) => `${promise} ${uetr ?? ""} ${text}`)];
  const evidence = wrong.length === 0 ? [] : [...end.crashes, ...end.tail.slice(-40)];
  return { seed, wrong, evidence, checked: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}
