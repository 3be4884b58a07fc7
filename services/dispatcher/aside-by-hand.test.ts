// A record of dispatch whose schema is not to be had stops its key until somebody puts it aside by hand.

import { fixedSerde, topics } from "@sluice/contracts";
import { deadLetterOf } from "@sluice/messaging";
import { expect, test } from "vitest";
import { dispatcherWorld, messageId, uetr } from "./dispatcher.fixture.ts";

const minuteMs = 60_000;

test("a record that stops its key is passed when an operator put it aside by hand, and the key goes on", { timeout: 30_000 }, async () => {
  const world = dispatcherWorld();
  await world.start();
  const producer = await world.during(world.log.producer("test"));
  const key = new TextEncoder().encode(uetr(1));
  const record = { topic: topics.dispatch, partition: 0, key, value: Uint8Array.of(0, 0, 1, 0, 0, 9, 9), headers: {} };
  const [at] = await world.during(producer.send([record]));
  const offset = at?.offset ?? -1n;
  await world.dispatch({ messageIdentification: messageId(1) });
  await world.time.advance(minuteMs);
  expect(world.ended()).toEqual([]);
  const by = { operator: "thandi", actionId: "put-1", stage: "asked" } as const;
  const letter = { record: { ...record, offset, appendedAtMs: 0 }, reason: "ticket 4711", service: "dispatcher", by };
  await world.during(producer.send([deadLetterOf(letter, fixedSerde())]));
  await world.until(() => world.ended().length === 1);
  const letters = world.records(topics.deadLetters, "DeadLetter");
  const said = { offset, operator: "thandi", actionId: "put-1", reason: "ticket 4711", service: "dispatcher" };
  expect(letters).toMatchObject([said, said]);
});
