// Tests of what an operator and a bank's own person see of the events of a time, and of the files.

import { hash } from "node:crypto";
import { partitionFor, topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { sampleBank, sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { buildEsmEvent, buildStateEvent, consoleStartAtMs, consoleUetr, eventBodyText, readJsonObject } from "../../console.fixture.ts";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import { buildParkedMessage } from "../../queries/stored-data.fixture.ts";
import { openReader } from "../../web/browser.fixture.ts";

const operators = [sampleOperator(), sampleOperator({ id: "first-person", roles: ["read"], bank: "first" })];
const banks = [
  sampleBank({ id: "first", eventsUrl: "https://first.example" }),
  sampleBank({ id: "second", branch: "632005", eventsUrl: null }),
];
const day = "from=2026-11-20T05:00:00Z&to=2026-11-20T07:00:00Z";

/** Of `first`: done, done (ESM_STATE), waiting, refused, expired, stopped and under way; one event of `second`. */
async function openWithEvents() {
  const environment = await openDecisionEnvironment({ operators, banks });
  const { store, settled } = environment;
  await environment.append(topics.events, consoleUetr, buildStateEvent(1));
  await environment.append(topics.events, consoleUetr, buildEsmEvent(1, { id: "esm-1" }));
  for (const stageVersion of [2, 3, 4, 5]) await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
  await environment.append(topics.events, consoleUetr, buildStateEvent(6, { id: "event-of-second", bank: "second" }));
  const held = await settled(store.partitions.takeOver("event-publisher", partitionFor(consoleUetr, 3)));
  await settled(store.partitions.write("event-publisher", partitionFor(consoleUetr, 3), held, 7n));
  await environment.append(topics.events, consoleUetr, buildStateEvent(7));
  const later = consoleStartAtMs + 3_600_000;
  const parked = (id: string, sequence: bigint, over: Parameters<typeof buildParkedMessage>[2]) =>
    buildParkedMessage(id, sequence, { uetr: consoleUetr, receiverId: "first", deadlineMs: later, ...over });
  const stop = { offset: 9n, operator: "thandi", confirmedBy: null };
  await settled(
    store.postings.insert([
      parked("event-2", 2n, {}),
      parked("event-3", 3n, { ended: "refused", attempts: 1 }),
      parked("event-4", 4n, { ended: "refused", deadlineMs: consoleStartAtMs - 1 }),
      parked("event-5", 5n, { ended: "refused", attempts: 1, stop }),
    ]),
  );
  return environment;
}

test("the events of a time are counted by how their postings stand, and those that are not done are named [D8 events-of-time]", async () => {
  const environment = await openWithEvents();
  const answer = await environment.control(`/banks/first/events?${day}`);
  const shown = controlAnswers.listOwnEvents.parse(await readJsonObject(answer));
  expect(shown).toMatchObject({ bank: "first", isPosted: true, count: 7, transactions: 1, rowsCount: 5, next: null });
  expect(shown.counts).toEqual({ done: 2, underWay: 1, waiting: 1, refused: 1, stopped: 1, expired: 1, notPosted: 0 });
  expect(shown.rows.map(({ webhookId, status }) => [webhookId, status])).toEqual([
    ["event-2", "waiting"],
    ["event-3", "refused"],
    ["event-4", "expired"],
    ["event-5", "stopped"],
    ["event-7", "under-way"],
  ]);
  const others = controlAnswers.listOwnEvents.parse(await readJsonObject(await environment.control(`/banks/second/events?${day}`)));
  expect(others).toMatchObject({ isPosted: false, count: 1, counts: { notPosted: 1 }, rows: [] });
  const before = await readJsonObject(await environment.control("/banks/first/events?from=2026-11-19T05:00:00Z&to=2026-11-20T05:00:00Z"));
  expect(before).toMatchObject({ count: 0, rows: [], next: null });
});

test("I15: bodies are in memory for one count of an operator at a time, and the next one can ask again [D8 events-of-time]", async () => {
  const environment = await openWithEvents();
  const ask = async () => (await environment.control(`/banks/first/events?${day}`)).status;
  const statuses = await Promise.all([ask(), ask()]);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 503]);
  expect(await ask()).toBe(200);
});

test("the list as a file has a digest of each body as it is posted, and no body [D8 events-of-time]", async () => {
  const environment = await openWithEvents();
  const answer = await environment.control(`/banks/first/events/export?${day}`);
  const [head, first, esm, ...rest] = (await environment.settled(answer.text())).trimEnd().split("\r\n");
  expect(answer.headers.get("content-type")).toContain("text/csv");
  expect(head).toBe("webhookId,uetr,stageVersion,at,status,bytes,sha256");
  const body = eventBodyText(1);
  expect(first?.split(",")).toEqual([
    "event-1",
    consoleUetr,
    "1",
    expect.stringMatching(/^2026-11-20T06:00:/),
    "done",
    String(body.length),
    hash("sha256", body),
  ]);
  expect([esm?.split(",")[2], rest.length]).toEqual(["", 5]);
});

test("bodies are the bank's own person's alone, and are what the bank's own call answers [D8 events-of-time, D9 bank-view]", async () => {
  const environment = await openWithEvents();
  const path = `/banks/first/events/export?${day}&format=pages`;
  const refused = await environment.control(path);
  expect([refused.status, (await readJsonObject(refused))["detail"]]).toEqual([403, expect.stringContaining("GET /events")]);
  const file = await environment.control(path, { operator: "first-person" });
  const lines = (await environment.settled(file.text())).trimEnd().split("\n");
  const own = await environment.ask(`/events?${day}`);
  expect(lines).toEqual([await own.text()]);
  expect(lines[0]).toContain(eventBodyText(7));
  expect((await environment.control(`/banks/second/events/export?${day}`, { operator: "first-person" })).status).toBe(403);
});

test.each([
  ["/banks/nobody/events", day, 404],
  ["/banks/clearing/events", day, 404],
  ["/banks/first/events", "from=2026-11-20T00:00:00Z&to=2026-12-22T00:00:00Z", 400],
  ["/banks/first/events", "from=2026-11-20&to=2026-11-21", 400],
  ["/banks/first/events", `${day}&after=x`, 400],
  ["/banks/first/events/export", `${day}&format=json`, 400],
])("%s?%s is refused", async (path, query, status) => {
  expect((await (await openWithEvents()).control(`${path}?${query}`)).status).toBe(status);
});

test("a file of more events than a page has has all of them, each once", async () => {
  const environment = await openDecisionEnvironment({ operators, banks });
  for (let stageVersion = 1; stageVersion <= 130; stageVersion += 1)
    await environment.append(topics.events, consoleUetr, buildStateEvent(stageVersion));
  const ask = async (format: string) => {
    const answer = await environment.control(`/banks/first/events/export?${day}&format=${format}`, { operator: "first-person" });
    return (await environment.settled(answer.text())).trimEnd().split("\n");
  };
  const pages = (await ask("pages")).map((line): { readonly webhookIds: readonly string[]; readonly next: string | null } =>
    JSON.parse(line),
  );
  const ids = Array.from({ length: 130 }, (_, index) => `event-${index + 1}`);
  expect(pages.flatMap(({ webhookIds }) => webhookIds)).toEqual(ids);
  expect([pages[0]?.webhookIds.length, pages.at(-1)?.next]).toEqual([100, null]);
  expect((await ask("csv")).slice(1).map((line) => line.split(",")[0])).toEqual(ids);
});

test("the page says how many, offers the redrive, the bank's call and the list; a bank's own person has the bodies", async () => {
  const environment = await openWithEvents();
  const reader = openReader(environment);
  await reader.signIn();
  const page = await reader.ask("/own/first/events?from=2026-11-20&to=2026-11-20");
  expect(page.status).toBe(200);
  expect(page.text).toContain("GET /events?from=2026-11-19T22:00:00.000Z&amp;to=2026-11-20T22:00:00.000Z");
  expect(page.text).toContain("/decide/redriveBank?bank=first&amp;target=POSTING");
  expect(page.text).not.toContain("format=pages");
  const [, file = ""] = /href="(\/files\/events[^"]*)"/.exec(page.text) ?? [];
  const list = await reader.ask(file.replaceAll("&amp;", "&"));
  expect(list.headers.get("content-disposition")).toBe('attachment; filename="events.csv"');
  expect(list.text.split("\r\n")).toHaveLength(9);
  const own = openReader(environment);
  await own.signIn("first-person");
  const ownPage = await own.ask("/own/first/events?from=2026-11-20");
  expect(ownPage.text).not.toContain("redriveBank");
  const [, bodies = ""] = /href="(\/files\/events[^"]*format=pages[^"]*)"/.exec(ownPage.text) ?? [];
  const whole = await own.ask(bodies.replaceAll("&amp;", "&"));
  expect(whole.headers.get("content-disposition")).toBe('attachment; filename="events.ndjson"');
  expect(whole.text).toContain(eventBodyText(1));
  // Yesterday, where no date is given.
  expect((await reader.ask("/own/first/events")).text).toContain('value="2026-11-19"');
});
