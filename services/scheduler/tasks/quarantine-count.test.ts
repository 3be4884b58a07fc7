import type { Transaction } from "@sluice/domain";
import { expect, test } from "vitest";
import { createQuarantineCount, quarantinedCountMax } from "./quarantine-count.ts";

const mark: Transaction["quarantined"] = { sinceMs: 0, offset: 1n, records: 1 };

test("I15: beyond its bound the count says at least so many, and does not fall below before the next take-over", () => {
  const shown: number[] = [];
  const count = createQuarantineCount(0, { quarantined: { set: (value) => void shown.push(value) } });
  const uetrs = Array.from({ length: quarantinedCountMax - 1 }, (_, index) => `u-${index}`);
  count.fill(uetrs);
  count.observe({ uetr: "one-more", quarantined: mark });
  count.observe({ uetr: "beyond", quarantined: mark });
  // All that are remembered are replayed; the one beyond is still quarantined.
  for (const uetr of [...uetrs, "one-more"]) count.observe({ uetr, quarantined: null });
  expect([shown[0], shown[1], shown.at(-1)]).toEqual([quarantinedCountMax - 1, quarantinedCountMax, quarantinedCountMax]);
  count.stop();
  count.fill(["beyond"]);
  expect(shown.at(-1)).toBe(1);
  count.observe({ uetr: "beyond", quarantined: null });
  expect(shown.at(-1)).toBe(0);
});
