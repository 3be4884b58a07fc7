import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RecentReceivers, recentReceiverMs } from "./recent-receivers.ts";

test("I14: a receiver is the only one while no record of another came for a minute, in whatever order records came", () => {
  const bank = fc.constantFrom("a", "b", "c");
  fc.assert(
    fc.property(fc.array(fc.tuple(bank, fc.nat(30_000)), { maxLength: 30 }), bank, (came, asked) => {
      const company = new RecentReceivers();
      const seen: { readonly of: string; readonly atMs: number }[] = [];
      let nowMs = 0;
      for (const [of, afterMs] of came) {
        nowMs += afterMs;
        company.record(of, nowMs);
        seen.push({ of, atMs: nowMs });
      }
      const isAlone = !seen.some(({ of, atMs }) => of !== asked && nowMs - atMs <= recentReceiverMs);
      expect(company.isOnly(asked, nowMs)).toBe(isAlone);
    }),
    { numRuns: 300 },
  );
});
