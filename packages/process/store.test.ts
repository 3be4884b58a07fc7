import { expect, test } from "vitest";
import { createMissingIndexes } from "./store.ts";

/** A store in which these indexes are missing until it is prepared. */
function storeWithout(missing: readonly string[]) {
  let left = missing;
  let preparations = 0;
  return {
    missingIndexes: () => Promise.resolve(left),
    prepare() {
      preparations += 1;
      left = [];
      return Promise.resolve();
    },
    preparations: () => preparations,
  };
}

test("a service creates indexes where one is missing, and otherwise needs no right to create any", async () => {
  const [whole, partial] = [storeWithout([]), storeWithout(["transactions: held"])];
  for (const store of [whole, partial]) await createMissingIndexes(store);
  expect([whole.preparations(), partial.preparations()]).toEqual([0, 1]);
  expect(await partial.missingIndexes()).toEqual([]);
});
