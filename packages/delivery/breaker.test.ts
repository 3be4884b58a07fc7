import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted, failuresToOpen, noRows, opensFor, type Counted } from "./breaker.ts";

const answer = (of: Counted["class"], uetr = "a", isDuplicateCode = false): Counted => ({ class: of, uetr, isDuplicateCode });
const after = (answers: readonly Counted[]) => answers.reduce(counted, noRows);
const times = (count: number, make: (index: number) => Counted): Counted[] => Array.from({ length: count }, (_, index) => make(index));

describe("when a breaker opens", () => {
  it("10 transient answers in a row over two UETRs open it, 9 do not, and those of one UETR never do", () => {
    const overTwo = times(10, (index) => answer("transient", index === 9 ? "b" : "a"));
    expect(opensFor(after(overTwo))).toBe("transient");
    expect(opensFor(after(overTwo.slice(1)))).toBeNull();
    expect(opensFor(after(times(500, () => answer("transient"))))).toBeNull();
  });

  it("10 that are not recoverable open it, of one UETR or of many", () => {
    expect(opensFor(after(times(10, () => answer("refused"))))).toBe("refused");
    expect(opensFor(after(times(9, (index) => answer("refused", `${index}`))))).toBeNull();
  });

  it("10 about the address in a row over two UETRs open it: a proxy that stands in the way of all", () => {
    expect(opensFor(after(times(10, (index) => answer("address", `${index % 2}`))))).toBe("address");
    expect(opensFor(after(times(100, () => answer("address"))))).toBeNull();
  });

  it("an address that alternates between failures of two kinds is found out", () => {
    expect(opensFor(after(times(20, (index) => answer(index % 2 === 0 ? "transient" : "address", `${index}`))))).toBe("transient");
  });

  it("any acknowledgement ends a row; a refusal ends one of failures, and a failure one of refusals", () => {
    const nine = times(9, (index) => answer("transient", `${index}`));
    for (const between of [answer("acknowledged"), answer("refused")]) expect(opensFor(after([...nine, between, ...nine]))).toBeNull();
    const refusals = times(9, () => answer("refused"));
    for (const of of ["acknowledged", "transient", "address"] as const) {
      expect(opensFor(after([...refusals, answer(of), ...refusals]))).toBeNull();
    }
  });

  it("a code that means seen before counts for nothing: it neither makes a row longer nor ends one", () => {
    expect(opensFor(after(times(100, (index) => answer("refused", `${index}`, true))))).toBeNull();
    const nine = times(9, (index) => answer("transient", `${index}`));
    expect(opensFor(after([...nine, answer("refused", "x", true), answer("transient")]))).toBe("transient");
  });

  it("whatever came before, after an acknowledgement it takes ten more", () => {
    const any = fc
      .constantFrom(...(["acknowledged", "transient", "address", "refused"] as const))
      .chain((of) =>
        fc
          .tuple(fc.constant(of), fc.constantFrom("a", "b", "c"), fc.boolean())
          .map(([kind, uetr, isDuplicate]) => answer(kind, uetr, isDuplicate)),
      );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 60 }), fc.array(any, { maxLength: failuresToOpen - 1 }), (before, next) => {
        expect(opensFor(after([...before, answer("acknowledged"), ...next]))).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});
