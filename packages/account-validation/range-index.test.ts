import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRangeIndex } from "./range-index.ts";

const code = fc.integer({ min: 0, max: 40 }).map((number) => String(number).padStart(6, "0"));
const range = fc.tuple(code, code).map(([a, b]): readonly [string, string] => (a <= b ? [a, b] : [b, a]));

test("a look-up finds the same as a search through all entries, in their order, each with its narrowest range", () => {
  const property = fc.property(fc.array(fc.array(range, { maxLength: 4 }), { maxLength: 8 }), code, (all, asked) => {
    const entries = all.map((ranges, value) => ({ ranges, value }));
    const expected = entries.flatMap(({ ranges, value }) => {
      const widths = ranges.filter(([from, to]) => from <= asked && asked <= to).map(([from, to]) => Number(to) - Number(from) + 1);
      return widths.length === 0 ? [] : [{ value, width: Math.min(...widths) }];
    });
    expect(createRangeIndex(entries)(asked)).toEqual(expected);
  });
  expect(() => fc.assert(property, { numRuns: 1_000 })).not.toThrow();
});

test("an index without entries finds nothing", () => {
  expect(createRangeIndex([])("000000")).toEqual([]);
});

test("a look-up in a table of 20,000 single branches does not go through the table", () => {
  const ranges = Array.from({ length: 20_000 }, (_, n) => String(n * 50).padStart(6, "0"));
  const at = createRangeIndex(ranges.map((one) => ({ ranges: [[one, one] as const], value: one })));
  for (const one of ranges) if (at(one)[0]?.value !== one) throw new Error(one);
  expect(at("000001")).toEqual([]);
});
