// A release trial on topics in memory: debits that are fed, released and received, and the verdict on them.

import { type AnyDecodedRecord, createFixedSerde, outgoingRecord, partitionCountDefault, topics } from "@sluice/contracts";
import { createMemoryBroker } from "@sluice/messaging";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { type FedDebit, feedDebits } from "./feed.ts";
import { createReleaseRecorder } from "./recorder.ts";
import { verifyReleases } from "./verdict.ts";

const date = { scheme: "ZA_EFT", businessDate: "2026-11-20" };
const banks = [
  { id: "karoo", branch: "250655" },
  { id: "baobab", branch: "250656" },
] as const;

async function openTrial(count = 200) {
  const time = createVirtualTime({ startAtMs: 1_000_000 });
  const random = seededRandom(1);
  const messaging = createMemoryBroker({ time, random, topics: { [topics.journal]: partitionCountDefault } }).client("trial");
  const serde = createFixedSerde();
  const settle = time.finish;
  const signal = new AbortController().signal;
  const ready = (): Promise<void> => Promise.resolve();
  const feed = { messaging, serde, banks, businessDate: date.businessDate, random, time, ready, signal };
  const fed = await settle(feedDebits(count, feed));
  const producer = await settle(messaging.producer("scheduler"));
  const append = (key: string, decoded: AnyDecodedRecord, partition?: number): Promise<unknown> =>
    settle(
      producer.send([
        outgoingRecord(serde, topics.journal, key, decoded, {
          partitionCount: partitionCountDefault,
          ...(partition === undefined ? {} : { partition }),
        }),
      ]),
    );
  const release = ({ uetr, bank }: FedDebit): Promise<unknown> =>
    append(uetr, { name: "Release", value: { ...date, windowNumber: 1, bank } });
  const appendMarkers = async (name: "WindowOpened" | "WindowClosed"): Promise<void> => {
    for (let partition = 0; partition < partitionCountDefault; partition += 1) {
      const value = { ...date, id: `${name}:${partition}`, partition, number: 1, isLast: true, nextBusinessDate: null };
      await append("ZA_EFT:2026-11-20", { name, value }, partition);
      const gate = { ...date, id: `gate:${partition}`, partition, number: 1, banks: null, except: [] };
      if (name === "WindowOpened") await append("ZA_EFT:2026-11-20", { name: "GateOpened", value: gate }, partition);
    }
  };
  const recorder = createReleaseRecorder();
  const deliver = ({ uetr, bank }: FedDebit, webhookId = `${uetr.replaceAll("-", "")}D`): void =>
    recorder.received(
      {
        kind: "received",
        atMs: 0,
        bank,
        operation: "inboundDirectDebit",
        webhookId,
        uetr,
        bodyHash: "",
        status: 202,
        stageVersion: null,
        state: null,
      },
      new Uint8Array(),
      {},
    );
  const inOrder = fed.toSorted((a, b) => (a.queueKey < b.queueKey ? -1 : 1));
  return { inOrder, release, appendMarkers, deliver, judge: () => settle(verifyReleases({ fed, recorder, messaging, serde })) };
}

test("I8: debits released in order within the window and received once each have no problems", async () => {
  const { inOrder, release, appendMarkers, deliver, judge } = await openTrial();
  await appendMarkers("WindowOpened");
  for (const debit of inOrder) await release(debit);
  await appendMarkers("WindowClosed");
  inOrder.forEach((debit) => deliver(debit));
  expect(await judge()).toEqual({ problems: [], counts: { releases: 200, outOfOrder: 0, twice: 0, repeatedAttempts: 0 } });
});

test("I8: a release out of order, twice or outside the window, a missing debit and an unexpected message are reported", async () => {
  const { inOrder, release, appendMarkers, deliver, judge } = await openTrial();
  const queue = inOrder.filter(({ partition, bank }) => partition === inOrder[0]?.partition && bank === inOrder[0].bank);
  const [first, second] = queue;
  if (first === undefined || second === undefined) throw new Error("two in a queue are needed");
  await appendMarkers("WindowOpened");
  await release(second);
  await release(first);
  await release(first);
  await appendMarkers("WindowClosed");
  await release(inOrder.at(-1)!);
  deliver(first);
  deliver(first);
  deliver(second, "another");
  const { problems, counts } = await judge();
  expect(counts).toEqual({ releases: 4, outOfOrder: 1, twice: 1, repeatedAttempts: 1 });
  for (const text of [
    "was released after",
    "was released a second time",
    "outside the window",
    "197 of 200 debits were not released",
    "which nobody expected",
    "199 debits did not reach their bank",
  ]) {
    expect(problems).toContainEqual(expect.stringContaining(text));
  }
});
