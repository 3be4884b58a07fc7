// A business day of real processes on real servers, seen from outside: a plain consumer of the event topic, and the banks.

import { checkHistory } from "@sluice/checker";
import { collectHistory, createNarrator, loadDocuments, openStage, planDemoDay, playDay } from "@sluice/cli/demo";
import type { DemoDay, Stage } from "@sluice/cli/demo";
import { topics } from "@sluice/contracts";
import type { Decoded, Serde } from "@sluice/contracts";
import { machineRandom, machineTime } from "@sluice/runtime";
import { Kafka, logLevel } from "kafkajs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const debits = 40;
/** Later windows than the demo's: no second try here on a machine that is slow to start. */
const pace = { opensInMs: 20_000, windowMs: 15_000, reconcilesAfterMs: 3_000 };
const opened = new AsyncDisposableStack();
let day: DemoDay;
let stage: Stage;
let problems: readonly string[];

beforeAll(async () => {
  day = planDemoDay(machineRandom, debits, machineTime.nowMs());
  const { signal } = new AbortController();
  const narrator = createNarrator(machineTime, () => {});
  opened.defer(() => narrator.stop());
  stage = opened.use(await openStage({ time: machineTime, random: machineRandom, narrator, day, pace, directory: null, signal }));
  const played = await playDay({ ...stage, time: machineTime, day, narrator, signal, kill: null });
  problems = [...played.problems, ...stage.services.lost()];
});
afterAll(() => opened.disposeAsync());

describe("a day of real processes", () => {
  test("I1 I5 I10: every debit ended as planned, and its bank received every event", () => {
    expect(problems).toEqual([]);
  });

  test("I1 I3 I4 I5 I6 I8 I10: the checker finds nothing in the whole history", async () => {
    const uetrs = day.debits.map(({ uetr }) => uetr);
    const documents = await loadDocuments(stage.store.transactions, uetrs);
    const history = await collectHistory({ ...stage, requests: stage.recorded.requests, documents });
    const { violations, counts } = checkHistory(history);
    expect(violations).toEqual([]);
    expect(counts["transactionsFollowed"]).toBe(uetrs.length);
  });

  test("I6: read from offset 0 by a plain consumer, the event topic has stage versions 1…n without a gap and the states of the table", async () => {
    const events = await eventsFromTheStart(process.env["KAFKA_BROKERS"] ?? "", stage.serde);
    const once = new Map(events.map((event) => [event.id, event]));
    const byUetr = Map.groupBy(once.values(), ({ uetr }) => uetr);
    for (const debit of day.debits) {
      const path = (byUetr.get(debit.uetr) ?? []).toSorted((a, b) => a.stageVersion - b.stageVersion);
      expect(path.map(({ stageVersion }) => stageVersion)).toEqual(path.map((_, index) => index + 1));
      expect(paths).toContain(path.map(({ state }) => state).join(" "));
      expect(path.at(-1)?.state).toBe(debit.end.state);
    }
    expect(byUetr.size).toBe(day.debits.length);
  });
});

const paths = [
  "RECEIVED ACCEPTED REPORTED HELD RELEASED DELIVERED COMPLETED",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED DELIVERED UNPAID",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED DELIVERED RECONCILIATION",
  "RECEIVED ACCEPTED REPORTED HELD RELEASED RECONCILIATION",
  "RECEIVED REJECTED REJECTION_REPORTED",
];

interface StateEvent {
  readonly id: string;
  readonly uetr: string;
  readonly stageVersion: number;
  readonly state: string;
}

/** Nothing of Sluice but its schemas: kafkajs as an analyst would use it. */
async function eventsFromTheStart(brokers: string, serde: Serde): Promise<readonly StateEvent[]> {
  const kafka = new Kafka({ brokers: brokers.split(","), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const ends = await admin.fetchTopicOffsets(topics.events);
  await admin.disconnect();
  const wanted = ends.reduce((sum, { offset, low }) => sum + Number(offset) - Number(low), 0);
  const consumer = kafka.consumer({ groupId: `e2e-${machineTime.nowMs()}` });
  await consumer.connect();
  await consumer.subscribe({ topic: topics.events, fromBeginning: true });
  const values: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ message }) => {
          if (message.value !== null) values.push(message.value);
          if (values.length === wanted) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return values.map((value) => {
    const decoded: Decoded = serde.decode(value);
    if (decoded.name !== "TransactionStateEvent") throw new Error(`${decoded.name} in the event topic`);
    return decoded.value as StateEvent;
  });
}
