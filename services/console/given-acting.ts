// For tests of decisions: the console's world with a day and banks as a scheduler keeps them, and the scheduler's work on decisions by hand.

import type { Configuration } from "@sluice/config";
import { factFromRecord, fixedSerde, sha256Hex, topics, type AnyDecoded } from "@sluice/contracts";
import {
  decide,
  decideBank,
  decideDay,
  isBankFact,
  isDayFact,
  isTransactionFact,
  laneView,
  type DayFact,
  type DayPlanned,
} from "@sluice/domain";
import { noSearchTerms, type Store } from "@sluice/store";
import { debitIn, givenConsole, startAtMs, uetr } from "./given.ts";

export const day = "ZA_EFT:2026-11-20";
export const hourMs = 3_600_000;
const lanes = 3;
const serde = fixedSerde();

export interface Journalled {
  readonly key: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly appendedAtMs: number;
  readonly decoded: AnyDecoded;
}

/** One window from 08:00 to 16:00 of Johannesburg, which is open since an hour; no credits declared. */
export function planned(over: Partial<DayPlanned> = {}): DayPlanned {
  return {
    kind: "DayPlanned",
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    zone: "Africa/Johannesburg",
    calendarVersion: "v1",
    isWorkingDay: true,
    windows: [{ number: 1, opensAtMs: startAtMs - hourMs, closesAtMs: startAtMs + 8 * hourMs }],
    cutOffAtMs: startAtMs + 7 * hourMs,
    reconciliationAtMs: startAtMs + 9 * hourMs,
    nextBusinessDate: "2026-11-23",
    creditsFinal: "connector",
    lanes,
    ...over,
  };
}

export async function givenActing(over: Partial<Configuration> = {}) {
  const world = await givenConsole(over);
  const { store, messaging, settled } = world;

  function journal(): readonly Journalled[] {
    return Array.from({ length: lanes }, (_, partition) => messaging.records({ topic: topics.journal, partition }))
      .flat()
      .map(({ key, value, partition, offset, appendedAtMs }) => {
        if (key === null || value === null) throw new Error("a record of the journal has a key and a value");
        return { key: new TextDecoder().decode(key), partition, offset, appendedAtMs, decoded: serde.decode(value) };
      });
  }

  /** Folds facts into the day, each an offset further; negative ones, so that the journal's own come later. */
  async function saveDay(...dayFacts: readonly DayFact[]): Promise<void> {
    const kept = dayFacts.reduce(
      (before, fact, index) => decideDay(day, before, fact, { offset: BigInt(index - 100), appendedAtMs: startAtMs - hourMs }).day,
      null as ReturnType<typeof decideDay>["day"],
    );
    if (kept === null) throw new Error("a day begins with its plan");
    await settled(store.days.write(kept, 0));
  }

  /** A debit of the bank `first` in its state, as of before the journal's first record. */
  async function saveDebit(...states: Parameters<typeof debitIn>[0]): Promise<void> {
    const debit = debitIn(states);
    await world.save({ ...debit, applied: -1n, bank: "first", businessDate: "2026-11-20", closesWith: day });
  }

  return { ...world, journal, saveDay, saveDebit, judge: (record: Journalled) => settled(judged(store, record)) };
}

/** What a scheduler does with one record of a decision, but for its outputs. */
async function judged(store: Store, { key, offset, appendedAtMs, decoded }: Journalled): Promise<void> {
  const fact = factFromRecord(decoded, key);
  const place = { offset, appendedAtMs };
  if (fact === null) throw new Error(`${decoded.name} is no fact`);
  if (isBankFact(fact)) {
    const before = (await store.banks.load([fact.bank])).get(fact.bank) ?? null;
    const { standing } = decideBank(key, before, fact, place);
    if (standing !== null) await store.banks.write(standing, before?.version ?? 0);
  } else if (isDayFact(fact)) {
    const before = (await store.days.load([key])).get(key) ?? null;
    const after = decideDay(key, before, fact, place).day;
    if (after !== null) await store.days.write(after, before?.version ?? 0);
  } else if (isTransactionFact(fact)) {
    const before = (await store.transactions.load([key])).get(key)?.transaction ?? null;
    const { transaction } = decide(key, before, fact, place, laneView(0, []), sha256Hex);
    if (transaction === null) return;
    const document = { transaction, acceptedMessage: new Uint8Array(), finalReport: null, verdict: null, search: noSearchTerms };
    await store.transactions.write([{ document, expectedVersion: before?.version ?? 0 }]);
  }
}

export { startAtMs, uetr };
