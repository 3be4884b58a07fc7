// Tests of the query verbs over a console with given answers: requests, output, exit codes.

import { mkdtempSync, existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBankList } from "./bank-list.ts";
import { runBankDeliveries, runBankOwn } from "./bank-own.ts";
import { runConservation } from "./conservation.ts";
import { buildCall, createFakeConsole, runAndRead } from "../../terminal/console.fixture.ts";
import { controlClient } from "../../terminal/control-client.ts";
import { runHeld } from "./held.ts";
import { runReconciliationExport } from "./reconciliation-export.ts";
import { runAlarms } from "./alarms.ts";
import { runWindowOutlook } from "./window-outlook.ts";
import { runServices } from "./services.ts";
import { runReconciliationShow } from "./reconciliation-show.ts";
import { runSearch } from "./search.ts";
import { runFailing } from "./failing.ts";
import { runUndelivered } from "./undelivered.ts";
import { runWindows } from "./windows.ts";

const found = {
  uetr: "u-1",
  state: "HELD",
  flow: "on-us",
  bank: "first",
  amount: "1250.50",
  currency: "ZAR",
  reasons: [],
  updatedAt: "2026-11-20T06:00:00.000Z",
};

test("a search sends the given terms and nothing else, and prints a table", async () => {
  const console = createFakeConsole([{ schema: "Transactions", rows: [found], next: null }]);
  await runSearch(buildCall({ state: "HELD", amount: "1250.50", "date-from": "2026-11-20" }), console.where);
  expect(console.asked).toEqual([
    {
      url: "http://127.0.0.1:8082/control/v1/transactions?state=HELD&dateFrom=2026-11-20&amount=1250.50",
      authorization: "Bearer sample-operator-token",
    },
  ]);
  expect(console.text().split("\n")).toMatchObject([
    expect.stringMatching(/^UETR {2}STATE/),
    expect.stringMatching(/^u-1 {3}HELD {3}on-us {2}first {2}- {5}1250\.50 {2}ZAR {2}- {8}- {8}- {9}2026-11-20 06:00:00Z$/),
    "",
  ]);
});

test("a page says how to continue; --all reads every page; --json prints the answer unchanged", async () => {
  const first = { schema: "Transactions", rows: [found], next: "CURSOR" };
  const last = { schema: "Transactions", rows: [{ ...found, uetr: "u-2" }], next: null };
  expect(await runAndRead(runSearch, [first])).toContain("there are more: --after CURSOR, or --all");
  const console = createFakeConsole([first, last]);
  await runSearch(buildCall({ all: true, json: true }), console.where);
  expect(JSON.parse(console.text())).toEqual({ ...last, rows: [...first.rows, ...last.rows] });
  expect(console.asked.map(({ url }) => new URL(url).search)).toEqual(["?limit=1000", "?limit=1000&after=CURSOR"]);
});

test("text from outside cannot move the cursor", async () => {
  const text = await runAndRead(runSearch, [{ rows: [{ ...found, messageIdentification: "\u001b[2J\u202eX\n" }], next: null }]);
  expect(text).toContain("·[2J·X·");
});

test("the sample operator's token is never sent to another machine", async () => {
  const { where } = createFakeConsole([{}]);
  const client = (url: string) => controlClient(buildCall({ console: url }), where);
  await expect(client("https://console.example")).rejects.toThrow(/SLUICE_OPERATOR_TOKEN, or sign in: .*\.\/sluice login NAME/);
  await expect(client("file:///etc/passwd")).rejects.toThrow("no address");
  const console = createFakeConsole([{ rows: [] }], { SLUICE_OPERATOR_TOKEN: "mine", SLUICE_CONTROL_URL: "https://console.example/" });
  await runSearch(buildCall(), console.where);
  expect(console.asked[0]).toEqual({ url: "https://console.example/control/v1/transactions", authorization: "Bearer mine" });
});

test("a refusal is printed in the console's words; a server that is no console, or does not answer, is reported", async () => {
  const refused = { status: 400, body: { schema: "ErrorDetail", message: "Not a question", detail: "state: a state." } };
  await expect(runSearch(buildCall(), createFakeConsole([refused]).where)).rejects.toThrow(
    "the console answers 400 Not a question: state: a state.",
  );
  await expect(runSearch(buildCall(), createFakeConsole(["<html>"]).where)).rejects.toThrow("no console");
  const away = { ...createFakeConsole([{}]).where, fetch: () => Promise.reject(new Error("ECONNREFUSED")) };
  await expect(runSearch(buildCall(), away)).rejects.toThrow("does not answer at http://127.0.0.1:8082: ECONNREFUSED");
  const severalTried = Object.assign(new AggregateError([], ""), { code: "ECONNREFUSED" });
  const failed = { ...away, fetch: () => Promise.reject(new TypeError("fetch failed", { cause: severalTried })) };
  await expect(runSearch(buildCall(), failed)).rejects.toThrow("does not answer at http://127.0.0.1:8082: ECONNREFUSED");
  const nothingUp = { ...createFakeConsole([{}]).where, upControlUrl: () => Promise.resolve(null) };
  await expect(runSearch(buildCall(), nothingUp)).rejects.toThrow("./sluice up");
});

test("windows show planned and actual times, and why a gate is closed; banks with the same status share a line", async () => {
  const day = {
    day: "ZA_EFT:2026-11-20",
    windows: [
      {
        number: 1,
        state: "open",
        opens: "2026-11-20T06:00:00.000Z",
        openedAt: "2026-11-20T06:00:00.010Z",
        closes: "2026-11-20T14:00:00.000Z",
        closedAt: null,
      },
    ],
    reconciliation: { closes: "2026-11-20T15:30:00.000Z", closedAt: null },
    gates: [
      { bank: "a", isOpen: true, reason: null },
      { bank: "b", isOpen: false, reason: "3 credits unresolved: u-1" },
    ],
    putBacks: [{ window: 0, closes: "2026-11-20T16:00:00.000Z", operator: "me", confirmedBy: "sipho", reason: "late file" }],
  };
  expect(
    (await runAndRead(runWindows, [{ rows: [day, { day: "ZA_EFT:2026-11-22", windows: [], nextBusinessDate: "2026-11-23" }] }, {}])).split(
      "\n",
    ),
  ).toEqual([
    "ZA_EFT:2026-11-20",
    "  window 1  2026-11-20 06:00:00Z, opened 2026-11-20 06:00:00Z, to 2026-11-20 14:00:00Z  open",
    "  reconciliation  closes 2026-11-20 15:30:00Z",
    "  gate of a  open",
    "  gate of b  closed: 3 credits unresolved: u-1",
    "  extended  reconciliation to 2026-11-20 16:00:00Z by me, confirmed by sipho: late file",
    "ZA_EFT:2026-11-22  no window; next business date 2026-11-23",
    "",
  ]);
});

test("enough of an answer is shown that every code in a runbook is complete", async () => {
  const answer = "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY";
  const row = { recentAttempts: [{ httpStatusCode: null, answer }] };
  const lines = await runAndRead(runUndelivered, [{ schema: "UndeliveredMessages", bank: "a", why: [], rows: [row] }]);
  expect(lines).toMatch(new RegExp(` no answer ${answer} `));
  const longer = { recentAttempts: [{ httpStatusCode: 400, answer: "x".repeat(100) }] };
  const cut = await runAndRead(runUndelivered, [{ schema: "UndeliveredMessages", bank: "a", why: [], rows: [longer] }]);
  expect(cut).toMatch(/ 400 x{44} /);
});

test("failing prints each message with its attempts, its last answer, since when, and the next attempt", async () => {
  const row = {
    bank: "a",
    operation: "inboundDirectDebit",
    messageIdentification: "D",
    uetr: "u-1",
    attempts: 41,
    lastAnswer: { httpStatusCode: 500, answer: "no such \u001b[2J branch" },
    since: "2026-11-20T06:00:00.000Z",
    status: "waiting",
    nextAttempt: "2026-11-20T06:01:00.000Z",
    secondsToClose: 61,
  };
  const silent = { ...row, bank: "b", lastAnswer: { httpStatusCode: null, answer: "timeout" }, status: "paused", nextAttempt: null };
  const lines = (await runAndRead(runFailing, [{ schema: "FailingMessages", rows: [row, silent], next: null }])).split("\n");
  expect(lines[1]).toMatch(
    /^a +inboundDirectDebit +D +u-1 +41 +500 no such ·\[2J branch +2026-11-20 06:00:00Z +waiting +2026-11-20 06:01:00Z +- +1m 1s$/,
  );
  expect(lines[2]).toMatch(/^b .* 41 +no answer timeout +2026-11-20 06:00:00Z +paused +- +- +1m 1s$/);
  expect(await runAndRead(runFailing, [{ schema: "FailingMessages", rows: [], next: null }])).toBe("no message fails often\n");
});

test("held, undelivered and bank list print one line for each row", async () => {
  const held = {
    bank: "a",
    day: "ZA_EFT:2026-11-20",
    currency: "ZAR",
    count: 3,
    sum: "3751.50",
    oldestAgeSeconds: 90_061,
    secondsToOpening: 3_700,
    secondsToClose: null,
    why: "the window is not open yet",
  };
  expect(await runAndRead(runHeld, [{ rows: [held] }])).toMatch(
    /ZA_EFT:2026-11-20 {2}a +3 {2}3751\.50 {2}ZAR +1d 1h +1h 1m +- +the window is not open yet\n$/,
  );
  const summary = {
    bank: "a",
    state: "paused",
    why: ["Paused by me. \u001b[2J"],
    deliveries: { waiting: 2, refused: 1, oldestAgeSeconds: 61, nextAttempt: null },
    postings: { waiting: 0, refused: 0 },
    secondsToWindowClose: -3_600,
    secondsToClose: -5,
  };
  expect(await runAndRead(runUndelivered, [{ schema: "Undelivered", rows: [summary] }])).toMatch(
    /a +- +paused +2 +1m 1s +1 +- +0 +- +0 +- +1h 0m ago +5s ago\na: Paused by me\. ·\[2J\n$/,
  );
  const message = {
    kind: "delivery",
    messageIdentification: "D",
    status: "refused",
    attempts: 1,
    recentAttempts: [{ httpStatusCode: 400, answer: "no" }],
  };
  const why = ["http://a.test (dispatcher): breaker open"];
  expect(await runAndRead(runUndelivered, [{ schema: "UndeliveredMessages", bank: "a", why, rows: [message] }])).toMatch(
    /delivery +D +- +1 +400 no +refused +- +- +- +-\na: http:\/\/a\.test \(dispatcher\): breaker open\n$/,
  );
  const total = {
    scheme: "ZA_EFT",
    businessDate: "2026-11-20",
    currency: "ZAR",
    count: 2,
    sum: "9.00",
    alarmAbove: "8.00",
    isAboveAlarm: true,
  };
  const waiting = {
    deliveries: { waiting: 7, refused: 1, oldestAgeSeconds: 90 },
    postings: { waiting: 0, refused: 0, oldestAgeSeconds: null },
    secondsToClose: 3_600,
  };
  const row = { bank: "a", kind: "bank", state: "breaker-open", until: null, why, waiting, since: null, dayTotals: [total] };
  const banks = await runAndRead(runBankList, [
    { rows: [row, { ...row, bank: "b", state: "active", why: [], waiting: null, dayTotals: [] }] },
  ]);
  expect(banks).toMatch(/a +bank +breaker-open +- +7 +1m 30s +1 +0 +- +- +1h 0m +-\nb +bank +active +- +- +- +- +- +- +- +- +-\na: http/);
  expect(banks).toContain("a ZA_EFT 2026-11-20: 2, 9.00 ZAR (alarm above 8.00)  ABOVE ITS ALARM");
});

test("an old or missing count of what waits is reported", async () => {
  const asOf = "2026-11-20T06:01:00.000Z";
  const below = async (countedAt: string | null) =>
    (await runAndRead(runBankList, [{ rows: [], asOf, countedAt }])).split("\n").slice(1, -1);
  expect(await below("2026-11-20T06:00:55.000Z")).toEqual([]);
  expect(await below("2026-11-20T06:00:30.000Z")).toEqual(["what waits was counted at 2026-11-20 06:00:30Z: there are very many messages"]);
  expect(await below(null)).toEqual(["what waits is not counted yet: there are very many messages; ask again in a minute"]);
});

test("an item is shown with evidence, later answers, its resolution, and the id to confirm it", async () => {
  const action = { id: "r-1", operator: "me", reason: "the bank says so" };
  const item = {
    day: "ZA_EFT:2026-11-20",
    row: 8,
    cause: "BREAKER_OPEN",
    state: "RELEASED",
    isOpen: true,
    settledAt: null,
    madeAt: "2026-11-20T15:30:00.000Z",
    evidence: { attempts: 3, anyAnswer: true, httpStatusCode: 503, mayHaveBeenTaken: true, isBreakerOpen: true, isReceiverPaused: false },
    lateAnswers: [{ at: "2026-11-20T16:00:00.000Z", text: "202" }],
    resolution: {
      kind: "MADE",
      replacedBy: null,
      isFinal: false,
      offset: "4711",
      contentSha256: "0c0c",
      at: "2026-11-20T17:00:00.000Z",
      action,
      confirmed: null,
    },
  };
  const text = await runAndRead(
    runReconciliationShow,
    [{ timeline: { uetr: "u-1", state: "RECONCILIATION" }, items: [item], decisions: [] }],
    buildCall({}, "u-1"),
  );
  expect(text).toContain("row 8  BREAKER_OPEN  met in RELEASED  open");
  expect(text).toContain("  The receiver's breaker was open when its delivery was stopped.");
  expect(text).toContain("3 attempts, answered, last 503, may have been taken, breaker open");
  expect(text).toContain("MADE  2026-11-20 17:00:00Z by me: the bank says so; to be confirmed: --offset 4711 --sha256 0c0c");
});

test("an export goes to standard output, or to a file that exists only when it is complete", async () => {
  expect(await runAndRead(runReconciliationExport, ["day,uetr\r\n"], buildCall({ day: "ZA_EFT:2026-11-20" }))).toBe("day,uetr\r\n");
  const folder = mkdtempSync(join(tmpdir(), "sluice-export-"));
  const file = join(folder, "items.csv");
  await runAndRead(runReconciliationExport, ["a,b\r\n"], buildCall({ out: file }));
  expect([readFileSync(file, "utf8"), existsSync(`${file}.part`)]).toEqual(["a,b\r\n", false]);
  const refused = { status: 503, body: {} };
  const other = join(folder, "other.csv");
  await expect(runReconciliationExport(buildCall({ out: other }), createFakeConsole([refused]).where)).rejects.toThrow("503");
  expect([existsSync(other), existsSync(`${other}.part`)]).toEqual([false, false]);
});

test("conservation exits with 0 only if the day is whole, and prints the findings otherwise", async () => {
  const cell = { count: 2, sum: "2501.00" };
  const rows = [{ bank: "a", currency: "ZAR", columns: { accepted: cell, open: cell } }];
  const whole = await runAndRead(runConservation, [{ day: "ZA_EFT:2026-11-20", isWhole: true, rows, partitions: [] }]);
  expect(whole).toContain("whole: all that was accepted is accounted for");
  expect(whole).toMatch(/a +count +2 +- +- +- +- +- +- +- +2\n +ZAR +2501\.00/);
  const broken = createFakeConsole([
    { day: "d", isWhole: false, rows, partitions: [{ partition: 3, findings: ["ZAR:a accepted 1 by the documents"] }] },
  ]);
  expect([await runConservation(buildCall(), broken.where), broken.text()]).toEqual([
    1,
    expect.stringContaining("! partition 3: ZAR:a accepted 1"),
  ]);
});

describe("services", () => {
  const process = {
    service: "scheduler",
    address: "http://10.0.0.1:9464",
    failure: null,
    isReady: true,
    reasons: [],
    since: "2026-11-20T06:00:00.000Z",
    release: "1.4.0",
    configuration: { version: "7", hash: "aaaa", since: null },
    partitions: [{ topic: "t", partition: 0 }],
    lag: "0",
    blocked: [],
  };
  const service = { service: "scheduler", processes: 1, ready: 1, partitions: 1, notOwned: 0, lag: "0" };
  const body = { schema: "Services", areProcessesKnown: true, services: [service], rows: [process], differences: [] };

  test("each process is a row, and all is well", async () => {
    const console = createFakeConsole([body]);
    expect(await runServices(buildCall(), console.where)).toBe(0);
    expect(console.text()).toMatch(
      /scheduler {2}http:\/\/10\.0\.0\.1:9464 {2}ready {2}2026-11-20 06:00:00Z {2}1\.4\.0 {4}aaaa {11}0 {13}0/,
    );
  });

  test("a process that is not ready is shown with its reasons, and the exit code is 1", async () => {
    const rows = [{ ...process, isReady: false, reasons: ["store: no answer"] }];
    const console = createFakeConsole([{ ...body, rows, differences: ["No process of ingress answers."] }]);
    expect(await runServices(buildCall(), console.where)).toBe(1);
    expect(console.text()).toContain("scheduler http://10.0.0.1:9464: store: no answer");
    expect(console.text()).toContain("No process of ingress answers.");
  });

  test("where the console does not know the processes it says so; --json prints the answer unchanged", async () => {
    const unknown = { ...body, areProcessesKnown: false, rows: [] };
    expect(await runAndRead(runServices, [unknown])).toContain("SLUICE_OPERATIONS_ADDRESSES");
    const console = createFakeConsole([unknown]);
    await runServices(buildCall({ json: true }), console.where);
    expect(JSON.parse(console.text())).toEqual(unknown);
  });
});

test("the outlook of a day says when its debits are through, and exits 0 only where that is in time", async () => {
  const row = { bank: "sample", count: 12, currency: "ZAR", sum: "1200.00", waitsFor: "turn", why: "its turn comes" };
  const trend = { perMinute: 3, emptyAt: "2026-11-20T06:04:00.000Z" };
  const closes = { windowCloses: "2026-11-20T14:00:00.000Z", reconciliationCloses: "2026-11-20T15:30:00.000Z" };
  const body = { schema: "DayOutlook", held: 12, rows: [row], trend, ...closes, finish: "before-window-close" };
  const run = async (answer: Readonly<Record<string, unknown>>, day = "ZA_EFT:2026-11-20") => {
    const console = createFakeConsole([answer]);
    return [await runWindowOutlook(buildCall({}, day), console.where), console.text()];
  };
  expect(await run(body)).toEqual([
    0,
    expect.stringContaining("held: 12, 3 fewer each minute, through 2026-11-20 06:04:00Z: before-window-close"),
  ]);
  expect((await run({ ...body, finish: "after-window-close" }))[0]).toBe(1);
  expect((await run({ ...body, trend: null, finish: "not-known" }))[0]).toBe(1);
  await expect(run(body, "2026-11-20")).rejects.toThrow("is no business day");
});

describe("alarms", () => {
  const alarm = {
    name: "SluiceGateClosed",
    severity: "warning",
    since: "2026-11-20T06:00:00.000Z",
    isSilenced: false,
    about: "bank sample",
    summary: "A gate stays closed",
    description: null,
    runbook: "docs/runbooks/a-gate-stays-closed.md",
  };
  const body = { schema: "Alarms", source: "answers", answeredAt: alarm.since, silentSince: null, why: null, rows: [alarm], isWhole: true };

  test.each([
    [body, 1, "docs/runbooks/a-gate-stays-closed.md"],
    [{ ...body, rows: [{ ...alarm, isSilenced: true }] }, 0, "warning, silenced"],
    [{ ...body, rows: [] }, 0, "no alarm fires"],
    [{ ...body, source: "none", rows: [] }, 1, "SLUICE_ALARMS_URL"],
    [{ ...body, source: "unasked", rows: [] }, 1, "ask again"],
    [
      { ...body, source: "silent", silentSince: alarm.since, why: "ECONNREFUSED" },
      1,
      "cannot be asked since 2026-11-20 06:00:00Z: ECONNREFUSED",
    ],
    [{ ...body, isWhole: false }, 1, "there are more"],
  ])("%#: what is known, and exit 0 only where it is known that none fires", async (answer, code, text) => {
    const console = createFakeConsole([answer]);
    expect([await runAlarms(buildCall(), console.where), console.text()]).toEqual([code, expect.stringContaining(text)]);
  });
});

test("a bank's own transactions and deliveries are asked for below the bank", async () => {
  const row = { ...found, endToEndIdentification: "E2E", businessDate: "2026-11-20", receivedAt: found.updatedAt };
  const console = createFakeConsole([
    { rows: [row], next: null },
    { rows: [], next: null },
  ]);
  await runBankOwn(buildCall({ side: "received" }, "first"), console.where);
  await runBankDeliveries(buildCall({}, "first"), console.where);
  expect(console.asked.map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual([
    "/control/v1/banks/first/transactions?side=received",
    "/control/v1/banks/first/deliveries",
  ]);
  expect(console.text()).toContain("ZAR 1250.50");
  expect(console.text()).toContain("the bank has acknowledged everything");
});
