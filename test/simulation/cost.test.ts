// Guards what a journey costs. It counts what the services ask of broker and store in a fixed replay; times depend on
// the machine and are measured by the benches.
//
// #1 The same day is played with debits and without. The difference is what the journeys cost.
// #2 A count may grow by a tenth before the test fails. A change that makes journeys cheaper lowers the number here.
// #3 Ten debits a second in three partitions are little work: nearly every record goes alone. So the counts of requests
//    are those of a quiet day, where a journey is dearest.

import { topics } from "@sluice/contracts";
import type { OutgoingRecord } from "@sluice/messaging";
import { buildDirectDebit, drawUetr, seededRandom, validAccount } from "@sluice/testkit";
import { expect, test } from "vitest";
import { simulatedBranches } from "./messages.ts";
import { calmScenario, type Scenario } from "./scenario.ts";
import { simulatedDayTimes, type SimulationMeter, simulateScenario } from "./simulate.ts";

const seed = 42;
const journeys = 200;

/** Topics that nothing but analysts and people read. */
const forAnalysts: ReadonlySet<string> = new Set([topics.transactions, topics.stateEvents, topics.items, topics.days, topics.receipts]);

/** What one journey may cost: produce and commit requests, records, their bytes, and calls of the store. */
const costs = {
  requests: 12.5,
  records: 15.5,
  recordsForAnalysts: 21.5,
  bytes: 24_200,
  storeCalls: 7,
};
type Cost = { [Count in keyof typeof costs]: number };

function recordedBytes({ key, value, headers }: OutgoingRecord): number {
  const texts = Object.entries(headers).flat().join("");
  return (key?.length ?? 0) + (value?.length ?? 0) + texts.length;
}

function debits(): Scenario["messages"] {
  const random = seededRandom("cost");
  const { postFromMs, postUntilMs } = simulatedDayTimes;
  return Array.from({ length: journeys }, (_, number) => {
    const message = buildDirectDebit({
      uetr: drawUetr(random),
      messageIdentification: `COST-${number}`,
      amount: "125.50",
      debtorBranch: simulatedBranches.first,
      debtorAccount: validAccount(number),
      creditorAccount: validAccount(1_000 + number),
    });
    const sendAtMs = postFromMs + ((postUntilMs - postFromMs) * number) / journeys;
    return { party: "first", what: "debit", sendAtMs, message };
  });
}

/** Plays the day and counts; the records of journeys are counted too, to show that all of them were played. */
async function play(messages: Scenario["messages"]): Promise<{ readonly cost: Cost; readonly completed: number }> {
  const cost: Cost = { requests: 0, records: 0, recordsForAnalysts: 0, bytes: 0, storeCalls: 0 };
  const commits = new Set<string>();
  const meter: SimulationMeter = {
    produced(batch) {
      cost.requests += 1;
      for (const record of batch) {
        cost[forAnalysts.has(record.topic) ? "recordsForAnalysts" : "records"] += 1;
        cost.bytes += recordedBytes(record);
      }
    },
    committed: (process, atMs) => void commits.add(`${process} ${atMs}`),
    called: () => void (cost.storeCalls += 1),
  };
  const end = await simulateScenario(seed, { ...calmScenario, messages }, meter);
  expect(end.unfinished.filter((text) => text !== "I11: nothing was counted")).toEqual([]);
  cost.requests += commits.size;
  return { cost, completed: end.history.filter((entry) => entry.kind === "snapshot" && entry.state === "COMPLETED").length };
}

test("a journey asks no more of broker and store than it did", async () => {
  const [idle, busy] = [await play([]), await play(debits())];
  expect(busy.completed).toBe(journeys);
  const counts = Object.keys(costs).filter((name): name is keyof Cost => Object.hasOwn(costs, name));
  const spent = Object.fromEntries(counts.map((name) => [name, (busy.cost[name] - idle.cost[name]) / journeys]));
  const tooDear = counts.filter((name) => (spent[name] ?? Infinity) > 1.1 * costs[name]);
  expect({ tooDear, spent }).toEqual({ tooDear: [], spent });
});
