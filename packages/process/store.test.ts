import { expect, test } from "vitest";
import { requireIndexes } from "./store.ts";

const storeWithout = (...missing: readonly string[]) => ({
  missingIndexes: (collections?: readonly string[]) =>
    Promise.resolve(missing.filter((index) => collections?.some((name) => index.startsWith(`${name}:`)) ?? true)),
});

test("a service waits for indexes that are missing and names them; it creates none itself", async () => {
  await requireIndexes(storeWithout(), "scheduler");
  await expect(requireIndexes(storeWithout("transactions: held", "days: open"), "scheduler")).rejects.toMatchObject({
    code: "process.indexes-missing",
    isRetryable: true,
    message: "the store has no index transactions: held, days: open yet, which ./sluice provision creates",
  });
});

test("a service looks at the indexes of its own collections alone, as its role at the store lets it", async () => {
  await requireIndexes(storeWithout("transactions: held", "postings: of-bank"), "dispatcher");
  await expect(requireIndexes(storeWithout("deliveries: of-bank"), "dispatcher")).rejects.toMatchObject({ isRetryable: true });
});
