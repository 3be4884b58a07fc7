// A part of the store's conformance: what services have learnt of the addresses of receivers.

import { expect, test } from "vitest";
import type { AddressStanding, Store } from "./port.ts";

function learnt(over: Partial<AddressStanding> = {}): AddressStanding {
  return {
    service: "dispatcher",
    bank: "first",
    address: "https://api.first.test",
    breaker: { sinceMs: 1_795_000_000_001, reason: "503" },
    concurrency: 3,
    gateUntilMs: 1_795_000_060_000,
    updatedAtMs: 1_795_000_000_002,
    ...over,
  };
}

const elsewhere = learnt({ address: "https://other.first.test:8443", breaker: null, gateUntilMs: null, concurrency: 32 });
const ofEvents = learnt({ service: "event-publisher" });
const longer = learnt({ bank: "first-of-all" });

export function addressPromises(open: () => Promise<Store>): void {
  test("what was learnt of addresses comes back as it was written, by service, bank and address", async () => {
    const { addresses } = await open();
    expect(await addresses.all(null)).toEqual([]);
    await addresses.write([ofEvents, longer, elsewhere, learnt()]);
    await addresses.write([]);
    expect(await addresses.all(null)).toStrictEqual([learnt(), elsewhere, longer, ofEvents]);
    expect(await addresses.all("dispatcher")).toStrictEqual([learnt(), elsewhere, longer]);
    expect(await addresses.all("scheduler")).toEqual([]);
  });

  test("what is written replaces what was there, and what is new beside it is kept; nothing else changes", async () => {
    const { addresses } = await open();
    await addresses.write([learnt(), elsewhere]);
    const closed = learnt({ breaker: null, concurrency: 1, gateUntilMs: null, updatedAtMs: 1_795_000_000_900 });
    await addresses.write([longer, closed]);
    expect(await addresses.all(null)).toStrictEqual([closed, elsewhere, longer]);
  });

  test("writers of the same addresses at the same time harm nobody: each address has what one of them wrote", async () => {
    const { addresses } = await open();
    const of = (concurrency: number): readonly AddressStanding[] => [learnt({ concurrency }), { ...elsewhere, concurrency }];
    await Promise.all([1, 2, 3, 4].map((concurrency) => addresses.write(of(concurrency))));
    const all = await addresses.all(null);
    expect(all.map(({ address }) => address)).toEqual([learnt().address, elsewhere.address]);
    for (const { concurrency } of all) expect([1, 2, 3, 4]).toContain(concurrency);
  });

  test("a bulk of 1,000 addresses is written; 1,001 is refused", async () => {
    const { addresses } = await open();
    const all = Array.from({ length: 1_001 }, (_, n) => learnt({ bank: `bank-${String(n).padStart(4, "0")}` }));
    await expect(addresses.write(all)).rejects.toThrow("bulk");
    await addresses.write(all.slice(0, 1_000));
    expect(await addresses.all("dispatcher")).toStrictEqual(all.slice(0, 1_000));
  });
}
