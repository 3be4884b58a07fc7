import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countAnswer, failuresToOpen, noStreaks, reasonToOpen, type CountedAnswer } from "./breaker.ts";

const answer = (of: CountedAnswer["class"], uetr = "a", isDuplicateCode = false): CountedAnswer => ({ class: of, uetr, isDuplicateCode });
const after = (answers: readonly CountedAnswer[]) => answers.reduce(countAnswer, noStreaks);
const times = (count: number, make: (index: number) => CountedAnswer): CountedAnswer[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("when a breaker opens", () => {
  it("10 transient answers in a row over two UETRs open it; 9 do not, and answers to one UETR never do", () => {
    const overTwo = times(10, (index) => answer("transient", index === 9 ? "b" : "a"));
    expect(reasonToOpen(after(overTwo))).toBe("transient");
    expect(reasonToOpen(after(overTwo.slice(1)))).toBeNull();
    expect(reasonToOpen(after(times(500, () => answer("transient"))))).toBeNull();
  });

  it("10 refusals open it, of one UETR or of many", () => {
    expect(reasonToOpen(after(times(10, () => answer("refused"))))).toBe("refused");
    expect(reasonToOpen(after(times(9, (index) => answer("refused", `${index}`))))).toBeNull();
  });

  it("10 answers about the address in a row over two UETRs open it, as when a proxy blocks every message", () => {
    expect(reasonToOpen(after(times(10, (index) => answer("address", `${index % 2}`))))).toBe("address");
    expect(reasonToOpen(after(times(100, () => answer("address"))))).toBeNull();
  });

  it("failures of two kinds that alternate open it", () => {
    expect(reasonToOpen(after(times(20, (index) => answer(index % 2 === 0 ? "transient" : "address", `${index}`))))).toBe("transient");
  });

  it("an acknowledgement ends every streak; a refusal ends a streak of failures, and a failure one of refusals", () => {
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
