// Part of the store's conformance: endpoint health.

import { expect, test } from "vitest";
import type { EndpointHealth, Store } from "../port.ts";

function buildHealth(over: Partial<EndpointHealth> = {}): EndpointHealth {
  return {
    service: "dispatcher",
    receiverId: "first",
    origin: "https://api.first.test",
    breaker: { sinceMs: 1_795_000_000_001, reason: "503" },
    concurrency: 3,
    retryAfterUntilMs: 1_795_000_060_000,
    updatedAtMs: 1_795_000_000_002,
    check: { action: "c-1", atMs: 1_795_000_000_003, tookMs: 12, httpStatusCode: null, reason: "ECONNREFUSED" },
    changes: [
      { atMs: 1_794_000_000_000, reason: "transient" },
      { atMs: 1_794_000_009_000, reason: null },
    ],
    checks: [],
    ...over,
  };
}

const elsewhere = buildHealth({
  origin: "https://other.first.test:8443",
  breaker: null,
  retryAfterUntilMs: null,
  concurrency: 32,
  check: null,
  changes: [],
});
const ofEvents = buildHealth({ service: "event-publisher" });
const longer = buildHealth({ receiverId: "first-of-all" });

export function endpointHealthPromises(open: () => Promise<Store>): void {
  test("endpoint health comes back as it was written, by service, receiver and origin", async () => {
    const { endpointHealth } = await open();
    expect(await endpointHealth.all(null)).toEqual([]);
    await endpointHealth.write([ofEvents, longer, elsewhere, buildHealth()]);
    await endpointHealth.write([]);
    expect(await endpointHealth.all(null)).toStrictEqual([buildHealth(), elsewhere, longer, ofEvents]);
    expect(await endpointHealth.all("dispatcher")).toStrictEqual([buildHealth(), elsewhere, longer]);
    expect(await endpointHealth.all("scheduler")).toEqual([]);
  });

  test("a write replaces the documents it names, inserts the new ones, and changes no other", async () => {
    const { endpointHealth } = await open();
    await endpointHealth.write([buildHealth(), elsewhere]);
    const closed = buildHealth({ breaker: null, concurrency: 1, retryAfterUntilMs: null, updatedAtMs: 1_795_000_000_900 });
    await endpointHealth.write([longer, closed]);
    expect(await endpointHealth.all(null)).toStrictEqual([closed, elsewhere, longer]);
  });

  test("checks are kept, the newest ten of an endpoint, and a write of its health leaves them", async () => {
    const { endpointHealth } = await open();
    const check = (n: number) => ({
      action: `c-${n}`,
      atMs: 1_795_000_000_000 + n,
      tookMs: n,
      httpStatusCode: n % 2 === 0 ? 405 : null,
      reason: n % 2 === 0 ? null : "ECONNREFUSED",
      operator: "thandi",
    });
    // Nothing is stored of the endpoint yet.
    await endpointHealth.addCheck(buildHealth(), check(1));
    expect(await endpointHealth.all(null)).toStrictEqual([buildHealth({ checks: [check(1)] })]);
    await endpointHealth.write([elsewhere]);
    for (let n = 2; n <= 12; n += 1) await endpointHealth.addCheck(buildHealth({ concurrency: 9 }), check(n));
    const closed = buildHealth({ breaker: null });
    await endpointHealth.write([closed]);
    const kept = Array.from({ length: 10 }, (_, index) => check(index + 3));
    expect(await endpointHealth.all(null)).toStrictEqual([{ ...closed, checks: kept }, elsewhere]);
  });

  test("checks that several writers add at once are all kept, also of an endpoint of which nothing is stored", async () => {
    const { endpointHealth } = await open();
    const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
    await Promise.all(
      numbers.map((n) =>
        endpointHealth.addCheck(buildHealth(), {
          action: `c-${n}`,
          atMs: 1_795_000_000_000 + n,
          tookMs: n,
          httpStatusCode: 405,
          reason: null,
          operator: "thandi",
        }),
      ),
    );
    const [kept] = await endpointHealth.all(null);
    expect(kept?.checks.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)).toEqual(numbers);
  });

  test("concurrent writers of the same endpoints are safe: each endpoint has what one of them wrote", async () => {
    const { endpointHealth } = await open();
    const of = (concurrency: number): readonly EndpointHealth[] => [buildHealth({ concurrency }), { ...elsewhere, concurrency }];
    await Promise.all([1, 2, 3, 4].map((concurrency) => endpointHealth.write(of(concurrency))));
    const all = await endpointHealth.all(null);
    expect(all.map(({ origin }) => origin)).toEqual([buildHealth().origin, elsewhere.origin]);
    for (const { concurrency } of all) expect([1, 2, 3, 4]).toContain(concurrency);
  });

  test("a bulk of 1,000 endpoints is written; 1,001 is refused", async () => {
    const { endpointHealth } = await open();
    const all = Array.from({ length: 1_001 }, (_, n) => buildHealth({ receiverId: `bank-${String(n).padStart(4, "0")}` }));
    await expect(endpointHealth.write(all)).rejects.toThrow("bulk");
    await endpointHealth.write(all.slice(0, 1_000));
    expect(await endpointHealth.all("dispatcher")).toStrictEqual(all.slice(0, 1_000));
  });
}
