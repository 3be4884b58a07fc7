// A trial of releases on a log in memory: what is fed, released and heard, and what is said of it.

import { fixedSerde, lanesDefault, outgoingRecord, topics } from "@sluice/contracts";
import type { AnyDecoded } from "@sluice/contracts";
import { createMemoryLog } from "@sluice/messaging";
import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { feedDebits } from "./release-feed.ts";
import type { FedDebit } from "./release-feed.ts";
import { createHeard } from "./release-heard.ts";
import { judgeReleases } from "./release-judge.ts";

const date = { scheme: "ZA_EFT", businessDate: "2026-11-20" };
const banks = [
  { id: "karoo", branch: "250655" },
  { id: "baobab", branch: "250656" },
] as const;

async function given(count = 200) {
  const time = createVirtualTime({ startAtMs: 1_000_000 });
  const random = seededRandom(1);
  const messaging = createMemoryLog({ time, random, topics: { [topics.journal]: lanesDefault } }).client("trial");
  const serde = fixedSerde();
  const done = async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false;
    void promise.finally(() => (isSettled = true)).catch(() => {});
    await time.run({ until: () => isSettled, untilMs: time.nowMs() + 600_000, stepsMax: 1_000_000 });
    return promise;
  };
  const signal = new AbortController().signal;
  const ready = (): Promise<void> => Promise.resolve();
  const feed = { messaging, serde, banks, businessDate: date.businessDate, random, time, ready, signal };
  const fed = await done(feedDebits(count, feed));
  const producer = await done(messaging.producer("scheduler"));
  const append = (key: string, decoded: AnyDecoded, partition?: number): Promise<unknown> =>
    done(
      producer.send([
        outgoingRecord(serde, topics.journal, key, decoded, { lanes: lanesDefault, ...(partition === undefined ? {} : { partition }) }),
      ]),
    );
  const release = ({ uetr, bank }: FedDebit): Promise<unknown> =>
    append(uetr, { name: "Release", value: { ...date, windowNumber: 1, bank } });
  const mark = async (name: "WindowOpened" | "WindowClosed"): Promise<void> => {
    for (let partition = 0; partition < lanesDefault; partition += 1) {
      const value = { ...date, id: `${name}:${partition}`, partition, number: 1, isLast: true, nextBusinessDate: "" };
      await append("ZA_EFT:2026-11-20", { name, value }, partition);
      const gate = { ...date, id: `gate:${partition}`, partition, number: 1, banks: null, except: [] };
      if (name === "WindowOpened") await append("ZA_EFT:2026-11-20", { name: "GateOpened", value: gate }, partition);
    }
  };
  const heard = createHeard();
  const hear = ({ uetr, bank }: FedDebit, webhookId = `${uetr.replaceAll("-", "")}D`): void =>
    heard.received(
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
  return { inOrder, release, mark, hear, judge: () => done(judgeReleases({ fed, heard, messaging, serde })) };
}

test("I8: all released in order within the window, and heard once each, is right", async () => {
  const { inOrder, release, mark, hear, judge } = await given();
  await mark("WindowOpened");
  for (const debit of inOrder) await release(debit);
  await mark("WindowClosed");
  inOrder.forEach((debit) => hear(debit));
  expect(await judge()).toEqual({ problems: [], counts: { releases: 200, outOfOrder: 0, twice: 0, repeatedAttempts: 0 } });
});

test("I8: what is out of order, twice, outside the window, missing, or strange at a bank is found", async () => {
  const { inOrder, release, mark, hear, judge } = await given();
  const ofOneQueue = inOrder.filter(({ lane, bank }) => lane === inOrder[0]?.lane && bank === inOrder[0].bank);
  const [first, second] = ofOneQueue;
  if (first === undefined || second === undefined) throw new Error("two in a queue are needed");
  await mark("WindowOpened");
  await release(second);
  await release(first);
  await release(first);
  await mark("WindowClosed");
  await release(inOrder.at(-1)!);
  hear(first);
  hear(first);
  hear(second, "another");
  const { problems, counts } = await judge();
  expect(counts).toEqual({ releases: 4, outOfOrder: 1, twice: 1, repeatedAttempts: 1 });
  for (const text of [
    "was released after",
    "was released a second time",
    "outside the window",
    "197 of 200 debits were not released",
    "which was not to be",
    "199 debits did not reach their bank",
  ]) {
    expect(problems).toContainEqual(expect.stringContaining(text));
  }
});
