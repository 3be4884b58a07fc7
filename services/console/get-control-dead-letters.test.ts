import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { allPages, answerTo, rowsOf } from "./given-control.ts";
import { closedBytes, garbage, givenLetters, lane, recordAt, startAtMs, uetr, unknownSchema } from "./given-letters.ts";

test("a dead letter is told with its place, its key and why, never with its content", async () => {
  const world = await givenLetters();
  const secret = new TextEncoder().encode("account 4711000815");
  const letter = await world.put(recordAt(7n, secret));
  const [row] = await rowsOf(world, "/dead-letters");
  expect(row).toMatchObject({
    letter,
    service: "scheduler",
    topic: topics.journal,
    partition: lane,
    offset: "7",
    key: uetr,
    type: "DayClosed",
    bytes: secret.byteLength,
    why: "first byte is 7, not 0",
    byHand: null,
  });
  const shown = await answerTo(world, `/dead-letters/${letter}`);
  expect(JSON.stringify([row, shown])).not.toMatch(/4711000815|YWNjb3VudC/);
});

test("filters and pages: each letter is given once, over all partitions", async () => {
  const world = await givenLetters();
  const day = new TextEncoder().encode("ZA_EFT:2026-11-20");
  for (let offset = 0n; offset < 5n; offset += 1n) await world.put(recordAt(offset, garbage));
  await world.put(recordAt(9n, garbage, { partition: (lane + 1) % 3, key: day }), { service: "validator", reason: "no value" });
  const pages = await allPages(world, "/dead-letters?limit=2");
  expect(new Set(pages.flat().map(({ letter }) => letter)).size).toBe(6);
  expect(pages.flat()).toHaveLength(6);
  const [, second, third] = pages.flat();
  expect(await rowsOf(world, `/dead-letters?limit=1&after=${String(second?.["cursor"])}`)).toEqual([third]);
  const count = async (query: string): Promise<number> => (await rowsOf(world, `/dead-letters?${query}`)).length;
  const queries = [
    "service=validator",
    `key=${uetr}`,
    "key=ZA_EFT:2026-11-20",
    "why=no",
    "topic=sluice.dispatch.v1",
    "service=scheduler&why=7",
  ];
  expect(await Promise.all(queries.map(count))).toEqual([1, 5, 1, 6, 0, 5]);
  await world.time.advance(60_000);
  await world.put(recordAt(10n, garbage));
  expect(await count(`since=${new Date(startAtMs + 30_000).toISOString()}`)).toBe(1);
});

test("what is no page, no instant and no letter is refused", async () => {
  const world = await givenLetters();
  const status = async (path: string): Promise<number> => (await world.control(path)).status;
  const paths = ["/dead-letters?after=x", "/dead-letters?since=yesterday", "/dead-letters/0-1", "/dead-letters/0:99", "/dead-letters/77:0"];
  expect([await status(paths[0]!), await status(paths[1]!), await status(paths[2]!)]).toEqual([400, 400, 400]);
  expect([await status(paths[3]!), await status(paths[4]!)]).toEqual([404, 404]);
});

test("one letter says whether it could be read now, how far its lane has come, and whether its transaction is marked", async () => {
  const world = await givenLetters();
  const [good, bad, unknown] = [
    await world.put(recordAt(7n, closedBytes())),
    await world.put(recordAt(8n, garbage)),
    await world.put(recordAt(9n, unknownSchema), { service: "dispatcher" }),
  ];
  await world.parked(7n, 2);
  const transaction = { uetr, parked: { offset: "7", records: 2 } };
  const lanePassed = { position: "1000000", hasPassed: true };
  const reading = { isReadable: true, as: "DayClosed", why: null };
  expect(await answerTo(world, `/dead-letters/${good}`)).toMatchObject({ reading, lane: lanePassed, transaction });
  expect(await answerTo(world, `/dead-letters/${bad}`)).toMatchObject({
    reading: { isReadable: false, as: null, why: "first byte is 7, not 0" },
  });
  expect(await answerTo(world, `/dead-letters/${unknown}`)).toMatchObject({ reading: { isReadable: false }, lane: null });
});
