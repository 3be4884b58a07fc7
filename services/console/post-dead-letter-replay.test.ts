import { headers, topics } from "@sluice/contracts";
import { deadLetterOf } from "@sluice/messaging";
import { expect, test } from "vitest";
import { closedBytes, garbage, givenLetters, lane, recordAt, serde, startAtMs, uetr, unknownSchema } from "./given-letters.ts";
import { debitIn, jsonOf } from "./given.ts";

type World = Awaited<ReturnType<typeof givenLetters>>;

const path = `/transactions/${uetr.toUpperCase()}/replay`;

async function asked(world: World, at: string = path, over: object = {}, actionId = "replay-1") {
  const answer = await world.control(at, { body: { reason: "registered now", ...over }, actionId });
  return { status: answer.status, body: await jsonOf(answer) };
}

function journal(world: World, topic: string = topics.journal) {
  return world.messaging.records({ topic, partition: lane });
}

/** Three letters from offset 7 on, one of them twice, one from before the mark, one of another service, one that only asks. */
async function parkedThree(): Promise<World> {
  const world = await givenLetters();
  await world.put(recordAt(3n, closedBytes()));
  for (const offset of [9n, 7n, 8n, 8n]) await world.put(recordAt(offset, offset === 7n ? garbage : closedBytes(), traced(offset)));
  await world.put(recordAt(10n, closedBytes()), { service: "validator" });
  await world.put(recordAt(11n, closedBytes()), { by: { operator: "thandi", actionId: "put-1", stage: "asked" } });
  await world.parked(7n, 3);
  return world;
}

const traced = (offset: bigint) => ({ headers: { [headers.type]: "DayClosed", traceparent: `00-${offset}` } });

test("all letters since the mark go back in their order, as they were, behind one record that takes the mark away", async () => {
  const world = await parkedThree();
  const answer = await asked(world);
  const lying = journal(world);
  expect(lying.map((record) => record.headers[headers.type])).toEqual(["DeadLettersReplayed", "DayClosed", "DayClosed", "DayClosed"]);
  expect(lying.slice(1).map((record) => [record.headers["traceparent"], [...(record.value ?? [])]])).toEqual([
    ["00-7", [...garbage]],
    ["00-8", [...closedBytes()]],
    ["00-9", [...closedBytes()]],
  ]);
  expect(lying.map(({ key }) => new TextDecoder().decode(key ?? undefined))).toEqual([uetr, uetr, uetr, uetr]);
  const head = serde.decode(lying[0]?.value ?? new Uint8Array());
  expect(head).toMatchObject({ value: { records: 3, action: { id: "replay-1", operator: "operator", reason: "registered now" } } });
  expect(answer).toMatchObject({ status: 202, body: { key: uetr, action: "replay-1", isDryRun: false, offset: "0" } });
  expect(answer.body["rows"]).toMatchObject([
    { offset: "7", isReadable: false, outcome: "replayed", at: { offset: "1" } },
    { offset: "8", isReadable: true, outcome: "replayed", at: { offset: "2" } },
    { offset: "9", isReadable: true, outcome: "replayed", at: { offset: "3" } },
  ]);
});

test("what was put aside between the look and the append follows behind the others", async () => {
  const world = await givenLetters();
  await world.put(recordAt(7n, closedBytes(), traced(7n)));
  for (let at = 0; at < 20; at += 1) await world.raw(closedBytes());
  await world.save(debitIn(["RECEIVED"], { applied: 7n, parked: { sinceMs: startAtMs, offset: 7n, records: 1 } }));
  await world.schedulerReaches(20n);
  const lane0 = (await world.settled(world.store.lanes.list("scheduler")))[0];
  const producer = await world.settled(world.messaging.producer("scheduler"));
  // The scheduler: as soon as the decision lies in the journal it has put one more aside, and passes the decision.
  const pass = (): void => {
    if (journal(world).length <= 20) void world.time.after(1, pass);
    else {
      const record = recordAt(15n, closedBytes(), traced(15n));
      void producer
        .send([deadLetterOf({ record, reason: "parked", service: "scheduler" }, serde)])
        .then(() => world.store.lanes.write("scheduler", lane, lane0?.epoch ?? 0, 1_000n));
    }
  };
  pass();
  const { status, body } = await asked(world);
  expect([status, body["rows"]]).toMatchObject([202, [{ offset: "7" }, { offset: "15", outcome: "replayed", at: { offset: "22" } }]]);
  expect(
    journal(world)
      .map((record) => record.headers["traceparent"])
      .slice(-2),
  ).toEqual(["00-7", "00-15"]);
});

test("a dry run says the same and appends nothing", async () => {
  const world = await parkedThree();
  const { status, body } = await asked(world, path, { isDryRun: true });
  expect([status, body["isDryRun"]]).toEqual([200, true]);
  expect(body["rows"]).toMatchObject([7, 8, 9].map((offset) => ({ offset: String(offset), outcome: "would-be-replayed", at: null })));
  expect(journal(world)).toEqual([]);
});

test("without a mark, without a transaction, or with the id of another decision nothing is replayed", async () => {
  const world = await givenLetters();
  await world.put(recordAt(7n, closedBytes()));
  await world.schedulerReaches(1_000n);
  expect(await asked(world)).toMatchObject({ status: 404 });
  await world.save(debitIn(["RECEIVED"]));
  expect(await asked(world)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("nothing-parked") } });
  expect(journal(world)).toEqual([]);
});

test("the id of another decision, or of one that found nothing, replays nothing", async () => {
  const world = await parkedThree();
  const found = await world.settled(world.store.transactions.load([uetr]));
  const before = found.get(uetr)?.transaction;
  if (before === undefined) throw new Error("it is saved");
  const action = { id: "replay-1", operator: "operator", reason: "registered now", requestedAtMs: startAtMs };
  const note = { offset: 20n, atMs: startAtMs, kind: "DeadLettersReplayed", action, result: "ignored", why: "nothing-parked" } as const;
  const other = { ...note, kind: "WithdrawalRequested", action: { ...action, id: "withdraw-1" } } as const;
  await world.save({ ...before, version: before.version + 1, decisions: [note, other] }, before.version);
  expect(await asked(world)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("nothing-parked") } });
  expect(await asked(world, path, {}, "withdraw-1")).toMatchObject({ status: 409, body: { message: "Another decision" } });
  expect(await asked(world, path, { reason: "another" })).toMatchObject({ status: 409, body: { message: "Another decision" } });
  expect(journal(world)).toEqual([]);
});

test("a record whose schema is not known yet would stop the lane again: nothing of the transaction goes back", async () => {
  const world = await parkedThree();
  await world.put(recordAt(12n, unknownSchema));
  expect(await asked(world)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("not-readable-yet") } });
  expect(journal(world)).toEqual([]);
});

test("while the lane lags, letters may still come: 503", async () => {
  const world = await givenLetters();
  await world.raw(closedBytes());
  expect((await asked(world)).status).toBe(503);
});

test("a replay that broke off is completed under the same id: what the journal names is not appended again", async () => {
  const world = await parkedThree();
  await asked(world);
  // As the scheduler left it: the mark is gone, the decision noted at the offset of its record; two of its records never came.
  const late = await givenLetters();
  await late.put(recordAt(7n, garbage));
  await late.put(recordAt(8n, closedBytes(), traced(8n)));
  const producer = await late.settled(late.messaging.producer("broken"));
  for (let at = 0; at < 20; at += 1) await late.raw(closedBytes());
  const [head, one] = journal(world).map(({ key, value, headers: given }) => ({
    topic: topics.journal,
    partition: lane,
    key,
    value,
    headers: given,
  }));
  if (head === undefined || one === undefined) throw new Error("they were appended");
  const [at] = await late.settled(producer.send([head, { ...one, headers: { ...one.headers, [headers.deadLetter]: `${lane}:0` } }]));
  const action = { id: "replay-1", operator: "operator", reason: "registered now", requestedAtMs: startAtMs };
  const note = { offset: at?.offset ?? 0n, atMs: startAtMs, kind: "DeadLettersReplayed", action, result: "applied", why: null } as const;
  await late.save(debitIn(["RECEIVED"], { decisions: [note] }));
  await late.schedulerReaches(1_000n);
  const answer = await asked(late);
  expect(answer).toMatchObject({ status: 202, body: { offset: String(at?.offset) } });
  expect(answer.body["rows"]).toMatchObject([
    { offset: "7", outcome: "was-replayed" },
    { offset: "8", outcome: "replayed" },
  ]);
  expect(journal(late).at(-1)?.headers["traceparent"]).toBe("00-8");
  expect(journal(late)).toHaveLength(23);
});

test("a letter of another topic, of the validator or of a day goes back by itself, to its own partition", async () => {
  const world = await givenLetters();
  const day = new TextEncoder().encode("ZA_EFT:2026-11-20");
  const letters = [
    [await world.put(recordAt(4n, closedBytes(), { topic: topics.dispatch }), { service: "dispatcher" }), topics.dispatch],
    [await world.put(recordAt(5n, closedBytes()), { service: "validator" }), topics.journal],
    [await world.put(recordAt(6n, closedBytes(), { key: day })), topics.journal],
  ] as const;
  for (const [letter, topic] of letters) {
    expect(await asked(world, `/dead-letters/${letter}/replay`, { isDryRun: true })).toMatchObject({ status: 200 });
    const answer = await asked(world, `/dead-letters/${letter}/replay`);
    expect(answer).toMatchObject({ status: 202, body: { key: null, offset: null, rows: [{ letter, topic, outcome: "replayed" }] } });
    expect(journal(world, topic).at(-1)?.headers[headers.deadLetter]).toBe(letter);
  }
});

test("a letter of a transaction goes back with all of its transaction; one that only asks, or cannot be read yet, not at all", async () => {
  const world = await givenLetters();
  const by = { operator: "thandi", actionId: "put-1", stage: "asked" } as const;
  const refusals = [
    [await world.put(recordAt(4n, closedBytes())), 409, "of-transaction"],
    [await world.put(recordAt(5n, closedBytes()), { by }), 409, "only-asked"],
    [await world.put(recordAt(6n, unknownSchema, { topic: topics.events }), { service: "event-publisher" }), 409, "not-readable-yet"],
    ["0:77", 404, "no such dead letter"],
  ] as const;
  for (const [letter, status, why] of refusals) {
    expect(await asked(world, `/dead-letters/${letter}/replay`)).toMatchObject({ status, body: { detail: expect.stringContaining(why) } });
  }
  expect(journal(world)).toEqual([]);
});
