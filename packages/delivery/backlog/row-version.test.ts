import { describe, expect, it } from "vitest";
import { judgeWrite, knowsMore, ownerEpochIn, rowVersion } from "./row-version.ts";

describe("the version of a parked row", () => {
  it("grows with each write of an owner, and with each owner", () => {
    const versions = [rowVersion(1, 1), rowVersion(1, 2), rowVersion(1, 1_000_000_000), rowVersion(2, 1), rowVersion(8_000_000, 1)];
    expect(versions.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(versions);
    expect(new Set(versions).size).toBe(versions.length);
    expect(versions.map(ownerEpochIn)).toEqual([1, 1, 1, 2, 8_000_000]);
  });

  it("I15: fits into 64 bits, and a count that does not fit into it is refused", () => {
    expect(rowVersion(8_000_000, 2 ** 40 - 1)).toBeLessThan(2n ** 63n);
    expect(() => rowVersion(1, 2 ** 40)).toThrow("fewer writes");
  });
});

describe("a write and the row that it finds", () => {
  it.each([
    ["its own, written before its answer was lost", rowVersion(2, 5), rowVersion(2, 5), "written"],
    ["an older one of its owner", rowVersion(2, 5), rowVersion(2, 4), "replaces"],
    ["one of an earlier owner, whatever its count", rowVersion(2, 5), rowVersion(1, 900), "replaces"],
    ["a newer one of its owner", rowVersion(2, 5), rowVersion(2, 6), "superseded"],
    ["one of a later owner, whatever its count", rowVersion(2, 5), rowVersion(3, 1), "fenced"],
  ] as const)("I5: %s", (_, version, stored, verdict) => {
    expect(judgeWrite(version, stored)).toBe(verdict);
  });
});

describe("a message that is parked although the store has it", () => {
  it.each([
    ["untried, and the stored one tried", { attempts: 0, ended: null }, { attempts: 1, ended: null }, false],
    ["tried as often", { attempts: 1, ended: null }, { attempts: 1, ended: null }, false],
    ["tried more often", { attempts: 2, ended: null }, { attempts: 1, ended: null }, true],
    ["refused", { attempts: 1, ended: "refusing" }, { attempts: 3, ended: null }, true],
    ["tried more often, and the stored one refused", { attempts: 4, ended: null }, { attempts: 1, ended: "refused" }, false],
    ["refused, and the stored one stopped", { attempts: 1, ended: "refusing" }, { attempts: 1, ended: "stopped" }, false],
  ] as const)("%s", (_, parked, stored, isReplaced) => {
    expect(knowsMore(parked, stored)).toBe(isReplaced);
  });
});
