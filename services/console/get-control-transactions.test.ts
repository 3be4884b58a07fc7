// searchTransactions: exact, by every term, page by page.

import { expect, test } from "vitest";
import { debitIn, givenConsole, jsonOf, startAtMs } from "./given.ts";
import { actionOf, allPages, answerTo, itemOf, rowsOf, saveAll, transactionIn, uetrOf } from "./given-control.ts";

test("each term finds the transactions that it fits, and no other", async () => {
  const world = await givenConsole();
  const terms = {
    endToEndIdentification: "E-1",
    transactionIdentification: "T-1",
    instructionIdentification: "I-1",
    debtorAccountEnd: "7890",
    creditorAccountEnd: "4321",
    reasons: ["AC02"],
  };
  const message = { sender: "first", messageIdentification: "FILE-7", contentHash: "c", substanceHash: "s" };
  await saveAll(world, [transactionIn("HELD", 1, { message, amountTenThousandths: 99_000_000n })], terms);
  await saveAll(world, [transactionIn("COMPLETED", 2, { bank: "second", businessDate: "2026-11-23", currency: "USD" })]);
  const asked = [
    "identification=FILE-7",
    "identification=E-1",
    "identification=T-1",
    "identification=I-1",
    "bank=first",
    "state=HELD",
    "businessDate=2026-11-20",
    "dateTo=2026-11-21",
    "account=7890",
    "account=4321",
    "amount=9900.00",
    "amount=9900&currency=ZAR",
    "reason=AC02",
    "flow=on-us&state=HELD",
    "closesWith=ZA_EFT:2026-11-20&bank=first",
  ];
  for (const query of asked)
    expect([query, (await rowsOf(world, `/transactions?${query}`)).map((row) => row["uetr"])]).toEqual([query, [uetrOf(1)]]);
  for (const query of ["identification=FILE", "account=789", "bank=third", "bank=first&state=COMPLETED", "parked=true"]) {
    expect([query, await rowsOf(world, `/transactions?${query}`)]).toEqual([query, []]);
  }
});

test("a row shows no name, and of accounts the last four characters; an amount is text with its currency's digits", async () => {
  const world = await givenConsole();
  await saveAll(world, [transactionIn("HELD", 1)], { debtorAccountEnd: "7890" });
  const [row] = await rowsOf(world, "/transactions");
  expect(row).toMatchObject({
    amount: "1250.50",
    currency: "ZAR",
    debtorAccountEnd: "7890",
    creditorAccountEnd: null,
    receivedAt: "2026-11-20T06:00:00.000Z",
  });
  expect(Object.keys(row ?? {}).filter((name) => /name/i.test(name))).toEqual([]);
});

test("pages hold every transaction once, also where some come and go between them", async () => {
  const world = await givenConsole();
  await saveAll(
    world,
    Array.from({ length: 23 }, (_, index) => transactionIn("HELD", 2 * index)),
  );
  const pages = await allPages(world, "/transactions?limit=10");
  expect(pages.map((page) => page.length)).toEqual([10, 10, 3]);
  expect(pages.flat().map((row) => row["uetr"])).toEqual(Array.from({ length: 23 }, (_, index) => uetrOf(2 * index)));
  const first = await jsonOf(await world.control("/transactions?limit=10"));
  await saveAll(world, [transactionIn("HELD", 1), transactionIn("HELD", 21)]);
  const second = await rowsOf(world, `/transactions?limit=10&after=${String(first["next"])}`);
  expect(second.slice(0, 2).map((row) => row["uetr"])).toEqual([uetrOf(20), uetrOf(21)]);
});

test("a page that is just full is the last where there is no more", async () => {
  const world = await givenConsole();
  await saveAll(
    world,
    [1, 2].map((index) => transactionIn("HELD", index)),
  );
  expect(await allPages(world, "/transactions?limit=2")).toHaveLength(1);
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
  "parked=yes",
  "bank=FIRST",
  "closesWith=2026-11-20",
  "reason=no%20reason",
  "identification=%00",
  "unknown=1",
  "state=HELD&state=RELEASED",
])("%s is refused with 400, and nothing is found by it", async (query) => {
  const world = await givenConsole();
  const answer = await world.control(`/transactions?${query}`);
  expect([answer.status, await jsonOf(answer)]).toMatchObject([400, { schema: "ErrorDetail" }]);
});

test("the timeline of one transaction comes with its items, decisions and the mark of parked records; an unknown one is 404", async () => {
  const world = await givenConsole();
  const parked = { sinceMs: 0, offset: 3n, records: 2 };
  const confirmed = { action: actionOf({ id: "action-2", operator: "second-person" }), atMs: startAtMs };
  const resolution = { kind: "replaced", replacedBy: uetrOf(9), action: actionOf(), atMs: startAtMs, isFinal: true, confirmed } as const;
  const note = {
    offset: 7n,
    atMs: startAtMs,
    kind: "WithdrawalRequested",
    action: actionOf(),
    result: "refused",
    why: "released",
  } as const;
  const items = [itemOf({ lateAnswers: [{ offset: 9n, atMs: startAtMs, text: "202" }], resolution })];
  await saveAll(world, [{ ...debitIn(["RECEIVED", "ACCEPTED"]), uetr: uetrOf(5), parked, items, decisions: [note] }]);
  expect(await answerTo(world, `/transactions/${uetrOf(5).toUpperCase()}`)).toMatchObject({
    timeline: { uetr: uetrOf(5), state: "ACCEPTED" },
    items: [{ row: 9, resolution: { kind: "REPLACED", replacedBy: uetrOf(9), confirmed: { action: { operator: "second-person" } } } }],
    decisions: [{ kind: "WithdrawalRequested", result: "refused", why: "released", operator: "operator", offset: "7" }],
    parked: { since: "1970-01-01T00:00:00.000Z", records: 2, offset: "3" },
  });
  expect((await world.control(`/transactions/${uetrOf(6)}`)).status).toBe(404);
});

test("a store that is away is 503, and never an empty list", async () => {
  const world = await givenConsole();
  world.world.fault = "down";
  expect((await world.control("/transactions")).status).toBe(503);
});
