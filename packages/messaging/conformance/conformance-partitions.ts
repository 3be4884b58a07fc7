// Partition consumers on every adapter handle each record once and in order while members join and leave.

import { setTimeout as delay } from "node:timers/promises";
import { Fault, machineRandom, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { describe, expect, test } from "vitest";
import { createBatchConsumer } from "../partitions/batch-consumer.ts";
import { eventually, numberedTexts, buildTextRecord, startRecorder, type ConformanceEnvironment } from "./conformance.fixture.ts";
import { createKeyedConsumer } from "../partitions/keyed-consumer.ts";

export function describePartitionConsumers(environment: ConformanceEnvironment): void {
  describe("partition consumers", () => {
    const operatorSkips = { findBatchRequest: () => Promise.resolve(null) };
    const ports = { time: machineTime, random: machineRandom, logger: silentLogger, metrics: silentMetrics };
    const shared = { ...ports, operatorSkips, bufferedRecordsMax: 500 };

    test("a batch consumer handles every record once in order, and continues at its own position after a restart", async () => {
      const topic = await environment.subject.createTopic(2);
      for (const partition of [0, 1]) await environment.append(topic, partition, numberedTexts(3000));
      const recorded: [bigint[], bigint[]] = [[], []];
      const failures: Error[] = [];
      const start = async () =>
        await createBatchConsumer({
          ...shared,
          messaging: environment.client(),
          group: environment.group,
          topic,
          batchRecordsMax: 100,
          fail: (reason) => void failures.push(reason),
          open: async (partition) => ({
            startAt: BigInt(recorded[partition === 0 ? 0 : 1].length),
            close: async () => {},
            handle: async (records) => {
              if (machineRandom.fraction() < 0.05) throw new Fault("test.busy", "busy", { isRetryable: true });
              recorded[partition === 0 ? 0 : 1].push(...records.map(({ offset }) => offset));
            },
          }),
        });
      const before = await start();
      await eventually("some work", () => recorded[0].length > 500 && recorded[1].length > 0);
      await before.stop();
      const after = await start();
      await eventually("all of it", () => recorded[0].length >= 3000 && recorded[1].length >= 3000);
      expect(recorded[0]).toEqual(Array.from({ length: 3000 }, (_, index) => BigInt(index)));
      expect(recorded[1]).toEqual(recorded[0]);
      await eventually("readiness", () => after.readiness().isReady);
      await after.stop();
      expect(failures).toEqual([]);
    });

    test("keyed consumers keep the order of each key while members join and leave, and finally commit everything", async () => {
      const topic = await environment.subject.createTopic(2);
      const producer = await environment.client().producer("p");
      const keys = ["a", "b", "c", "d", "e"];
      const texts = Array.from({ length: 1000 }, (_, index) => buildTextRecord(topic, index % 2, `${index}`, keys[index % 5] ?? ""));
      await producer.send(texts);
      const positions = new Map<number, bigint>();
      const firsts: string[] = [];
      const done = new Set<string>();
      const start = async () =>
        await createKeyedConsumer({
          ...shared,
          messaging: environment.client(),
          group: environment.group,
          topic,
          runningMax: 8,
          fail: (reason) => void firsts.push(`failed: ${reason.message}`),
          startAt: async (partition) => positions.get(partition) ?? 0n,
          read: (record) => ({ key: Buffer.from(record.key ?? []).toString(), content: null }),
          handle: async (record, worker) => {
            await delay(1);
            if (!worker.isCurrent()) return;
            const place = `${record.partition}/${Buffer.from(record.key ?? []).toString()}@${record.offset}`;
            if (!done.has(place)) firsts.push(place);
            done.add(place);
          },
          writePosition: async (partition, _epoch, nextOffset) => void positions.set(partition, nextOffset),
        });
      const one = await start();
      await eventually("some work", () => done.size > 100);
      const two = await start();
      await eventually("more work", () => done.size > 300);
      await one.stop();
      await eventually("all of it", () => done.size === 1000 && positions.get(0) === 500n && positions.get(1) === 500n);
      await two.stop();
      const byKey = Map.groupBy(firsts, (place) => place.slice(0, place.indexOf("@")));
      for (const places of byKey.values()) {
        const offsets = places.map((place) => Number(place.slice(place.indexOf("@") + 1)));
        expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
      }
      const next = await startRecorder(environment.client(), environment.group, topic, (_partition, log) => log.logEnd);
      await eventually("the commits", () => next.recorded.assigned.length === 2);
      expect(next.recorded.assigned.map(({ log }) => log.committed)).toEqual([500n, 500n]);
      await next.consumer.stop();
    });
  });
}
