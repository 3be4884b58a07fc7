// Guards what a journey costs. It counts what the services ask of broker and store in a fixed replay; times depend on
// the machine and are measured by the benches.
//
// #1 The same day is played with debits and without. The difference is what the journeys cost.
// #2 A count may grow by a tenth before the test fails. A change that makes journeys cheaper lowers the number here.
// #3 Ten debits a second in three partitions are little work: nearly every record goes alone. So these counts are those
//    of a quiet day, where a journey is dearest. With 300 a second in twelve partitions more goes together.
// #4 A test that fails says which service asks for how much of what.
// #5 What is sealed and opened is counted on a day on which personal data is sealed. These counts are exact: one more
//    costs each journey some 11 µs of processor time (docs/security/secrecy.md).

import { topics } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { buildDirectDebit, drawUetr, seededRandom, validAccount } from "@sluice/testkit";
import { expect, test } from "vitest";
import { noon } from "./dates.ts";
import { simulatedBranches } from "./messages.ts";
import { calmScenario, type Scenario } from "./scenario.ts";
import { simulatedDayTimes, type SimulationMeter, simulateScenario } from "./simulate.ts";

const seed = 42;
/** A seed whose day seals personal data. */
const sealingSeed = 43;

/** Topics that nothing but analysts and people read. */
const forAnalysts: ReadonlySet<string> = new Set([topics.transactions, topics.stateEvents, topics.items, topics.days, topics.receipts]);

/** What one journey may cost: produce and commit requests, records, their bytes, and what is asked of the store. */
interface Cost {
  requests: number;
  /** The records of one partition in one request, which broker and client handle together. */
  batches: number;
  records: number;
  recordsForAnalysts: number;
  bytes: number;
  storeCalls: number;
  /** What they write, in characters of JSON. */
  storeCharacters: number;
}

interface Load {
  readonly name: string;
  readonly journeys: number;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly scenario: Partial<Scenario>;
  readonly costs: Cost;
}

const loads: readonly Load[] = [
  {
    name: "ten a second, held until the window opens",
    journeys: 200,
    fromMs: simulatedDayTimes.postFromMs,
    untilMs: simulatedDayTimes.postUntilMs,
    scenario: {},
    costs: {
      requests: 8.5,
      batches: 11.7,
      records: 15.5,
      recordsForAnalysts: 18.4,
      bytes: 24_000,
      storeCalls: 6.3,
      storeCharacters: 10_800,
    },
  },
  {
    name: "300 a second, while the window is open",
    journeys: 300,
    fromMs: 6_000,
    untilMs: 7_000,
    scenario: { partitionCount: 12, maxUnacknowledged: 10_000, dates: { ...noon, windows: [{ opens: "12:00:02", closes: "12:01:00" }] } },
    costs: {
      requests: 3.7,
      batches: 10.6,
      records: 15.5,
      recordsForAnalysts: 17.5,
      bytes: 24_000,
      storeCalls: 1.5,
      storeCharacters: 9_800,
    },
  },
];

function recordedBytes({ key, value, headers }: OutgoingRecord): number {
  const texts = Object.entries(headers).flat().join("");
  return (key?.length ?? 0) + (value?.length ?? 0) + texts.length;
}

function debits({ journeys, fromMs, untilMs }: Load): Scenario["messages"] {
  const random = seededRandom("cost");
  return Array.from({ length: journeys }, (_, number) => {
    const message = buildDirectDebit({
      uetr: drawUetr(random),
      messageIdentification: `COST-${number}`,
      amount: "125.50",
      debtorBranch: simulatedBranches.first,
      debtorAccount: validAccount(number),
      creditorAccount: validAccount(1_000 + number),
    });
    const sendAtMs = fromMs + ((untilMs - fromMs) * number) / journeys;
    return { party: "first", what: "debit", sendAtMs, message };
  });
}

interface Played {
  readonly cost: Cost;
  /** #4 */
  readonly where: ReadonlyMap<string, number>;
  readonly completed: number;
}

/** Plays the day and counts; the records of journeys are counted too, to show that all of them were played. */
async function play(scenario: Partial<Scenario>, messages: Scenario["messages"], playedSeed = seed): Promise<Played> {
  const cost: Cost = { requests: 0, batches: 0, records: 0, recordsForAnalysts: 0, bytes: 0, storeCalls: 0, storeCharacters: 0 };
  const where = new Map<string, number>();
  const count = (process: string, what: string): void => {
    const name = `${process.replace(/-[0-9.]+$/u, "")} ${what}`;
    where.set(name, (where.get(name) ?? 0) + 1);
  };
  const commits = new Set<string>();
  const meter: SimulationMeter = {
    produced(process, batch) {
      cost.requests += 1;
      cost.batches += new Set(batch.map(({ topic, partition }) => `${topic}/${partition}`)).size;
      count(process, "produce");
      for (const record of batch) {
        count(process, record.topic);
        cost[forAnalysts.has(record.topic) ? "recordsForAnalysts" : "records"] += 1;
        cost.bytes += recordedBytes(record);
      }
    },
    committed(process, atMs) {
      const commit = `${process} ${atMs}`;
      if (!commits.has(commit)) count(process, "commit");
      commits.add(commit);
    },
    called(process, operation) {
      cost.storeCalls += 1;
      count(process, operation);
    },
    wrote(characters) {
      cost.storeCharacters += characters;
    },
    usedCipher: count,
  };
  const end = await simulateScenario(playedSeed, { ...calmScenario, ...scenario, messages }, meter);
  expect(end.unfinished.filter((text) => text !== "I11: nothing was counted")).toEqual([]);
  cost.requests += commits.size;
  return { cost, where, completed: end.history.filter((entry) => entry.kind === "snapshot" && entry.state === "COMPLETED").length };
}

test.each(loads)("a journey asks no more of broker and store than it did: $name", async (load) => {
  const { journeys, scenario, costs } = load;
  const [idle, busy] = [await play(scenario, []), await play(scenario, debits(load))];
  expect(busy.completed).toBe(journeys);
  const counts = Object.keys(costs).filter((name): name is keyof Cost => Object.hasOwn(costs, name));
  const spent = Object.fromEntries(counts.map((name) => [name, (busy.cost[name] - idle.cost[name]) / journeys]));
  const tooDear = counts.filter((name) => (spent[name] ?? Infinity) > 1.1 * costs[name]);
  const where = [...busy.where].map(([name, sum]) => `${name} ${((sum - (idle.where.get(name) ?? 0)) / journeys).toFixed(2)}`);
  expect({ tooDear, spent, where: tooDear.length === 0 ? [] : where.toSorted() }).toEqual({ tooDear: [], spent, where: [] });
});

test("a sealed journey seals 11 records and opens 12 times, as each service needs what it says of people", async () => {
  const journeys = 50;
  const { where, completed } = await play({}, debits({ ...loads[0]!, journeys }), sealingSeed);
  expect(completed).toBe(journeys);
  const uses = [...where].filter(([name]) => /(?: seal| open)$/u.test(name)).map(([name, sum]) => [name, sum / journeys] as const);
  expect(Object.fromEntries(uses)).toEqual({
    "ingress seal": 2,
    "validator open": 1,
    "scheduler open": 2,
    "scheduler seal": 9,
    "dispatcher open": 2,
    "event-publisher open": 7,
  });
});
