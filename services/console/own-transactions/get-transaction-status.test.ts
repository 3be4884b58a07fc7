import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { sampleToken } from "@sluice/testkit";
import {
  buildConsoleDebit,
  buildConsoleOrphan,
  buildConsoleUnread,
  openConsoleEnvironment,
  readJsonObject,
  consoleStartAtMs,
  consoleUetr,
} from "../console.fixture.ts";

const path = `/transactions/${consoleUetr}`;
const formatTime = (atMs: number): string => Temporal.Instant.fromEpochMilliseconds(atMs).toString({ smallestUnit: "millisecond" });

test("a bank gets the state of its own transaction, whatever the case of the UETR's letters [D2 transactionStatus] [D3.10]", async () => {
  const { ask, save, metrics } = await openConsoleEnvironment();
  await save(buildConsoleDebit(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"], { bank: "first", businessDate: "2026-11-23" }));
  const answer = await ask(`/transactions/${consoleUetr.toUpperCase()}`);
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
    200,
    "application/json",
    "no-store",
  ]);
  expect(await answer.json()).toEqual({
    schema: "TransactionStatus",
    uetr: consoleUetr,
    messageIdentification: "M-1",
    state: "HELD",
    stageVersion: 4,
    businessDate: "2026-11-23",
    updatedAt: formatTime(consoleStartAtMs + 180_000),
  });
  expect(await metrics.text()).toContain('sluice_console_requests_total{operation="transactionStatus",status="200"} 1');
});

test("before the validation the business date is the provisional one", async () => {
  const { ask, save } = await openConsoleEnvironment();
  await save(buildConsoleDebit(["RECEIVED"]));
  expect(await (await ask(path)).json()).toMatchObject({ state: "RECEIVED", stageVersion: 1, businessDate: "2026-11-20" });
});

test("the sender and the receiving bank see the transaction, and a connector sees what it sent", async () => {
  const { ask, save } = await openConsoleEnvironment();
  const { message } = buildConsoleDebit(["RECEIVED"]);
  const offUs = { flow: "off-us", message: { ...message!, sender: "clearing" }, bank: "second" } as const;
  await save(buildConsoleDebit(["RECEIVED", "ACCEPTED"], offUs));
  expect([(await ask(path, "clearing")).status, (await ask(path, "second")).status]).toEqual([200, 200]);
});

test("an unknown UETR is 404 with the time up to which that is certain, as is another bank's transaction [D3.11]", async () => {
  const { ask, save, schedulerReaches, appendToJournal, time } = await openConsoleEnvironment();
  await appendToJournal();
  await schedulerReaches(1n);
  const beforeMs = time.nowMs();
  const unknown = await ask(path);
  const body = await readJsonObject(unknown);
  expect([unknown.status, body]).toMatchObject([
    404,
    { schema: "ErrorDetail", message: "Not known", detail: "No transaction of yours has this UETR." },
  ]);
  const asOfMs = Temporal.Instant.from(String(body["notKnownAsOf"])).epochMilliseconds;
  expect(asOfMs).toBeGreaterThan(beforeMs - 100);
  expect(asOfMs).toBeLessThanOrEqual(time.nowMs());
  await save(buildConsoleDebit(["RECEIVED"]));
  const foreign = await ask(path, "second");
  expect([foreign.status, Object.keys(await readJsonObject(foreign))]).toEqual([404, Object.keys(body)]);
});

test("the UETR of an orphan report belongs to nobody", async () => {
  const { ask, save, schedulerReaches } = await openConsoleEnvironment();
  await schedulerReaches(0n);
  await save(buildConsoleOrphan());
  expect((await ask(path)).status).toBe(404);
});

test("I2: while what was received under a UETR lies unread in the dead letters, the answer is not that it is not known [D2 unread]", async () => {
  const { ask, save, schedulerReaches } = await openConsoleEnvironment();
  await schedulerReaches(1n);
  await save(buildConsoleUnread("debit"));
  for (const question of [path, `${path}/events`]) {
    const answer = await ask(question);
    const body = await readJsonObject(answer);
    expect([answer.status, answer.headers.get("retry-after"), Object.keys(body)]).toEqual([503, "1", ["schema", "message", "detail"]]);
  }
});

test("while the partition has not reached its end the answer is 503 with Retry-After, within a good second [D3.13]", async () => {
  const { ask, schedulerReaches, appendToJournal, time } = await openConsoleEnvironment();
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

test("a partition that catches up within a second is waited for, and its result is answered", async () => {
  const { desk, ask, appendToJournal, schedulerReaches, save, settled, time } = await openConsoleEnvironment();
  await appendToJournal();
  await schedulerReaches(0n);
  const asking = ask(path);
  time.after(300, () => void save(buildConsoleDebit(["RECEIVED"])).then(() => schedulerReaches(1n)));
  const answer = await asking;
  expect([answer.status, await answer.json()]).toMatchObject([200, { state: "RECEIVED" }]);
  await settled(desk.stop());
});

test("notKnownAsOf is never later than a record that was not applied, whenever the record comes [D3.11]", async () => {
  const statuses = new Set<number>();
  for (let delayMs = 0; delayMs < 30; delayMs += 1) {
    const { ask, appendToJournalAfter, schedulerReaches, messaging } = await openConsoleEnvironment();
    await schedulerReaches(0n);
    await appendToJournalAfter(delayMs / 2);
    const answer = await ask(path);
    statuses.add(answer.status);
    const { notKnownAsOf } = await readJsonObject(answer);
    const asOfMs = answer.status === 404 ? Temporal.Instant.from(String(notKnownAsOf)).epochMilliseconds : 0;
    const appended = [0, 1, 2].flatMap((partition) => messaging.records({ topic: topics.journal, partition }));
    for (const { appendedAtMs } of appended) expect(appendedAtMs).toBeGreaterThanOrEqual(asOfMs);
  }
  expect(statuses).toEqual(new Set([404, 503]));
});

test("without the store or the broker the answer is 503, never a guess [D3.13]", async () => {
  const { ask, environment, messaging, schedulerReaches } = await openConsoleEnvironment();
  await schedulerReaches(0n);
  environment.fault = "down";
  expect((await ask(path)).status).toBe(503);
  environment.fault = "none";
  messaging.setBroker(false);
  expect((await ask(path)).status).toBe(503);
  messaging.setBroker(true);
  expect((await ask(path)).status).toBe(404);
});

test("an unknown caller is 401, another method 405, another address 404, an invalid UETR 400, each with an ErrorDetail", async () => {
  const { ask, desk, settled } = await openConsoleEnvironment();
  const posted = await settled(desk.fetch(new Request(`http://console${path}`, { method: "POST" })));
  const answers = [await ask(path, null), await ask(path, "nobody"), posted, await ask("/transactions"), await ask("/transactions/x")];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 405, 404, 400]);
  expect(posted.headers.get("allow")).toBe("GET");
  for (const answer of answers) expect(await answer.json()).toMatchObject({ schema: "ErrorDetail" });
});

test("a caller beyond its rate is 429 with Retry-After, and another is not", async () => {
  const { ask, save } = await openConsoleEnvironment();
  await save(buildConsoleDebit(["RECEIVED", "ACCEPTED"], { bank: "second" }));
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push((await ask(path, "second")).status);
  expect(statuses).toEqual([200, 200, 429, 429]);
  expect((await ask(path, "second")).headers.get("retry-after")).toBe("1");
  expect((await ask(path, "first")).status).toBe(200);
});

test("a caller that asks more at once than its share is 503, and another caller is still answered", async () => {
  const { desk, ask, settled, appendToJournal, schedulerReaches, save } = await openConsoleEnvironment();
  await appendToJournal();
  await schedulerReaches(0n);
  const authorization = sampleToken("first");
  const requests = Array.from({ length: 70 }, () =>
    desk.fetch(new Request(`http://console${path}`, { headers: { authorization: `Bearer ${authorization}` } })),
  );
  const { message } = buildConsoleDebit(["RECEIVED"]);
  await save(buildConsoleDebit(["RECEIVED"], { message: { ...message!, sender: "clearing" } }));
  expect((await ask(path, "clearing")).status).toBe(200);
  const details = await settled(Promise.all(requests.map(async (one) => (await readJsonObject(await one))["detail"])));
  expect(details.filter((detail) => String(detail).startsWith("Too many questions"))).toHaveLength(6);
});

test("what is asked for and is no UETR may be anything, and stands in no line of the log [D10 privacy]", async () => {
  const { ask, environment } = await openConsoleEnvironment();
  for (const caller of ["first", null]) await ask("/transactions/62005551230", caller);
  const answered = environment.lines.filter(({ event }) => event !== "operator.in-force");
  expect(answered.map(({ event, fields }) => [event, fields["status"]])).toEqual([
    ["console.answered", 400],
    ["console.answered", 401],
  ]);
  expect(JSON.stringify(environment.lines)).not.toContain("62005551230");
});

test("no log event says more than caller, UETR, status and time", async () => {
  const { ask, save, environment } = await openConsoleEnvironment();
  await save(buildConsoleDebit(["RECEIVED"]));
  await ask(path);
  const answered = environment.lines.filter(({ event }) => event !== "operator.in-force");
  expect(answered).toHaveLength(1);
  expect(answered[0]).toMatchObject({
    event: "console.answered",
    fields: { operation: "transactionStatus", caller: "first", status: 200, uetr: consoleUetr },
  });
});
