// For tests of decisions: the console's environment with a day and banks as a scheduler stores them, and a function
// that applies a decision as the scheduler would.

import type { Configuration } from "@sluice/config";
import { factFromRecord, createFixedSerde, sha256Hex, topics, type AnyDecodedRecord } from "@sluice/contracts";
import {
  extendRules,
  decide,
  decideBank,
  decideDay,
  isBankFact,
  isDayFact,
  isTransactionFact,
  createPartitionView,
  type DayFact,
  type DayPlanned,
} from "@sluice/domain";
import { noSearchTerms, type Store } from "@sluice/store";
import { buildConsoleDebit, changeTransaction, openConsoleEnvironment, consoleStartAtMs, consoleUetr } from "../console.fixture.ts";

export const day = "ZA_EFT:2026-11-20";
export const decisionHourMs = 3_600_000;
const partitionCount = 3;
const serde = createFixedSerde();

export interface JournalledRecord {
  readonly key: string;
  readonly partition: number;
  readonly offset: bigint;
  readonly appendedAtMs: number;
  readonly decoded: AnyDecodedRecord;
}

/** A day with one window from 08:00 to 16:00 in Johannesburg, open for an hour; no credits are declared. */
export function planOpenDay(over: Partial<DayPlanned> = {}): DayPlanned {
  return {
    kind: "DayPlanned",
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    zone: "Africa/Johannesburg",
    calendarVersion: "v1",
    isWorkingDay: true,
    windows: [{ number: 1, opensAtMs: consoleStartAtMs - decisionHourMs, closesAtMs: consoleStartAtMs + 8 * decisionHourMs }],
    cutOffAtMs: consoleStartAtMs + 7 * decisionHourMs,
    reconciliationAtMs: consoleStartAtMs + 9 * decisionHourMs,
    nextBusinessDate: "2026-11-23",
    creditsFinal: "connector",
    partitionCount,
    ...over,
  };
}

export async function openDecisionEnvironment(over: Partial<Configuration> = {}, more: Parameters<typeof openConsoleEnvironment>[1] = {}) {
  const environment = await openConsoleEnvironment(over, more);
  const { store, messaging, settled } = environment;

  function journal(): readonly JournalledRecord[] {
    return Array.from({ length: partitionCount }, (_, partition) => messaging.records({ topic: topics.journal, partition }))
      .flat()
      .map(({ key, value, partition, offset, appendedAtMs }) => {
        if (key === null || value === null) throw new Error("a record of the journal has a key and a value");
        return { key: new TextDecoder().decode(key), partition, offset, appendedAtMs, decoded: serde.decode(value) };
      });
  }

  /** Applies facts to the day at successive offsets. They are negative, so that the journal's own offsets are later. */
  async function saveDay(...dayFacts: readonly DayFact[]): Promise<void> {
    const kept = dayFacts.reduce(
      (before, fact, index) =>
        decideDay(day, before, fact, { offset: BigInt(index - 100), appendedAtMs: consoleStartAtMs - decisionHourMs }).day,
      null as ReturnType<typeof decideDay>["day"],
    );
    if (kept === null) throw new Error("a day begins with its plan");
    await settled(store.days.write(kept, 0));
  }

  /** Saves a debit of the bank `first` that has been through these states before the journal's first record. */
  async function saveDebit(...states: Parameters<typeof buildConsoleDebit>[0]): Promise<void> {
    const debit = buildConsoleDebit(states);
    await environment.save(changeTransaction(debit, { applied: -1n, bank: "first", businessDate: "2026-11-20", reconciliationDay: day }));
  }

  return { ...environment, journal, saveDay, saveDebit, judge: (record: JournalledRecord) => settled(applyDecision(store, record)) };
}

/** What the second person is shown of the item's proposal. */
export async function findProposal(
  environment: Awaited<ReturnType<typeof openDecisionEnvironment>>,
): Promise<{ readonly offset: string; readonly contentSha256: string }> {
  const loaded = await environment.settled(environment.store.transactions.load([consoleUetr]));
  const proposal = loaded.get(consoleUetr)?.transaction.items[0]?.resolution ?? null;
  if (proposal === null) throw new Error("nothing is proposed");
  return { offset: String(proposal.offset), contentSha256: proposal.action.contentSha256 };
}

/** Does what a scheduler does with one record of a decision, except for its outputs. */
async function applyDecision(store: Store, { key, offset, appendedAtMs, decoded }: JournalledRecord): Promise<void> {
  const fact = factFromRecord(decoded, key);
  const place = { offset, appendedAtMs };
  if (fact === null) throw new Error(`${decoded.name} is no fact`);
  if (isBankFact(fact)) {
    const before = (await store.banks.load([fact.bank])).get(fact.bank) ?? null;
    const { state } = decideBank(key, before, fact, place);
    if (state !== null) await store.banks.write(state, before?.version ?? 0);
  } else if (isDayFact(fact)) {
    const before = (await store.days.load([key])).get(key) ?? null;
    const after = decideDay(key, before, fact, place).day;
    if (after !== null) await store.days.write(after, before?.version ?? 0);
  } else if (isTransactionFact(fact)) {
    const before = (await store.transactions.load([key])).get(key)?.transaction ?? null;
    const { transaction } = decide(key, before, fact, place, createPartitionView(0, []), sha256Hex);
    if (transaction === null) return;
    const document = {
      transaction,
      acceptedMessage: new Uint8Array(),
      finalReport: null,
      verdict: null,
      search: noSearchTerms,
      rules: extendRules(null, 1),
      traceparent: null,
    };
    await store.transactions.write([{ document, expectedVersion: before?.version ?? 0 }]);
  }
}

export { consoleStartAtMs, consoleUetr };
