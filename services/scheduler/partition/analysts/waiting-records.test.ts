import { createFixedSerde, topics } from "@sluice/contracts";
import { Fault } from "@sluice/kernel";
import { type AppendResult, type OutgoingRecord, PartlyAppendedFault } from "@sluice/messaging";
import { expect, test } from "vitest";
import type { Snapshot } from "./snapshot-record.ts";
import { WaitingRecords } from "./waiting-records.ts";

const away = new Fault("messaging.refused", "no leader", { isRetryable: true });

function entry(text: string): OutgoingRecord {
  return { topic: topics.stateEvents, partition: 0, key: null, value: Buffer.from(text), headers: {} };
}

function snapshot(uetr: string, version: bigint): Snapshot {
  return {
    uetr,
    version,
    flow: "on-us",
    state: "HELD",
    stageVersion: null,
    scheme: "ZA_EFT",
    sender: null,
    bank: null,
    businessDate: null,
    reconciliationDay: null,
    deadlineMs: null,
    amount: 1n,
    currency: "ZAR",
    receivedAtMs: 0,
    updatedAtMs: 0,
    messageIdentification: null,
    endToEndIdentification: null,
    rows: [],
    journalOffset: 0n,
  };
}

/** What a send does: appends all, or only those that the function names. */
type Fate = (text: string) => boolean;

function open(recordsMax = 10) {
  const serde = createFixedSerde();
  const sends: string[][] = [];
  const reported: string[] = [];
  let fate: Fate = () => true;
  let whileSending: () => Promise<void> = () => Promise.resolve();
  let offset = 0n;
  const textOf = ({ topic, value }: OutgoingRecord): string => {
    if (topic !== topics.transactions) return Buffer.from(value ?? []).toString();
    const decoded = serde.decode(value ?? new Uint8Array());
    return decoded.name === "TransactionSnapshot" ? `${decoded.value.uetr} ${decoded.value.version}` : decoded.name;
  };
  const placed = new Map<bigint, string>();
  const waiting = new WaitingRecords({
    serde,
    partitionCount: 3,
    recordsMax,
    producer: {
      async send(records) {
        const texts = records.map(textOf);
        sends.push(texts);
        await whileSending();
        const answers = texts.map((text, index): AppendResult | null => {
          if (!fate(text)) return null;
          offset += 1n;
          placed.set(offset, text);
          return { topic: records[index]!.topic, partition: records[index]!.partition, offset, appendedAtMs: 0 };
        });
        if (answers.includes(null)) throw new PartlyAppendedFault(answers, away);
        return answers.filter((answer) => answer !== null);
      },
    },
    onAppended: (appended) => void reported.push(...appended.map((one) => placed.get(one.offset) ?? "")),
  });
  return {
    waiting,
    sends,
    reported,
    setFate: (next: Fate) => void (fate = next),
    setWhileSending: (next: () => Promise<void>) => void (whileSending = next),
  };
}

test("of a transaction's snapshots only the newest is sent, and what is acknowledged is not sent again", async () => {
  const { waiting, sends } = open();
  waiting.add([entry("1")], [snapshot("a", 1n), snapshot("b", 1n)]);
  waiting.add([entry("2")], [snapshot("a", 2n)]);
  await waiting.send();
  await waiting.send();
  expect(sends).toEqual([["1", "2", "a 2", "b 1"]]);
});

test("what is not acknowledged is sent again, before anything newer and without the rest", async () => {
  const { waiting, sends, setFate } = open();
  waiting.add([entry("1"), entry("2")], [snapshot("a", 1n)]);
  setFate((text) => text === "1");
  await expect(waiting.send()).rejects.toThrow("only a part was appended");
  waiting.add([entry("3")], [snapshot("a", 2n)]);
  setFate(() => true);
  await waiting.send();
  expect(sends.at(-1)).toEqual(["2", "a 1", "3", "a 2"]);
});

test("a send waits for one under way, and also sends what came meanwhile", async () => {
  const { waiting, sends, setWhileSending } = open();
  const { promise, resolve } = Promise.withResolvers<void>();
  setWhileSending(() => promise);
  waiting.add([entry("1")], []);
  const first = waiting.send();
  await Promise.resolve();
  waiting.add([entry("2")], []);
  const second = waiting.send();
  resolve();
  await Promise.all([first, second]);
  expect(sends).toEqual([["1"], ["2"]]);
});

test("I6: the keeper of snapshots does not learn what is left of an earlier lease, so that it compares it", async () => {
  const { waiting, sends, reported } = open();
  waiting.add([], [snapshot("a", 1n)]);
  waiting.beginLease();
  waiting.add([], [snapshot("b", 1n)]);
  await waiting.send();
  expect([sends, reported]).toEqual([[["a 1", "b 1"]], ["b 1"]]);
});

test("I15: beyond the bound it says that it is full", async () => {
  const { waiting } = open(2);
  waiting.add([entry("1")], [snapshot("a", 1n)]);
  expect(waiting.isFull).toBe(false);
  waiting.add([entry("2")], []);
  expect(waiting.isFull).toBe(true);
  await waiting.send();
  expect(waiting.isFull).toBe(false);
});
