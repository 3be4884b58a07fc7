// All events of a time, for a bank that has lost them.

import { type AnyDecodedRecord, brokerRightsOf, partitionFor, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import {
  buildConsoleDebit,
  buildEsmEvent,
  buildKeptBytes,
  buildStateEvent,
  type ConsoleEnvironment,
  consoleUetr,
  openConsoleEnvironment,
} from "../console.fixture.ts";

const others = ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"] as const;

interface Answer {
  readonly schema: string;
  readonly events: readonly { readonly stageVersion: number }[];
  readonly webhookIds: readonly string[];
  readonly next: string | null;
}

const instant = (atMs: number): string => encodeURIComponent(new Date(atMs).toISOString());

async function read(environment: ConsoleEnvironment, fromMs: number, toMs: number, caller = "first"): Promise<readonly Answer[]> {
  const pages: Answer[] = [];
  let after = "";
  for (;;) {
    const answer = await environment.ask(`/events?from=${instant(fromMs)}&to=${instant(toMs)}${after}`, caller);
    expect(answer.status).toBe(200);
    const page: Answer = JSON.parse(await answer.text());
    pages.push(page);
    if (page.next === null) return pages;
    after = `&after=${encodeURIComponent(page.next)}`;
  }
}

test("a bank reads all events of a time again, its own alone, exactly as they were posted [D8 events-of-time]", async () => {
  const environment = await openConsoleEnvironment();
  const { time } = environment;
  await environment.append(topics.events, others[0], buildStateEvent(1));
  await time.advance(60_000);
  const fromMs = time.nowMs();
  await environment.append(topics.events, others[0], buildStateEvent(2));
  await environment.append(topics.events, others[1], buildStateEvent(3, { bank: "second" }));
  await environment.append(topics.events, others[1], buildEsmEvent(2, { id: "esm-2" }));
  const toMs = time.nowMs() + 1_000;
  await time.advance(60_000);
  await environment.append(topics.events, others[0], buildStateEvent(4));
  const pages = await read(environment, fromMs, toMs);
  expect(pages.flatMap(({ webhookIds }) => webhookIds)).toEqual(["event-2", "esm-2"]);
  expect(pages.flatMap(({ events }) => events)).toMatchObject([{ stageVersion: 2 }, { class: "ESM_STATE" }]);
  expect((await read(environment, fromMs, toMs, "second")).flatMap(({ webhookIds }) => webhookIds)).toEqual(["event-3"]);
});

test("a page has at most 100 events, and its next goes on behind the last of them", async () => {
  const environment = await openConsoleEnvironment();
  const fromMs = environment.time.nowMs();
  for (let stageVersion = 1; stageVersion <= 130; stageVersion += 1)
    await environment.append(topics.events, others[0], buildStateEvent(stageVersion));
  const pages = await read(environment, fromMs, environment.time.nowMs() + 1_000);
  expect(Math.max(...pages.map(({ events }) => events.length))).toBe(100);
  expect(pages.flatMap(({ webhookIds }) => webhookIds)).toEqual(Array.from({ length: 130 }, (_, index) => `event-${index + 1}`));
});

test.each([
  "",
  "?from=yesterday&to=today",
  "?from=2026-11-20T00:00:00Z&to=2026-11-19T00:00:00Z",
  "?from=2026-11-20T00:00:00Z&to=2026-12-22T00:00:00Z",
  "?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z&after=x",
])("a question that names no time is refused: %j", async (query) => {
  expect((await (await openConsoleEnvironment()).ask(`/events${query}`)).status).toBe(400);
});

test("a place behind the last partition is the end, and a connector has no events", async () => {
  const environment = await openConsoleEnvironment();
  const answer = await environment.ask("/events?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z&after=9999:7");
  expect(JSON.parse(await answer.text())).toMatchObject({ events: [], next: null });
  expect((await read(environment, 0, 1_000, "clearing")).flatMap(({ events }) => events)).toEqual([]);
});

const entered = (stageVersion: number, bank = "first"): AnyDecodedRecord => ({
  name: "StateEntered",
  value: {
    id: `entry-${stageVersion}`,
    uetr: consoleUetr,
    stageVersion,
    state: "HELD",
    flow: "on-us",
    scheme: "ZA_EFT",
    service: "EFT_DIRECT_DEBIT",
    direction: "OUTBOUND",
    sender: "first",
    bank,
    businessDate: "2026-11-20",
    amount: 12_505_000n,
    currency: "ZAR",
    reasonCodes: [],
    httpStatusCode: null,
    carryOvers: 0,
    enteredAtMs: 0,
    journalPartition: 0,
    journalOffset: 0n,
  },
});

test("events of a time that the topic no longer has are rendered again, page by page [D8.43]", async () => {
  const environment = await openConsoleEnvironment();
  const { time, messaging } = environment;
  // A debit that is carried over again and again.
  const states = Array.from({ length: 130 }, () => "HELD" as const);
  await environment.save(buildConsoleDebit(["RECEIVED", ...states], { bank: "first" }), 0, buildKeptBytes());
  await time.advance(60_000);
  const fromMs = time.nowMs();
  for (let stageVersion = 2; stageVersion <= 131; stageVersion += 1) {
    await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
    await environment.append(topics.stateEvents, consoleUetr, entered(stageVersion));
  }
  await environment.append(topics.stateEvents, consoleUetr, entered(131, "second"));
  await time.advance(3_600_000);
  const toMs = time.nowMs() + 60_000;
  await environment.append(topics.events, others[0], buildStateEvent(1));
  await environment.append(topics.stateEvents, others[0], entered(1));
  const partition = partitionFor(consoleUetr, 3);
  messaging.truncate({ topic: topics.events, partition }, 130n);
  const pages = await read(environment, fromMs, toMs);
  const given = pages.flatMap(({ events }) => events.map(({ stageVersion }) => stageVersion));
  // The last one is at the topic's begin: it comes from both.
  expect(given).toEqual([...Array.from({ length: 130 }, (_, index) => index + 2), 1, 1]);
  expect(Math.max(...pages.map(({ events }) => events.length))).toBe(100);
  expect((await read(environment, toMs, toMs + 1_000)).flatMap(({ events }) => events)).toEqual([]);
  // Neither a simulated day nor the day on a broker that asks for rights removes events, so the right is shown here.
  const { topicsRead } = environment.environment;
  const rights = brokerRightsOf("console").filter(({ kind, operation }) => kind === "topic" && operation === "read");
  const allowed = new Set(rights.map(({ name }) => name));
  expect(topicsRead).toContain(topics.stateEvents);
  expect([...topicsRead].filter((topic) => !allowed.has(topic))).toEqual([]);
});

test("a snapshot that cannot be had now is 503, and no event is left out for it", async () => {
  const environment = await openConsoleEnvironment();
  const fromMs = environment.time.nowMs();
  await environment.append(topics.events, consoleUetr, buildStateEvent(1));
  await environment.append(topics.stateEvents, consoleUetr, entered(1));
  await environment.time.advance(3_600_000);
  await environment.append(topics.events, others[0], buildStateEvent(2));
  environment.messaging.truncate({ topic: topics.events, partition: partitionFor(consoleUetr, 3) }, 1n);
  const answer = await environment.ask(`/events?from=${instant(fromMs)}&to=${instant(environment.time.nowMs())}`);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
});
