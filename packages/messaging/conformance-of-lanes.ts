// Lanes on every adapter: each record once, in order, over members that come and go.

import { setTimeout as delay } from "node:timers/promises";
import { Fault, machineRandom, machineTime } from "@sluice/runtime";
import { silentLog } from "@sluice/telemetry";
import { describe, expect, test } from "vitest";
import { createBatchLanes } from "./batch-lanes.ts";
import { eventually, numbered, outgoing, recorder, type Ground } from "./conformance-ground.ts";
import { createKeyedLanes } from "./keyed-lanes.ts";

export function describeLanes(ground: Ground): void {
  describe("lanes", () => {
    const shared = { bufferedRecordsMax: 500, time: machineTime, random: machineRandom, log: silentLog };

    test("batch lanes handle every record once in order, and go on at their own position after a restart", async () => {
      const topic = await ground.subject.createTopic(2);
      for (const partition of [0, 1]) await ground.append(topic, partition, numbered(3000));
      const seen: [bigint[], bigint[]] = [[], []];
      const failures: Error[] = [];
      const start = async () =>
        await createBatchLanes({
          ...shared,
          messaging: ground.client(),
          group: ground.group,
          topic,
          batchRecordsMax: 100,
          failed: (reason) => void failures.push(reason),
          open: async (partition) => ({
            startAt: BigInt(seen[partition === 0 ? 0 : 1].length),
            close: async () => {},
            handle: async (records) => {
              if (machineRandom.fraction() < 0.05) throw new Fault("test.busy", "busy", { isRetryable: true });
              seen[partition === 0 ? 0 : 1].push(...records.map(({ offset }) => offset));
            },
          }),
        });
      const before = await start();
      await eventually("some work", () => seen[0].length > 500 && seen[1].length > 0);
      await before.stop();
      const after = await start();
      await eventually("all of it", () => seen[0].length >= 3000 && seen[1].length >= 3000);
      expect(seen[0]).toEqual(Array.from({ length: 3000 }, (_, index) => BigInt(index)));
      expect(seen[1]).toEqual(seen[0]);
      await eventually("readiness", () => after.readiness().isReady);
      await after.stop();
      expect(failures).toEqual([]);
    });

    test("keyed lanes keep the order of each key across members that come and go, and commit all in the end", async () => {
      const topic = await ground.subject.createTopic(2);
      const producer = await ground.client().producer("p");
      const keys = ["a", "b", "c", "d", "e"];
      const texts = Array.from({ length: 1000 }, (_, index) => outgoing(topic, index % 2, `${index}`, keys[index % 5] ?? ""));
      await producer.send(texts);
      const positions = new Map<number, bigint>();
      const firsts: string[] = [];
      const done = new Set<string>();
      const start = async () =>
        await createKeyedLanes({
          ...shared,
          messaging: ground.client(),
          group: ground.group,
          topic,
          runningMax: 8,
          failed: (reason) => void firsts.push(`failed: ${reason.message}`),
          startAt: async (partition) => positions.get(partition) ?? 0n,
          read: (record) => ({ key: Buffer.from(record.key ?? []).toString(), content: null }),
          handle: async (record, lane) => {
            await delay(1);
            if (!lane.isCurrent()) return;
            const place = `${record.partition}/${Buffer.from(record.key ?? []).toString()}@${record.offset}`;
            if (!done.has(place)) firsts.push(place);
            done.add(place);
          },
          position: async (partition, _epoch, nextOffset) => void positions.set(partition, nextOffset),
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
      const next = await recorder(ground.client(), ground.group, topic, (_partition, log) => log.logEnd);
      await eventually("the commits", () => next.seen.assigned.length === 2);
      expect(next.seen.assigned.map(({ log }) => log.committed)).toEqual([500n, 500n]);
      await next.consumer.stop();
    });
  });
}
