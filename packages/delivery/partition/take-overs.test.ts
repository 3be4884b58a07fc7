import { describe, expect, it } from "vitest";
import { rowVersion } from "../backlog/row-version.ts";
import { PartitionTakeOvers, takeOversKept } from "./take-overs.ts";

function row(ownerEpoch: number, sequence: bigint) {
  return { version: rowVersion(ownerEpoch, 7), sequence };
}

describe("the take-overs of a partition", () => {
  it("I3: an insert is late from the position of any later owner on", () => {
    const takeOvers = new PartitionTakeOvers();
    takeOvers.add(1, 0n);
    takeOvers.add(2, 100n);
    takeOvers.add(3, 200n);
    expect([row(1, 100n), row(1, 250n), row(2, 200n)].map((one) => takeOvers.isLate(one))).toEqual([true, true, true]);
  });

  it("I1: what was parked below the positions of later owners is theirs, and so is what the last owner parked", () => {
    const takeOvers = new PartitionTakeOvers();
    takeOvers.add(1, 0n);
    takeOvers.add(2, 100n);
    takeOvers.add(3, 200n);
    expect([row(1, 99n), row(2, 199n), row(3, 0n), row(3, 900n)].map((one) => takeOvers.isLate(one))).toEqual([false, false, false, false]);
  });

  it("judges as before when it is stored and read again", () => {
    const before = new PartitionTakeOvers();
    before.add(1, 0n);
    before.add(2, 9_007_199_254_740_993n);
    const after = new PartitionTakeOvers();
    after.restore(JSON.parse(JSON.stringify(before.state())));
    expect([row(1, 9_007_199_254_740_993n), row(1, 9_007_199_254_740_992n)].map((one) => after.isLate(one))).toEqual([true, false]);
    expect(after.state()).toEqual(before.state());
  });

  it("I15: keeps the latest take-overs, and of owners that read nothing the last one", () => {
    const takeOvers = new PartitionTakeOvers();
    for (let epoch = 1; epoch <= 1_000; epoch += 1) takeOvers.add(epoch, 5n);
    expect(takeOvers.state()).toEqual({ takeOvers: [{ ownerEpoch: 1_000, position: "5" }] });
    for (let epoch = 1_001; epoch <= 2_000; epoch += 1) takeOvers.add(epoch, BigInt(epoch));
    expect(takeOvers.state()).toMatchObject({ takeOvers: { length: takeOversKept } });
    expect(takeOvers.isLate(row(1_999, 2_000n))).toBe(true);
  });

  it("knows nothing where nothing was stored", () => {
    const takeOvers = new PartitionTakeOvers();
    for (const state of [null, {}, { takeOvers: "?" }, { takeOvers: [null, 1, { ownerEpoch: "1", position: 1 }] }]) {
      takeOvers.restore(state);
      expect(takeOvers.isLate(row(1, 5n))).toBe(false);
    }
  });
});
