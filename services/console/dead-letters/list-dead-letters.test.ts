import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { readControlPages, readControlAnswer, readControlRows } from "../queries/stored-data.fixture.ts";
import {
  dayClosedBytes,
  unreadableBytes,
  openDeadLetterEnvironment,
  deadLetterPartition,
  deadLetterSerde,
  buildReceivedRecord,
  consoleStartAtMs,
  consoleUetr,
  unknownSchemaBytes,
} from "./dead-letters.fixture.ts";
import { type DeadLetterReadPorts, readDeadLetters } from "./read-dead-letters.ts";

test("a dead letter is shown with its place, key and reason, never with its content", async () => {
  const environment = await openDeadLetterEnvironment();
  const secret = new TextEncoder().encode("account 4711000815");
  const letter = await environment.put(buildReceivedRecord(7n, secret));
  const [row] = await readControlRows(environment, "/dead-letters");
  expect(row).toMatchObject({
    letter,
    service: "scheduler",
    topic: topics.journal,
    partition: deadLetterPartition,
    offset: "7",
    key: consoleUetr,
    type: "DayClosed",
    bytes: secret.byteLength,
    why: "first byte is 7, not 0",
    skip: null,
  });
  const shown = await readControlAnswer(environment, `/dead-letters/${letter}`);
  expect(JSON.stringify([row, shown])).not.toMatch(/4711000815|YWNjb3VudC/);
});

test("filters and pages return each dead letter once, over all partitions", async () => {
  const environment = await openDeadLetterEnvironment();
  const day = new TextEncoder().encode("ZA_EFT:2026-11-20");
  for (let offset = 0n; offset < 5n; offset += 1n) await environment.put(buildReceivedRecord(offset, unreadableBytes));
  await environment.put(buildReceivedRecord(9n, unreadableBytes, { partition: (deadLetterPartition + 1) % 3, key: day }), {
    service: "validator",
    reason: "no value",
  });
  const pages = await readControlPages(environment, "/dead-letters?limit=2");
  expect(new Set(pages.flat().map(({ letter }) => letter)).size).toBe(6);
  expect(pages.flat()).toHaveLength(6);
  const [, second, third] = pages.flat();
  expect(await readControlRows(environment, `/dead-letters?limit=1&after=${String(second?.["cursor"])}`)).toEqual([third]);
  const count = async (query: string): Promise<number> => (await readControlRows(environment, `/dead-letters?${query}`)).length;
  const queries = [
    "service=validator",
    `key=${consoleUetr}`,
    "key=ZA_EFT:2026-11-20",
    "why=no",
    "topic=sluice.dispatch.v1",
    "service=scheduler&why=7",
  ];
  expect(await Promise.all(queries.map(count))).toEqual([1, 5, 1, 6, 0, 5]);
  await environment.time.advance(60_000);
  await environment.put(buildReceivedRecord(10n, unreadableBytes));
  expect(await count(`since=${new Date(consoleStartAtMs + 30_000).toISOString()}`)).toBe(1);
});

test("an invalid page, instant or dead letter is refused", async () => {
  const environment = await openDeadLetterEnvironment();
  const status = async (path: string): Promise<number> => (await environment.control(path)).status;
  const paths = ["/dead-letters?after=x", "/dead-letters?since=yesterday", "/dead-letters/0-1", "/dead-letters/0:99", "/dead-letters/77:0"];
  expect([await status(paths[0]!), await status(paths[1]!), await status(paths[2]!)]).toEqual([400, 400, 400]);
  expect([await status(paths[3]!), await status(paths[4]!)]).toEqual([404, 404]);
});

test("a dead letter shows whether it could be read now, how far its partition is, and whether its transaction is quarantined", async () => {
  const environment = await openDeadLetterEnvironment();
  const [good, bad, unknown] = [
    await environment.put(buildReceivedRecord(7n, dayClosedBytes())),
    await environment.put(buildReceivedRecord(8n, unreadableBytes)),
    await environment.put(buildReceivedRecord(9n, unknownSchemaBytes), { service: "dispatcher" }),
  ];
  await environment.quarantine(7n, 2);
  const transaction = { uetr: consoleUetr, quarantined: { offset: "7", records: 2 } };
  const applied = { position: "1000000", hasPassed: true };
  const reading = { isReadable: true, as: "DayClosed", why: null };
  expect(await readControlAnswer(environment, `/dead-letters/${good}`)).toMatchObject({ reading, progress: applied, transaction });
  expect(await readControlAnswer(environment, `/dead-letters/${bad}`)).toMatchObject({
    reading: { isReadable: false, as: null, why: "first byte is 7, not 0" },
  });
  expect(await readControlAnswer(environment, `/dead-letters/${unknown}`)).toMatchObject({
    reading: { isReadable: false },
    progress: null,
  });
});

test("a reading of the dead letters that the broker ends early is refused, and never taken for all of them", async () => {
  const environment = await openDeadLetterEnvironment();
  for (let offset = 0n; offset < 3n; offset += 1n) await environment.put(buildReceivedRecord(offset, unreadableBytes));
  const { messaging, time, settled } = environment;
  const walk = (missing: bigint) => {
    const early: DeadLetterReadPorts["messaging"] = {
      ends: (places) => messaging.ends(places),
      committedOffsets: (group, places) => messaging.committedOffsets(group, places),
      read: (place, from, to) => messaging.read(place, from, to - missing),
    };
    return settled(readDeadLetters({ time, serde: deadLetterSerde, messaging: early }, deadLetterPartition, {}, () => true));
  };
  expect(await walk(0n)).toHaveLength(3);
  await expect(walk(1n)).rejects.toMatchObject({ code: "messaging.read-incomplete", isRetryable: true });
});
