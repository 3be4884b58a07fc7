import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countAnswer,
  failuresToOpen,
  noStreaks,
  reasonToOpen as reasonWithPast,
  type BreakerPast,
  type CountedAnswer,
  type FailureStreaks,
} from "./breaker.ts";

const answer = (of: CountedAnswer["class"], uetr = "a", isDuplicateCode = false): CountedAnswer => ({
  class: of,
  uetr,
  isDuplicateCode,
  failedBefore: 0,
});
const firstTime: BreakerPast = { reopenings: 0, unacknowledgedMs: 0 };
const reasonToOpen = (rows: FailureStreaks, past = firstTime) => reasonWithPast(rows, past);
const after = (answers: readonly CountedAnswer[]) => answers.reduce(countAnswer, noStreaks);
const times = (count: number, make: (index: number) => CountedAnswer): CountedAnswer[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("when a breaker opens", () => {
  it("10 transient answers in a row over two UETRs open it; 9 do not, and answers to one UETR never do [D3.45]", () => {
    const overTwo = times(10, (index) => answer("transient", index === 9 ? "b" : "a"));
    expect(reasonToOpen(after(overTwo))).toBe("transient");
    expect(reasonToOpen(after(overTwo.slice(1)))).toBeNull();
    expect(reasonToOpen(after(times(500, () => answer("transient"))))).toBeNull();
  });

  it("10 refusals open it, of one UETR or of many [D3.47]", () => {
    expect(reasonToOpen(after(times(10, () => answer("refused"))))).toBe("refused");
    expect(reasonToOpen(after(times(9, (index) => answer("refused", `${index}`))))).toBeNull();
  });

  it("10 answers about the address in a row over two UETRs open it, as when a proxy blocks every message [D3.46]", () => {
    expect(reasonToOpen(after(times(10, (index) => answer("address", `${index % 2}`))))).toBe("address");
    expect(reasonToOpen(after(times(100, () => answer("address"))))).toBeNull();
  });

  it("failures of two kinds that alternate open it [D3.65]", () => {
    expect(reasonToOpen(after(times(20, (index) => answer(index % 2 === 0 ? "transient" : "address", `${index}`))))).toBe("transient");
  });

  it("an acknowledgement ends every streak; a refusal ends a streak of failures, and a failure one of refusals [D3.66]", () => {
    const nine = times(9, (index) => answer("transient", `${index}`));
    for (const between of [answer("acknowledged"), answer("refused")]) expect(reasonToOpen(after([...nine, between, ...nine]))).toBeNull();
    const refusals = times(9, () => answer("refused"));
    for (const of of ["acknowledged", "transient", "address"] as const) {
      expect(reasonToOpen(after([...refusals, answer(of), ...refusals]))).toBeNull();
    }
  });

  it('a code that means "seen before" neither lengthens nor ends a streak', () => {
    expect(reasonToOpen(after(times(100, (index) => answer("refused", `${index}`, true))))).toBeNull();
    const nine = times(9, (index) => answer("transient", `${index}`));
    expect(reasonToOpen(after([...nine, answer("refused", "x", true), answer("transient")]))).toBe("transient");
  });

  it("I14: the fourth failure of a message and those after it say nothing, whatever their kind [D3.43] [D3.44]", () => {
    for (const of of ["transient", "address", "refused"] as const) {
      const failedOften = times(1_000, (index) => ({ ...answer(of, `${index}`), failedBefore: 3 + (index % 5) }));
      expect(after(failedOften)).toEqual(noStreaks);
      const failedTwice = times(10, (index) => ({ ...answer(of, `${index}`), failedBefore: 2 }));
      expect(reasonToOpen(after([...failedOften, ...failedTwice]))).toBe(of);
    }
  });

  it("a breaker that one message closed opens after eight times as many, or once nothing is acknowledged for 30 s [D3.54]", () => {
    const streak = (count: number) => after(times(count, (index) => answer("transient", `${index}`)));
    const past = (reopenings: number, unacknowledgedMs = 0): BreakerPast => ({ reopenings, unacknowledgedMs });
    for (const [reopenings, needed] of [
      [0, 10],
      [1, 80],
      [2, 640],
      [3, 5_120],
      [9, 5_120],
    ] as const) {
      expect(reasonToOpen(streak(needed - 1), past(reopenings))).toBeNull();
      expect(reasonToOpen(streak(needed), past(reopenings))).toBe("transient");
    }
    expect(reasonToOpen(streak(10), past(3, 29_999))).toBeNull();
    expect(reasonToOpen(streak(10), past(3, 30_000))).toBe("transient");
  });

  it("after an acknowledgement it takes ten more answers, whatever came before", () => {
    const any = fc
      .constantFrom(...(["acknowledged", "transient", "address", "refused"] as const))
      .chain((of) =>
        fc
          .tuple(fc.constant(of), fc.constantFrom("a", "b", "c"), fc.boolean())
          .map(([kind, uetr, isDuplicate]) => answer(kind, uetr, isDuplicate)),
      );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), fc.array(any, { maxLength: failuresToOpen - 1 }), (before, next) => {
        expect(reasonToOpen(after([...before, answer("acknowledged"), ...next]))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});
