import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { sampleToken } from "@sluice/testkit";
import { debitIn, givenConsole, jsonOf, startAtMs, uetr } from "./given.ts";

const path = `/transactions/${uetr}`;
const textOf = (atMs: number): string => Temporal.Instant.fromEpochMilliseconds(atMs).toString({ smallestUnit: "millisecond" });

test("a bank is told the state of its own transaction, whatever the case of the UETR's letters [D2 transactionStatus]", async () => {
  const { ask, save, metrics } = await givenConsole();
  await save(debitIn(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"], { bank: "first", businessDate: "2026-11-23" }));
  const answer = await ask(`/transactions/${uetr.toUpperCase()}`);
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    "application/json",
    "no-store",
  ]);
  expect(await answer.json()).toEqual({
    schema: "TransactionStatus",
    uetr,
    state: "HELD",
    stageVersion: 4,
    businessDate: "2026-11-23",
    updatedAt: textOf(startAtMs + 180_000),
  });
  expect(await metrics.text()).toContain('sluice_console_requests_total{operation="transactionStatus",status="200"} 1');
});

test("before the verdict the business date is the provisional one", async () => {
  const { ask, save } = await givenConsole();
  await save(debitIn(["RECEIVED"]));
  expect(await (await ask(path)).json()).toMatchObject({ state: "RECEIVED", stageVersion: 1, businessDate: "2026-11-20" });
});

test("the sender and the bank that it goes to are told; a connector is told of what it sent", async () => {
  const { ask, save } = await givenConsole();
  const { message } = debitIn(["RECEIVED"]);
  const offUs = { flow: "off-us", message: { ...message!, sender: "clearing" }, bank: "second" } as const;
  await save(debitIn(["RECEIVED", "ACCEPTED"], offUs));
  expect([(await ask(path, "clearing")).status, (await ask(path, "second")).status]).toEqual([200, 200]);
});

test("an unknown UETR is 404 with the time up to which that is certain, and so is another bank's transaction", async () => {
  const { ask, save, schedulerReaches, appendToJournal, time } = await givenConsole();
  await appendToJournal();
  await schedulerReaches(1n);
  const beforeMs = time.nowMs();
  const unknown = await ask(path);
  const body = await jsonOf(unknown);
  expect([unknown.status, body]).toMatchObject([
    404,
    { schema: "ErrorDetail", message: "Not known", detail: "No transaction of yours has this UETR." },
  ]);
  const asOfMs = Temporal.Instant.from(String(body["notKnownAsOf"])).epochMilliseconds;
  expect(asOfMs).toBeGreaterThan(beforeMs - 100);
  expect(asOfMs).toBeLessThanOrEqual(time.nowMs());
  await save(debitIn(["RECEIVED"]));
  const foreign = await ask(path, "second");
  expect([foreign.status, Object.keys(await jsonOf(foreign))]).toEqual([404, Object.keys(body)]);
});

test("an orphan report's UETR is nobody's", async () => {
  const { ask, save, schedulerReaches } = await givenConsole();
  await schedulerReaches(0n);
  await save({ ...debitIn(["RECEIVED"]), state: "ORPHAN", transitions: [], message: null });
  expect((await ask(path)).status).toBe(404);
});

test("while the lane has not reached the log's end nothing is said for certain: 503 within a good second, with Retry-After", async () => {
  const { ask, schedulerReaches, appendToJournal, time } = await givenConsole();
  await appendToJournal();
  await appendToJournal();
  await schedulerReaches(1n);
  const askedMs = time.monotonicMs();
  const answer = await ask(path);
  const body = await answer.json();
  expect([answer.status, answer.headers.get("retry-after"), body]).toMatchObject([503, "1", { schema: "ErrorDetail" }]);
  expect(body).not.toHaveProperty("notKnownAsOf");
  expect(time.monotonicMs() - askedMs).toBeLessThan(1_100);
});

test("a lane that catches up within a second is waited for, and what it then shows is answered", async () => {
  const { desk, ask, appendToJournal, schedulerReaches, save, settled, time } = await givenConsole();
  await appendToJournal();
  await schedulerReaches(0n);
  const asking = ask(path);
  time.after(300, () => void save(debitIn(["RECEIVED"])).then(() => schedulerReaches(1n)));
  const answer = await asking;
  expect([answer.status, await answer.json()]).toMatchObject([200, { state: "RECEIVED" }]);
  await settled(desk.stop());
});

test("notKnownAsOf is never later than a record that was not applied, whenever that comes", async () => {
  const statuses = new Set<number>();
  for (let delayMs = 0; delayMs < 30; delayMs += 1) {
    const { ask, appendToJournalAfter, schedulerReaches, messaging } = await givenConsole();
    await schedulerReaches(0n);
    await appendToJournalAfter(delayMs / 2);
    const answer = await ask(path);
    statuses.add(answer.status);
    const { notKnownAsOf } = await jsonOf(answer);
    const asOfMs = answer.status === 404 ? Temporal.Instant.from(String(notKnownAsOf)).epochMilliseconds : 0;
    const appended = [0, 1, 2].flatMap((partition) => messaging.records({ topic: topics.journal, partition }));
    for (const { appendedAtMs } of appended) expect(appendedAtMs).toBeGreaterThanOrEqual(asOfMs);
  }
  expect(statuses).toEqual(new Set([404, 503]));
});

test("without the store or the log it is 503, never a guess", async () => {
  const { ask, world, messaging, schedulerReaches } = await givenConsole();
  await schedulerReaches(0n);
  world.fault = "down";
  expect((await ask(path)).status).toBe(503);
  world.fault = "none";
  messaging.setBroker(false);
  expect((await ask(path)).status).toBe(503);
  messaging.setBroker(true);
  expect((await ask(path)).status).toBe(404);
});

test("a stranger is 401, another method 405, another address 404, no UETR 400, each with an ErrorDetail", async () => {
  const { ask, desk, settled } = await givenConsole();
  const posted = await settled(desk.fetch(new Request(`http://console${path}`, { method: "POST" })));
  const answers = [await ask(path, null), await ask(path, "nobody"), posted, await ask("/transactions"), await ask("/transactions/x")];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 405, 404, 400]);
  expect(posted.headers.get("allow")).toBe("GET");
  for (const answer of answers) expect(await answer.json()).toMatchObject({ schema: "ErrorDetail" });
});

test("a caller beyond its rate is 429 with Retry-After, and another is not", async () => {
  const { ask, save } = await givenConsole();
  await save(debitIn(["RECEIVED", "ACCEPTED"], { bank: "second" }));
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await ask(path, "second")).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await ask(path, "second")).headers.get("retry-after")).toBe("1");
  expect((await ask(path, "first")).status).toBe(200);
});

test("a caller that asks more at once than its share is 503, and another still has room", async () => {
  const { desk, ask, settled, appendToJournal, schedulerReaches, save } = await givenConsole();
  await appendToJournal();
  await schedulerReaches(0n);
  const authorization = sampleToken("first");
  const requests = Array.from({ length: 70 }, () =>
    desk.fetch(new Request(`http://console${path}`, { headers: { authorization: `Bearer ${authorization}` } })),
  );
  const { message } = debitIn(["RECEIVED"]);
  await save(debitIn(["RECEIVED"], { message: { ...message!, sender: "clearing" } }));
  expect((await ask(path, "clearing")).status).toBe(200);
  const details = await settled(Promise.all(requests.map(async (one) => (await jsonOf(await one))["detail"])));
  expect(details.filter((detail) => String(detail).startsWith("Too many questions"))).toHaveLength(6);
});

test("what is asked for and is no UETR may be anything, and stands in no line of the log [D10 privacy]", async () => {
  const { ask, world } = await givenConsole();
  for (const caller of ["first", null]) await ask("/transactions/62005551230", caller);
  expect(world.lines.map(({ event, fields }) => [event, fields["status"]])).toEqual([
    ["console.answered", 400],
    ["console.answered", 401],
  ]);
  expect(JSON.stringify(world.lines)).not.toContain("62005551230");
});

test("no line of the log says more than caller, UETR, status and time", async () => {
  const { ask, save, world } = await givenConsole();
  await save(debitIn(["RECEIVED"]));
  await ask(path);
  expect(world.lines).toHaveLength(1);
  expect(world.lines[0]).toMatchObject({
    event: "console.answered",
    fields: { operation: "transactionStatus", caller: "first", status: 200, uetr },
  });
});
