import { expect, test } from "vitest";
import { BulkCalls } from "./bulk-calls.ts";

interface Item {
  readonly bank: string;
  readonly number: number;
}

/** Calls that the test answers one after the other. */
function setup(itemsMax: number) {
  const calls: { readonly items: readonly Item[]; answer(): void }[] = [];
  const bulk = new BulkCalls<Item, string>(
    async (items) => {
      await new Promise<void>((resolve) => void calls.push({ items, answer: resolve }));
      return ({ bank, number }) => `${bank}${number}`;
    },
    itemsMax,
    ({ bank }) => bank,
  );
  return { calls, bulk };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const named = (items: readonly Item[] | undefined): string => (items ?? []).map(({ bank, number }) => `${bank}${number}`).join(" ");

test("I14: a bank with much to write and one with little take turns, and each caller gets its own answer", async () => {
  const { calls, bulk } = setup(4);
  const asked = Array.from({ length: 10 }, (_, number) => bulk.ask({ bank: "a", number }, () => true));
  await settled();
  const few = [0, 1].map((number) => bulk.ask({ bank: "b", number }, () => true));
  calls[0]?.answer();
  await settled();
  expect(named(calls[0]?.items)).toBe("a0 a1 a2 a3");
  expect(named(calls[1]?.items)).toBe("a4 b0 a5 b1");
  calls[1]?.answer();
  await settled();
  expect(await Promise.all(few)).toEqual(["b0", "b1"]);
  expect(named(calls[2]?.items)).toBe("a6 a7 a8 a9");
  calls[2]?.answer();
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, (_, number) => `a${number}`));
});

test("an item that is no longer wanted when its turn comes is left out, and its caller gets a retryable fault", async () => {
  const { calls, bulk } = setup(2);
  const first = bulk.ask({ bank: "a", number: 0 }, () => true);
  await settled();
  const unwanted = bulk.ask({ bank: "a", number: 1 }, () => false);
  const last = bulk.ask({ bank: "a", number: 2 }, () => true);
  unwanted.catch(() => undefined);
  calls[0]?.answer();
  await settled();
  expect(named(calls[1]?.items)).toBe("a2");
  calls[1]?.answer();
  await expect(unwanted).rejects.toMatchObject({ code: "delivery.call-cancelled", isRetryable: true });
  expect(await Promise.all([first, last])).toEqual(["a0", "a2"]);
});
