import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Company, companyKeptMs } from "./company.ts";

test("I14: a bank is alone while no other's record came for a minute, whoever came in which order", () => {
  const bank = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(fc.array(fc.tuple(bank, fc.nat(30_000)), { maxLength: 30 }), bank, (came, asked) => {
      const company = new Company();
      const seen: { readonly of: string; readonly atMs: number }[] = [];
      let nowMs = 0;
      for (const [of, afterMs] of came) {
        nowMs += afterMs;
        company.saw(of, nowMs);
        seen.push({ of, atMs: nowMs });
      }
      const isAlone = !seen.some(({ of, atMs }) => of !== asked && nowMs - atMs <= companyKeptMs);
      expect(company.isAlone(asked, nowMs)).toBe(isAlone);
    }),
    { numRuns: 300 },
  );
});
