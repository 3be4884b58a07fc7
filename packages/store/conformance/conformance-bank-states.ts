// Part of the store's conformance: what operators decided about a bank.

import type { BankState } from "@sluice/domain";
import { expect, test } from "vitest";
import { conformanceAction } from "./conformance-decisions.ts";
import type { Store } from "../port.ts";

export function buildBankState(over: Partial<BankState> = {}): BankState {
  return {
    bank: "first",
    version: 1,
    applied: 9_007_199_254_740_993n,
    isPaused: true,
    untilMs: 1_795_000_600_000,
    since: { action: conformanceAction, atMs: 1_795_000_000_001 },
    pauses: 1,
    resumes: 0,
    markers: [
      {
        offset: 5n,
        atMs: 1_795_000_000_001,
        marker: { kind: "BankPaused", id: "bank:first:p:1", bank: "first", number: 1, reason: "asked", untilMs: 1_795_000_600_000 },
      },
    ],
    usedActions: ["0011223344556677"],
    decisions: [
      { offset: 5n, atMs: 1_795_000_000_001, kind: "BankPauseRequested", action: conformanceAction, result: "applied", why: null },
    ],
    ...over,
  };
}

export function bankStatePromises(open: () => Promise<Store>): void {
  test("a bank's state comes back as it was written and changes by compare-and-set", async () => {
    const { banks } = await open();
    const notPaused = { since: null, isPaused: false, untilMs: null, markers: [], decisions: [], usedActions: [] };
    const second = buildBankState({ ...notPaused, bank: "second" });
    expect(await banks.write(buildBankState(), 0)).toBe(true);
    expect(await banks.write(second, 0)).toBe(true);
    expect(await banks.write(buildBankState({ isPaused: false }), 0)).toBe(false);
    expect(await banks.write(buildBankState({ version: 2, resumes: 1 }), 1)).toBe(true);
    expect(await banks.write(buildBankState({ version: 2, resumes: 9 }), 1)).toBe(false);
    expect([...(await banks.load(["first", "third"])).values()]).toStrictEqual([buildBankState({ version: 2, resumes: 1 })]);
    expect(await banks.all()).toStrictEqual([buildBankState({ version: 2, resumes: 1 }), second]);
  });

  test("every configured receiver that is paused is listed, whatever banks that are not paused sort before it", async () => {
    const { banks } = await open();
    const active = Array.from({ length: 10 }, (_, index) => buildBankState({ bank: `active-${index}`, isPaused: false, untilMs: null }));
    const paused = Array.from({ length: 1_100 }, (_, index) => buildBankState({ bank: `bank-${String(index).padStart(4, "0")}` }));
    await Promise.all([...active, ...paused].map((state) => banks.write(state, 0)));
    expect((await banks.all()).map(({ bank }) => bank)).toEqual(paused.map(({ bank }) => bank));
  });
}
