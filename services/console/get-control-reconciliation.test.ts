// Reconciliation items as lists, sums and files (decisions, section 9).

import type { Item, Resolution } from "@sluice/domain";
import { expect, test } from "vitest";
import { givenConsole, startAtMs, type World } from "./given.ts";
import { actionOf, allPages, answerTo, day, itemOf, rowsOf, saveAll, transactionIn, uetrOf } from "./given-control.ts";
import { allNamed, parseXml, problemsOfPacs002 } from "./given-pacs002.ts";

function resolvedAs(kind: Resolution["kind"], over: Partial<Resolution> = {}): Resolution {
  return { kind, replacedBy: null, action: actionOf(), atMs: startAtMs, isFinal: true, confirmed: null, ...over };
}

const evidence = { attempts: 3, anyAnswer: true, mayHaveBeenTaken: true, httpStatusCode: 500, isBreakerOpen: true, isBankPaused: false };

/** One transaction for each item, in order. */
async function givenItems(items: readonly Item[]): Promise<World> {
  const world = await givenConsole();
  await saveAll(
    world,
    items.map((item, index) => transactionIn("RECONCILIATION", index + 1, { items: [item] })),
    { endToEndIdentification: "=E,2", debtorAccountEnd: "7890" },
  );
  return world;
}

const several = [
  itemOf({ row: 9, cause: "PDNG", lateAnswers: [{ offset: 9n, atMs: startAtMs, text: "202 late" }] }),
  itemOf({ row: 8, cause: "BREAKER_OPEN", state: "RELEASED", evidence }),
  itemOf({ row: 8, cause: "BREAKER_OPEN", state: "RELEASED", evidence, resolution: resolvedAs("made") }),
  itemOf({ row: 0, cause: "WITHDRAWN", state: "HELD", resolution: resolvedAs("replaced", { replacedBy: uetrOf(99), isFinal: false }) }),
  itemOf({ row: 3, settledAtMs: startAtMs }),
  itemOf({ day: "ZA_EFT:2026-11-19", row: null, state: "RELEASED" }),
];

test("items are listed by day, bank, row and whether they are open, with evidence, late answers and resolution", async () => {
  const world = await givenItems(several);
  const uetrs = async (query: string) => (await rowsOf(world, `/reconciliation?${query}`)).map((row) => row["uetr"]);
  expect(await uetrs(`day=${day}`)).toEqual([1, 2, 3, 4, 5].map(uetrOf));
  expect(await uetrs(`day=${day}&open=true`)).toEqual([1, 2, 4].map(uetrOf));
  expect(await uetrs(`day=${day}&open=false`)).toEqual([3, 5].map(uetrOf));
  expect(await uetrs("row=8")).toEqual([uetrOf(2)]);
  expect(await uetrs("row=unknown")).toEqual([uetrOf(6)]);
  expect(await uetrs("")).toEqual([1, 2, 4, 6].map(uetrOf));
  expect(await uetrs("bank=second")).toEqual([]);
  const rows = await rowsOf(world, `/reconciliation?day=${day}`);
  expect(rows[0]).toMatchObject({ row: 9, cause: "PDNG", amount: "1250.50", lateAnswers: [{ text: "202 late" }], resolution: null });
  expect(rows[1]).toMatchObject({ state: "RELEASED", evidence: { attempts: 3, httpStatusCode: 500 }, isOpen: true });
  expect(rows[2]).toMatchObject({
    isOpen: false,
    resolution: { kind: "MADE", isFinal: true, action: { operator: "operator", reason: "the bank called" } },
  });
  for (const wrong of ["day=2026-11-20", "row=11", "open=yes", "bank=A"]) {
    expect([wrong, (await world.control(`/reconciliation?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test("pages of items end between transactions and hold each item once", async () => {
  const world = await givenConsole();
  const two = [itemOf({ row: 3, cause: "OUTCOME_UNDELIVERED" }), itemOf({ row: 9 })];
  await saveAll(
    world,
    Array.from({ length: 5 }, (_, index) => transactionIn("RECONCILIATION", index, { items: two })),
  );
  const pages = await allPages(world, `/reconciliation?day=${day}&limit=2`);
  expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
  expect(new Set(pages.flat().map((row) => `${String(row["uetr"])} ${String(row["row"])}`)).size).toBe(10);
});

test("counts and sums by bank, currency, row and cause are exact over many pages; what was settled before the close is none of them [D9 reconciliation-sums]", async () => {
  const world = await givenItems(several);
  await saveAll(
    world,
    Array.from({ length: 1_000 }, (_, index) =>
      transactionIn("RECONCILIATION", 1_000 + index, {
        bank: "second",
        amountTenThousandths: 1n + BigInt(index) * 10_000n,
        currency: "USD",
        items: [itemOf()],
      }),
    ),
  );
  expect(await rowsOf(world, `/reconciliation/summary?day=${day}`)).toEqual([
    { bank: "first", currency: "ZAR", row: 0, cause: "WITHDRAWN", count: 1, sum: "1250.50", open: 1, openSum: "1250.50" },
    { bank: "first", currency: "ZAR", row: 8, cause: "BREAKER_OPEN", count: 2, sum: "2501.00", open: 1, openSum: "1250.50" },
    { bank: "first", currency: "ZAR", row: 9, cause: "PDNG", count: 1, sum: "1250.50", open: 1, openSum: "1250.50" },
    { bank: "second", currency: "USD", row: 9, cause: null, count: 1_000, sum: "499500.10", open: 1_000, openSum: "499500.10" },
  ]);
  expect((await world.control("/reconciliation/summary")).status).toBe(400);
});

test("the CSV has a line for each item, no name, four characters of an account, and nothing that computes [D10 privacy]", async () => {
  const world = await givenItems(several);
  const answer = await world.control(`/reconciliation/export?day=${day}&format=csv`);
  const lines = (await answer.text()).split("\r\n");
  expect(answer.headers.get("content-type")).toMatch(/^text\/csv/);
  expect(lines).toHaveLength(1 + 4 + 1);
  expect(lines[0]).toMatch(/^day,uetr,flow,bank,sender,businessDate,amount,currency,row,cause,/);
  expect(lines[2]).toContain(`${day},${uetrOf(2)},on-us,first,first,2026-11-20,1250.50,ZAR,8,BREAKER_OPEN,RELEASED,RECONCILIATION,true,`);
  expect(lines[2]).toContain(`"'=E,2",,,7890,,3,true,true,500,`);
});

test("an export of many pages holds every item once, in order", async () => {
  const world = await givenConsole();
  const indexes = Array.from({ length: 1_203 }, (_, index) => index);
  for (const some of [indexes.slice(0, 1_000), indexes.slice(1_000)]) {
    await saveAll(
      world,
      some.map((index) => transactionIn("RECONCILIATION", index, { items: [itemOf()] })),
    );
  }
  const answer = await world.control(`/reconciliation/export?day=${day}&format=csv`);
  const lines = (await world.settled(answer.text())).split("\r\n").slice(1, -1);
  expect(lines.map((line) => line.split(",")[1])).toEqual(indexes.map(uetrOf));
});

test("the JSON export holds the same rows as the list", async () => {
  const world = await givenItems(several);
  const body = await answerTo(world, `/reconciliation/export?day=${day}&format=json`);
  const listed = await rowsOf(world, `/reconciliation?day=${day}`);
  expect(body).toMatchObject({ schema: "ReconciliationExport", day, rows: listed.filter((row) => row["settledAt"] === null) });
});

test("the ISO 20022 export is a pacs.002.001.10: PDNG where nobody knows, ACSC and RJCT where people found out, with the reason [D9 reconciliation-export]", async () => {
  const reason = `<script> & ${"a long reason ".repeat(20)}`;
  const world = await givenItems([
    ...several,
    itemOf({ resolution: resolvedAs("not-made", { action: actionOf({ reason }) }) }),
    itemOf({ resolution: resolvedAs("replaced", { replacedBy: uetrOf(99) }) }),
  ]);
  const noVersion4 = "7d5fb0b2-61a5-1c2e-9d3c-0d6c5a1b2c3d";
  const beside = itemOf({ cause: "OUTCOME_UNDELIVERED", row: 5, state: "COMPLETED" });
  await saveAll(world, [transactionIn("COMPLETED", 0, { uetr: noVersion4, flow: "off-us", items: [beside] })]);
  const answer = await world.control(`/reconciliation/export?day=${day}&format=iso20022`);
  const xml = await answer.text();
  expect([answer.headers.get("content-type"), problemsOfPacs002(xml)]).toEqual(["application/xml", []]);
  const root = parseXml(xml);
  const valuesOf = (name: string) => allNamed(root, name).map(({ text }) => text);
  expect(valuesOf("TxSts")).toEqual(["PDNG", "PDNG", "ACSC", "PDNG", "RJCT", "RJCT", "ACSC"]);
  expect(valuesOf("OrgnlUETR")).toEqual([1, 2, 3, 4, 7, 8].map(uetrOf));
  expect(valuesOf("AddtlInf")).toEqual(
    expect.arrayContaining([`UETR ${noVersion4}`, "row 8, BREAKER_OPEN, in RELEASED", "resolved: MADE, by operator"]),
  );
  expect(valuesOf("AddtlInf").join("")).toContain(reason);
  expect(allNamed(root, "IntrBkSttlmAmt")[0]).toMatchObject({ text: "1250.50", attributes: { Ccy: "ZAR" } });
});

test("a day without items is an empty file in each format; another format, or no day, is 400; a store that is away is 503", async () => {
  const world = await givenConsole();
  const texts = [];
  for (const format of ["csv", "json", "iso20022"])
    texts.push(await (await world.control(`/reconciliation/export?day=${day}&format=${format}`)).text());
  expect(texts.map((text) => text.split("\n").length > 1)).toEqual([true, true, true]);
  expect(problemsOfPacs002(texts[2] ?? "")).toEqual([]);
  for (const wrong of [`day=${day}&format=pdf`, "format=csv"])
    expect((await world.control(`/reconciliation/export?${wrong}`)).status).toBe(400);
  world.world.fault = "down";
  expect((await world.control(`/reconciliation/export?day=${day}&format=csv`)).status).toBe(503);
});
