// A dispatch record whose schema cannot be found stops its key until an operator skips it.

import { createFixedSerde, topics } from "@sluice/contracts";
import { buildDeadLetter, buildSkippedRecords } from "@sluice/messaging";
import { expect, test } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, dispatchUetr } from "../dispatcher.fixture.ts";

const minuteMs = 60_000;

test("a record that stops its key is skipped when an operator asks for it, and the key continues", { timeout: 30_000 }, async () => {
  const environment = createDispatcherEnvironment();
  await environment.start();
  const producer = await environment.during(environment.broker.producer("test"));
  const key = new TextEncoder().encode(dispatchUetr(1));
  const record = { topic: topics.dispatch, partition: 0, key, value: Uint8Array.of(0, 0, 1, 0, 0, 9, 9), headers: {} };
  const [at] = await environment.during(producer.send([record]));
  const offset = at?.offset ?? -1n;
  await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
  await environment.time.advance(minuteMs);
  expect(environment.ended()).toEqual([]);
  const skip = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", stage: "requested" } as const;
  const letter = { record: { ...record, offset, appendedAtMs: 0 }, reason: "ticket 4711", service: "dispatcher", skip };
  await environment.during(producer.send([buildDeadLetter(letter, createFixedSerde())]));
  await environment.until(() => environment.ended().length === 1);
  const letters = environment.records(topics.deadLetters, "DeadLetter");
  const said = {
    offset,
    operator: "thandi",
    person: "thandi",
    confirmedBy: "sipho",
    actionId: "put-1",
    reason: "ticket 4711",
    service: "dispatcher",
  };
  expect(letters).toMatchObject([said, said]);
});

test(
  "a batch that cannot be read stops its partition until an operator skips it, and what follows is delivered",
  { timeout: 30_000 },
  async () => {
    const environment = createDispatcherEnvironment();
    await environment.start();
    const place = { topic: topics.dispatch, partition: 0 };
    environment.broker.breakBatch(place, { firstOffset: 0n, lastOffset: 0n, reason: "records", areKeysKnown: true });
    await environment.dispatch({ messageIdentification: dispatchMessageId(1) });
    await environment.dispatch({ messageIdentification: dispatchMessageId(2) });
    await environment.time.advance(minuteMs);
    expect(environment.ended()).toEqual([]);
    const skip = { operator: "thandi", person: "thandi", confirmedBy: "sipho", actionId: "put-1", reason: "ticket 4711" };
    const batch = { ...place, firstOffset: 0n, lastOffset: 0n, reason: "records", detail: "", appendedAtMs: 0, keys: [] } as const;
    const asked = buildSkippedRecords({ ...batch, bytes: null, byteLength: 0, sha256: "" }, skip, 0);
    const producer = await environment.during(environment.broker.producer("test"));
    const by = { ...skip, stage: "requested" } as const;
    const letters = asked.map((record) =>
      buildDeadLetter({ record, reason: skip.reason, service: "dispatcher", skip: by }, createFixedSerde()),
    );
    await environment.during(producer.send(letters));
    await environment.until(() => environment.ended().length === 1);
    const said = {
      offset: 0n,
      operator: "thandi",
      person: "thandi",
      confirmedBy: "sipho",
      actionId: "put-1",
      reason: "ticket 4711",
      service: "dispatcher",
    };
    expect(environment.records(topics.deadLetters, "DeadLetter")).toMatchObject([said, said]);
  },
);
