// Tests of searchTransactions: exact, by every term, page by page.

import { searchTerms } from "@sluice/contracts";
import { expect, test } from "vitest";
import { buildConsoleDebit, buildConsoleOrphan, openConsoleEnvironment, readJsonObject, consoleStartAtMs } from "../console.fixture.ts";
import {
  buildOperatorAction,
  readControlPages,
  readControlAnswer,
  buildItem,
  readControlRows,
  saveTransactions,
  buildStoredTransaction,
  consoleUetrAt,
} from "./stored-data.fixture.ts";

test("each term finds the transactions that match it, and no others", async () => {
  const environment = await openConsoleEnvironment();
  const terms = {
    endToEndIdentification: "E-1",
    transactionIdentification: "T-1",
    instructionIdentification: "I-1",
    debtorAccountEnd: "7890",
    creditorAccountEnd: "4321",
    reasons: ["AC02"],
  };
  const message = { sender: "first", messageIdentification: "FILE-7", contentHash: "c", substanceHash: "s" };
  await saveTransactions(environment, [buildStoredTransaction("HELD", 1, { message, amountTenThousandths: 99_000_000n })], terms);
  await saveTransactions(environment, [
    buildStoredTransaction("COMPLETED", 2, {
      bank: "second",
      businessDate: "2026-11-23",
      currency: "USD",
      receivedAtMs: consoleStartAtMs + 1,
    }),
  ]);
  const asked = [
    "identification=FILE-7",
    "identification=E-1",
    "identification=T-1",
    "identification=I-1",
    "identificationStart=FILE-7",
    "bank=first",
    "state=HELD",
    "businessDate=2026-11-20",
    `receivedTo=${new Date(consoleStartAtMs).toISOString()}`,
    "dateTo=2026-11-21",
    "account=7890",
    "account=4321",
    "amount=9900.00",
    "amount=9900&currency=ZAR",
    "reason=AC02",
    "flow=on-us&state=HELD",
    "reconciliationDay=ZA_EFT:2026-11-20&bank=first",
  ];
  for (const query of asked)
    expect([query, (await readControlRows(environment, `/transactions?${query}`)).map((row) => row["uetr"])]).toEqual([
      query,
      [consoleUetrAt(1)],
    ]);
  for (const query of [
    "identification=FILE",
    "identificationStart=ILE-77",
    "identificationStart=FILE-8",
    "account=789",
    "bank=third",
    "bank=first&state=COMPLETED",
    "quarantined=true",
  ]) {
    expect([query, await readControlRows(environment, `/transactions?${query}`)]).toEqual([query, []]);
  }
});

test("what is known of reports alone has no scheme, amount and currency", async () => {
  const environment = await openConsoleEnvironment();
  await saveTransactions(environment, [buildConsoleOrphan()]);
  const [row] = await readControlRows(environment, "/transactions?state=ORPHAN&observation=report-orphan");
  expect(await readControlRows(environment, "/transactions?observation=report-foreign")).toEqual([]);
  expect(row).toMatchObject({ state: "ORPHAN", flow: null, scheme: null, amount: null, currency: null, reconciliationDay: null });
});

test.each(searchTerms)("the term $name takes its example, and a refusal says its form", async ({ name, form, example }) => {
  const environment = await openConsoleEnvironment();
  expect(await readControlRows(environment, `/transactions?${name}=${encodeURIComponent(example)}`)).toEqual([]);
  const refused = await readJsonObject(await environment.control(`/transactions?${name}=`));
  expect(refused).toMatchObject({ schema: "ErrorDetail", detail: `${name}: ${form}.` });
});

test("a row shows no name, and of accounts the last four characters; an amount is text with its currency's digits", async () => {
  const environment = await openConsoleEnvironment();
  await saveTransactions(environment, [buildStoredTransaction("HELD", 1)], { debtorAccountEnd: "7890" });
  const [row] = await readControlRows(environment, "/transactions");
  expect(row).toMatchObject({
    amount: "1250.50",
    currency: "ZAR",
    debtorAccountEnd: "7890",
    creditorAccountEnd: null,
    receivedAt: "2026-11-20T06:00:00.000Z",
  });
  expect(Object.keys(row ?? {}).filter((name) => /name/i.test(name))).toEqual([]);
});

test("pages contain every transaction once, even if some appear or disappear in between", async () => {
  const environment = await openConsoleEnvironment();
  await saveTransactions(
    environment,
    Array.from({ length: 23 }, (_, index) => buildStoredTransaction("HELD", 2 * index)),
  );
  const pages = await readControlPages(environment, "/transactions?limit=10");
  expect(pages.map((page) => page.length)).toEqual([10, 10, 3]);
  expect(pages.flat().map((row) => row["uetr"])).toEqual(Array.from({ length: 23 }, (_, index) => consoleUetrAt(2 * index)));
  const first = await readJsonObject(await environment.control("/transactions?limit=10"));
  await saveTransactions(environment, [buildStoredTransaction("HELD", 1), buildStoredTransaction("HELD", 21)]);
  const second = await readControlRows(environment, `/transactions?limit=10&after=${String(first["next"])}`);
  expect(second.slice(0, 2).map((row) => row["uetr"])).toEqual([consoleUetrAt(20), consoleUetrAt(21)]);
});

test("a page that is exactly full is the last one if there are no more rows", async () => {
  const environment = await openConsoleEnvironment();
  await saveTransactions(
    environment,
    [1, 2].map((index) => buildStoredTransaction("HELD", index)),
  );
  expect(await readControlPages(environment, "/transactions?limit=2")).toHaveLength(1);
});

test.each([
  "limit=0",
  "limit=1001",
  "limit=ten",
  "after=nothing",
  `after=${Buffer.from("not a uetr").toString("base64url")}`,
  "state=HOLD",
  "flow=onus",
  "amount=12,50",
  "amount=1e3",
  "amount=0.00001",
  "account=12345",
  "businessDate=2026-02-30",
  "quarantined=yes",
  "bank=FIRST",
  "reconciliationDay=2026-11-20",
  "reason=no%20reason",
  "observation=seen",
  "identification=%00",
  "unknown=1",
  "state=HELD&state=RELEASED",
])("%s is refused with 400 and finds nothing", async (query) => {
  const environment = await openConsoleEnvironment();
  const answer = await environment.control(`/transactions?${query}`);
  expect([answer.status, await readJsonObject(answer)]).toMatchObject([400, { schema: "ErrorDetail" }]);
});

test("the timeline of a transaction comes with its items, decisions and quarantine; an unknown transaction is 404", async () => {
  const environment = await openConsoleEnvironment();
  const quarantined = { sinceMs: 0, offset: 3n, records: 2 };
  const confirmed = { action: buildOperatorAction({ id: "action-2", operator: "second-person" }), atMs: consoleStartAtMs };
  const resolution = {
    kind: "replaced",
    replacedBy: consoleUetrAt(9),
    action: buildOperatorAction(),
    offset: 15n,
    atMs: consoleStartAtMs,
    isFinal: true,
    expiresAtMs: null,
    confirmed,
  } as const;
  const note = {
    offset: 7n,
    atMs: consoleStartAtMs,
    kind: "WithdrawalRequested",
    action: buildOperatorAction(),
    result: "refused",
    why: "released",
  } as const;
  const items = [buildItem({ lateAnswers: [{ offset: 9n, atMs: consoleStartAtMs, text: "202" }], resolution })];
  await saveTransactions(environment, [
    { ...buildConsoleDebit(["RECEIVED", "ACCEPTED"]), uetr: consoleUetrAt(5), quarantined: quarantined, items, decisions: [note] },
  ]);
  expect(await readControlAnswer(environment, `/transactions/${consoleUetrAt(5).toUpperCase()}`)).toMatchObject({
    timeline: { uetr: consoleUetrAt(5), state: "ACCEPTED" },
    items: [
      { row: 9, resolution: { kind: "REPLACED", replacedBy: consoleUetrAt(9), confirmed: { action: { operator: "second-person" } } } },
    ],
    decisions: [{ kind: "WithdrawalRequested", result: "refused", why: "released", operator: "operator", offset: "7" }],
    quarantined: { since: "1970-01-01T00:00:00.000Z", records: 2, offset: "3" },
  });
  expect((await environment.control(`/transactions/${consoleUetrAt(6)}`)).status).toBe(404);
});

test("an export has every transaction that a search finds, over many pages, and nothing that computes", async () => {
  const environment = await openConsoleEnvironment();
  const message = { sender: "first", messageIdentification: "=1+1", contentHash: "c", substanceHash: "s" };
  const all = Array.from({ length: 2_001 }, (_, index) => buildStoredTransaction(index === 7 ? "COMPLETED" : "HELD", index, { message }));
  for (const at of [0, 1_000, 2_000]) await saveTransactions(environment, all.slice(at, at + 1_000));
  const file = await environment.control("/transactions/export?state=HELD");
  const lines = (await environment.settled(file.text())).trimEnd().split("\r\n");
  expect(lines.slice(1).map((line) => line.slice(0, 36))).toEqual(all.filter(({ state }) => state === "HELD").map(({ uetr }) => uetr));
  expect([lines[1]?.includes(",'=1+1,"), lines[1]?.includes(",=1+1")]).toEqual([true, false]);
  const asJson = await readControlAnswer(environment, "/transactions/export?bank=nobody&format=json");
  expect(asJson).toEqual({ schema: "TransactionsExport", asOf: expect.any(String) as unknown, rows: [] });
  for (const wrong of ["format=xml", "state=HELDD"])
    expect([wrong, (await environment.control(`/transactions/export?${wrong}`)).status]).toEqual([wrong, 400]);
});

test("a store that is away is 503, and never an empty list", async () => {
  const environment = await openConsoleEnvironment();
  environment.environment.fault = "down";
  expect((await environment.control("/transactions")).status).toBe(503);
});

test("the last received are first with sort=newest, page by page, and a range of that time is exact", async () => {
  const environment = await openConsoleEnvironment();
  const at = (minute: number): number => consoleStartAtMs + minute * 60_000;
  await saveTransactions(
    environment,
    [1, 2, 3, 4, 5].map((index) => buildStoredTransaction("HELD", index, { receivedAtMs: at(index === 2 ? 9 : Math.min(index, 4)) })),
  );
  const pages = await readControlPages(environment, "/transactions?sort=newest&limit=2");
  expect(pages.flat().map(({ uetr }) => uetr)).toEqual([2, 5, 4, 3, 1].map((index) => consoleUetrAt(index)));
  const range = `receivedFrom=${encodeURIComponent("2026-11-20T08:03:00+02:00")}&receivedTo=${new Date(at(4)).toISOString()}`;
  expect((await readControlRows(environment, `/transactions?${range}`)).map(({ uetr }) => uetr)).toEqual(
    [3, 4, 5].map((index) => consoleUetrAt(index)),
  );
  for (const query of ["sort=amount", "receivedFrom=yesterday", "sort=newest&after=NmY0YjJmMGU"])
    expect([query, (await environment.control(`/transactions?${query}`)).status]).toEqual([query, 400]);
});
