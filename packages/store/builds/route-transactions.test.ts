import { expect, test } from "vitest";
import { type BuildTransactions, routeTransactions } from "./route-transactions.ts";

test("I16: an older epoch of a partition does not lead back to the build before a rebuild", async () => {
  const asked: number[] = [];
  const { transactions, learn } = routeTransactions({
    builds: () => Promise.resolve([]),
    inBuild: (build) => {
      const open: BuildTransactions["open"] = () => {
        asked.push(build);
        return Promise.resolve([]);
      };
      return new Proxy<Partial<BuildTransactions>>({ open }, {}) as BuildTransactions;
    },
  });
  learn({ partition: 0, epoch: 5, build: 1 });
  learn({ partition: 0, epoch: 4, build: 0 });
  await transactions.open(0, null, 10);
  learn({ partition: 0, epoch: 6, build: 2 });
  await transactions.open(0, null, 10);
  expect(asked).toEqual([1, 2]);
});
