// Part of the store's conformance: the last received first, what was received in a time, and how an identification
// begins.

import { expect, test } from "vitest";
import { noSearchTerms, type SearchTerms, type Store, type TransactionWrite } from "../port.ts";
import { conformanceUetr } from "./conformance-partitions.ts";
import { conformanceDocument } from "./conformance-transactions.ts";

function buildWrite(n: number, receivedAtMs: number, terms: Partial<SearchTerms> = {}): TransactionWrite {
  const search = { ...noSearchTerms, ...terms };
  return { document: { ...conformanceDocument({ uetr: conformanceUetr(n), receivedAtMs }), search }, expectedVersion: 0 };
}

export function newestPromises(open: () => Promise<Store>): void {
  test("the newest are listed by the time at which they were received, the last first, in pages, and within a range of it", async () => {
    const { transactions } = await open();
    const [early, late] = [1_795_000_000_000, 1_795_000_060_000];
    await transactions.write([1, 2, 3, 4].map((n) => buildWrite(n, n === 2 ? late : early)));
    const uetrs = async (...asked: Parameters<typeof transactions.newest>) => (await transactions.newest(...asked)).map(({ uetr }) => uetr);
    expect(await uetrs({}, { aboutMs: late }, 1_000)).toEqual([2, 4, 3, 1].map(conformanceUetr));
    expect(await uetrs({}, { aboutMs: late }, 2)).toEqual([2, 4].map(conformanceUetr));
    expect(await uetrs({}, { receivedAtMs: early, uetr: conformanceUetr(4) }, 1_000)).toEqual([3, 1].map(conformanceUetr));
    expect(await uetrs({}, { receivedAtMs: late, uetr: conformanceUetr(2) }, 1)).toEqual([conformanceUetr(4)]);
    expect(await uetrs({ receivedFromMs: early + 1 }, { aboutMs: late }, 10)).toEqual([conformanceUetr(2)]);
    expect(await uetrs({ receivedFromMs: early, receivedToMs: early }, { aboutMs: late }, 10)).toEqual([4, 3, 1].map(conformanceUetr));
    // However wrong the time is that is given.
    expect(await uetrs({}, { aboutMs: 1 }, 1_000)).toEqual([2, 4, 3, 1].map(conformanceUetr));
    expect(await uetrs({}, { aboutMs: late * 2 }, 3)).toEqual([2, 4, 3].map(conformanceUetr));
    await expect(transactions.newest({}, { aboutMs: late }, 1_001)).rejects.toThrow("page");
  });

  test("a search finds the beginning of a UETR in upper case, as some banks write it, and of an identification as it was sent", async () => {
    const { transactions } = await open();
    await transactions.write([buildWrite(0xab_cd_ef, 1_795_000_000_000, { endToEndIdentification: "File-1" })]);
    const starts = [conformanceUetr(0xab_cd_ef).slice(0, 34).toUpperCase(), "File-", "FILE-"];
    const found = await Promise.all(starts.map((identificationStart) => transactions.search({ identificationStart }, null, 10)));
    expect(found.map((rows) => rows.length)).toEqual([1, 1, 0]);
  });
}
