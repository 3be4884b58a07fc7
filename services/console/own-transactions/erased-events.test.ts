// The events of an erased transaction, as its bank asks for them.

import { createFixedSerde, outgoingRecord, topics } from "@sluice/contracts";
import { machineRandom, machineTime } from "@sluice/kernel";
import { createMemoryBroker } from "@sluice/messaging";
import { createDataKeys, createSealingSerde } from "@sluice/secrecy";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { expect, test } from "vitest";
import { buildStateEvent, consoleUetr } from "../console.fixture.ts";
import { findEvents } from "./find-events.ts";

const scope = "first/2026-11";

async function openTopic() {
  const keyService = createMemoryKeyService();
  const openSerde = () =>
    createSealingSerde({ serde: createFixedSerde(), keys: createDataKeys({ service: keyService, time: machineTime }) });
  const writing = openSerde();
  await writing.makeKey?.(scope);
  const delays = { latencyMinMs: 0, latencyMaxMs: 0 };
  const broker = createMemoryBroker({ time: machineTime, random: machineRandom, ...delays, topics: { [topics.events]: 1 } });
  const messaging = broker.client("console");
  const producer = await messaging.producer("scheduler");
  for (const stageVersion of [1, 2]) {
    const options = { partitionCount: 1, sealUnder: { scope } };
    await producer.send([outgoingRecord(writing, topics.events, consoleUetr, buildStateEvent(stageVersion), options)]);
  }
  const wanted = [1, 2].map((stageVersion) => ({ stageVersion, atMs: machineTime.nowMs() - 1_000 }));
  const search = { uetr: consoleUetr, receiver: "first", wanted, render: () => Promise.resolve([]) };
  const find = () => findEvents(search, { time: machineTime, messaging, serde: openSerde(), partitionCount: 1 });
  return { keyService, find };
}

test("sealed events are listed by who has the key", async () => {
  const { find } = await openTopic();
  expect(await find()).toMatchObject({ events: [{ id: "event-1" }, { id: "event-2" }], next: null });
});

test("the list of events of an erased transaction is empty and ends: nobody asks for it again and again [D10.113]", async () => {
  const { keyService, find } = await openTopic();
  await keyService.destroy(scope);
  expect(await find()).toEqual({ events: [], next: null });
});
