import { describe, expect, it } from "vitest";
import { NameCache, type NameCacheBounds } from "./name-cache.ts";

const bounds: NameCacheBounds = {
  namesMax: 3,
  freshMinMs: 5_000,
  freshMaxMs: 60_000,
  staleMaxMs: 600_000,
  absentMs: 4_000,
  failedMs: 1_000,
};
const here = [{ address: "10.0.0.1", family: 4 }];
const unknown = { addresses: null, failure: null, mustAsk: true };
const fresh = { addresses: here, failure: null, mustAsk: false };
const stale = { addresses: here, failure: null, mustAsk: true };

describe("what names resolved to", () => {
  it("an answer is fresh for its time to live, then stale, then forgotten", () => {
    const cache = new NameCache(bounds);
    expect(cache.find("bank", 0)).toEqual(unknown);
    cache.keepAddresses("bank", here, 30_000, 0);
    expect([cache.find("bank", 29_999), cache.find("bank", 30_000)]).toEqual([fresh, stale]);
    expect([cache.find("bank", 629_999), cache.find("bank", 630_000)]).toEqual([stale, unknown]);
  });

  it("a time to live of nothing or of a week is bounded", () => {
    const cache = new NameCache(bounds);
    cache.keepAddresses("short", here, 0, 0);
    cache.keepAddresses("long", here, 7 * 86_400_000, 0);
    expect([cache.find("short", 4_999), cache.find("short", 5_000)]).toEqual([fresh, stale]);
    expect([cache.find("long", 59_999), cache.find("long", 60_000)]).toEqual([fresh, stale]);
  });

  it.each(["ENOTFOUND", "ENODATA"] as const)("%s replaces addresses, and is known shortly", (failure) => {
    const cache = new NameCache(bounds);
    cache.keepAddresses("bank", here, 30_000, 0);
    cache.keepFailure("bank", failure, 40_000);
    expect(cache.find("bank", 43_999)).toEqual({ addresses: null, failure, mustAsk: false });
    expect(cache.find("bank", 44_000)).toEqual(unknown);
  });

  it.each(["name-server-silent", "name-server-failed"] as const)(
    "%s leaves stale addresses, but not longer than they would last",
    (failure) => {
      const cache = new NameCache(bounds);
      cache.keepAddresses("bank", here, 30_000, 0);
      cache.keepFailure("bank", failure, 40_000);
      expect([cache.find("bank", 40_999), cache.find("bank", 41_000)]).toEqual([fresh, stale]);
      cache.keepFailure("bank", failure, 629_900);
      expect(cache.find("bank", 630_000)).toEqual(unknown);
      cache.keepFailure("bank", failure, 630_000);
      expect(cache.find("bank", 630_999)).toEqual({ addresses: null, failure, mustAsk: false });
    },
  );

  it("an answer ends a failure", () => {
    const cache = new NameCache(bounds);
    cache.keepFailure("bank", "ENOTFOUND", 0);
    cache.keepAddresses("bank", here, 30_000, 1_000);
    expect(cache.find("bank", 1_000)).toEqual(fresh);
  });

  it("other name servers are asked about every name, and the addresses serve meanwhile", () => {
    const cache = new NameCache(bounds);
    cache.keepAddresses("bank", here, 30_000, 0);
    cache.keepFailure("absent", "ENOTFOUND", 0);
    cache.expireAll(1_000);
    expect([cache.find("bank", 1_000), cache.find("absent", 1_000)]).toEqual([stale, unknown]);
  });

  it("I15: the name that was answered longest ago is forgotten for one more", () => {
    const cache = new NameCache(bounds);
    for (const name of ["one", "two", "three"]) cache.keepAddresses(name, here, 30_000, 0);
    cache.keepAddresses("one", here, 30_000, 1);
    cache.keepAddresses("four", here, 30_000, 2);
    expect(["one", "two", "three", "four"].map((name) => cache.find(name, 3).addresses !== null)).toEqual([true, false, true, true]);
  });
});
