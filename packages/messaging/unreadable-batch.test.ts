import { expect, test } from "vitest";
import { buildSkippedRecords, describeBytes, parseBatchRange, rereadDelayMs } from "./unreadable-batch.ts";

const by = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "skip-1", reason: "ticket 4711" };
const place = { topic: "t", partition: 3 };
const key = Buffer.from("k");

function build(over: object = {}) {
  const reason = "records" as const;
  const known = [{ offset: 10n, key }];
  const batch = { ...place, firstOffset: 10n, lastOffset: 12n, reason, detail: "", appendedAtMs: 50, keys: known, ...describeBytes(key) };
  return buildSkippedRecords({ ...batch, ...over }, by, 100);
}

test("the last placeholder has the key of the last record where it is known, and no two have one offset", () => {
  expect(build().map(({ offset, key: of }) => [offset, of])).toEqual([
    [10n, key],
    [12n, null],
  ]);
  const last = [{ offset: 12n, key }];
  expect(build({ keys: last }).map(({ offset, key: of, value }) => [offset, of, value?.length])).toEqual([[12n, key, 1]]);
});

test("a batch of which nothing is known is one placeholder, which names its bytes where they are too many", () => {
  const large = describeBytes(new Uint8Array(600_000));
  const [only, ...more] = build({ keys: [], ...large });
  expect(more).toEqual([]);
  expect(only).toMatchObject({ offset: 12n, key: null, value: null, headers: { "sluice-unreadable-batch": "10-12" } });
  expect(only?.headers["sluice-unreadable-bytes"]).toBe(`600000 bytes, SHA-256 ${large.sha256}`);
});

test("a damaged time is not believed if it lies in the future or before all times", () => {
  const times = [50, 101, -7, Number.MAX_SAFE_INTEGER].map((appendedAtMs) => build({ appendedAtMs })[0]?.appendedAtMs);
  expect(times).toEqual([50, 100, 0, 100]);
});

test("the waits between two readings double from half a second to ten", () => {
  expect([1, 2, 3, 5, 6, 1_000].map(rereadDelayMs)).toEqual([500, 1_000, 2_000, 8_000, 10_000, 10_000]);
});

test.for([["120-139", 120n, 139n] as const, ["7-7", 7n, 7n] as const])("%s names a batch", ([text, firstOffset, lastOffset]) => {
  expect(parseBatchRange(text)).toEqual({ firstOffset, lastOffset });
});

test.for(["", "-", "7", "8-7", "-1-7", "1-x", "1-2-3", `1-${"9".repeat(30)}`])("%s names no batch", (text) => {
  expect(parseBatchRange(text)).toBeNull();
});
