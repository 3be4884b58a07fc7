// Tests of reconciliation items as lists, sums and files (docs/spec/decisions.md D9.55 to D9.64).

import { hash } from "node:crypto";
import { controlAnswers } from "@sluice/contracts/control-answers";
import type { Item, Resolution } from "@sluice/domain";
import { expect, test } from "vitest";
import { buildConsoleUnread, openConsoleEnvironment, consoleStartAtMs, type ConsoleEnvironment } from "../console.fixture.ts";
import {
  buildOperatorAction,
  readControlPages,
  readControlAnswer,
  day,
  buildItem,
  readControlRows,
  saveTransactions,
  buildStoredTransaction,
  consoleUetrAt,
} from "./stored-data.fixture.ts";
import { findXmlElements, parseXml, findPacs002Problems } from "../views/pacs002.fixture.ts";

function buildResolution(kind: Resolution["kind"], over: Partial<Resolution> = {}): Resolution {
  return {
    kind,
    replacedBy: null,
    action: buildOperatorAction(),
    offset: 15n,
    atMs: consoleStartAtMs,
    isFinal: true,
    expiresAtMs: null,
    confirmed: null,
    ...over,
  };
}

const evidence = {
  attempts: 3,
  anyAnswer: true,
  mayHaveBeenTaken: true,
  httpStatusCode: 500,
  isBreakerOpen: true,
  isReceiverPaused: false,
};

/** Saves one transaction for each item, in order. */
async function openEnvironmentWithItems(items: readonly Item[]): Promise<ConsoleEnvironment> {
  const environment = await openConsoleEnvironment();
  await saveTransactions(
    environment,
    items.map((item, index) => buildStoredTransaction("RECONCILIATION", index + 1, { items: [item] })),
    { endToEndIdentification: "=E,2", debtorAccountEnd: "7890" },
  );
  return environment;
}

const several = [
  buildItem({ row: 9, cause: "PDNG", lateAnswers: [{ offset: 9n, atMs: consoleStartAtMs, text: "202 late" }] }),
  buildItem({ row: 8, cause: "BREAKER_OPEN", state: "RELEASED", evidence }),
  buildItem({ row: 8, cause: "BREAKER_OPEN", state: "RELEASED", evidence, resolution: buildResolution("made") }),
  buildItem({
    row: 0,
    cause: "WITHDRAWN",
    state: "HELD",
    resolution: buildResolution("replaced", { replacedBy: consoleUetrAt(99), isFinal: false }),
  }),
  buildItem({ row: 3, settledAtMs: consoleStartAtMs }),
  buildItem({ day: "ZA_EFT:2026-11-19", row: null, state: "RELEASED" }),
];

test("the item of a message that nobody has read is listed, summed up and exported, without amount and bank", async () => {
  const environment = await openConsoleEnvironment();
  const unread = { ...buildConsoleUnread("debit"), items: [buildItem({ row: 4, cause: null, state: "RECEIVED" })] };
  await saveTransactions(environment, [unread]);
  const [row] = await readControlRows(environment, `/reconciliation?day=${day}`);
  expect(row).toMatchObject({
    uetr: unread.uetr,
    row: 4,
    flow: null,
    bank: null,
    amount: null,
    currency: null,
    scheme: "ZA_EFT",
    isParked: true,
  });
  const summary = await readControlRows(environment, `/reconciliation/summary?day=${day}`);
  expect(summary).toMatchObject([{ bank: null, currency: null, row: 4, count: 1, sum: null, open: 1, openSum: null }]);
  for (const format of ["csv", "iso20022"]) {
    const answer = await environment.control(`/reconciliation/export?day=${day}&format=${format}`);
    expect(await answer.text()).toContain(unread.uetr);
  }
});

test("items are listed by day, bank, row and whether they are open, with evidence, late answers and resolution", async () => {
  const environment = await openEnvironmentWithItems(several);
  const uetrs = async (query: string) => (await readControlRows(environment, `/reconciliation?${query}`)).map((row) => row["uetr"]);
  expect(await uetrs(`day=${day}`)).toEqual([1, 2, 3, 4, 5].map(consoleUetrAt));
  expect(await uetrs(`day=${day}&open=true`)).toEqual([1, 2, 4].map(consoleUetrAt));
  expect(await uetrs(`day=${day}&open=false`)).toEqual([3, 5].map(consoleUetrAt));
  expect(await uetrs("row=8")).toEqual([consoleUetrAt(2)]);
  expect(await uetrs("row=unknown")).toEqual([consoleUetrAt(6)]);
  expect(await uetrs("")).toEqual([1, 2, 4, 6].map(consoleUetrAt));
  expect(await uetrs("bank=second")).toEqual([]);
  const rows = await readControlRows(environment, `/reconciliation?day=${day}`);
  expect(rows[0]).toMatchObject({ row: 9, cause: "PDNG", amount: "1250.50", lateAnswers: [{ text: "202 late" }], resolution: null });
  expect(rows[1]).toMatchObject({ state: "RELEASED", evidence: { attempts: 3, httpStatusCode: 500 }, isOpen: true });
  expect(rows[2]).toMatchObject({
    isOpen: false,
    resolution: { kind: "MADE", isFinal: true, action: { operator: "operator", reason: "the bank called" } },
  });
  for (const wrong of ["day=2026-11-20", "row=11", "open=yes", "bank=A"]) {
    expect([wrong, (await environment.control(`/reconciliation?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test("items are listed by their least age, and those that wait for who asks", async () => {
  const hour = 3_600_000;
  const proposedBy = (operator: string, person: string | null) =>
    buildItem({ resolution: buildResolution("made", { isFinal: false, action: buildOperatorAction({ operator, person }) }) });
  const environment = await openEnvironmentWithItems([
    buildItem({ madeAtMs: consoleStartAtMs - 2 * hour }),
    buildItem({ madeAtMs: consoleStartAtMs - hour }),
    proposedBy("operator", null),
    proposedBy("second-person", null),
    proposedBy("another-token", "operator"),
  ]);
  const uetrs = async (query: string) => (await readControlRows(environment, `/reconciliation?${query}`)).map((row) => row["uetr"]);
  expect(await uetrs("minAge=1h")).toEqual([1, 2].map(consoleUetrAt));
  expect(await uetrs("minAge=119m&open=true")).toEqual([consoleUetrAt(1)]);
  expect(await uetrs("minAge=3h")).toEqual([]);
  expect(await uetrs("proposed=true")).toEqual([3, 4, 5].map(consoleUetrAt));
  expect(await uetrs("proposed=mine")).toEqual([consoleUetrAt(4)]);
  for (const wrong of ["minAge=4", "minAge=yesterday", "proposed=yours"]) {
    expect([wrong, (await environment.control(`/reconciliation?${wrong}`)).status]).toEqual([wrong, 400]);
  }
});

test("pages of items end between transactions and contain each item once", async () => {
  const environment = await openConsoleEnvironment();
  const two = [buildItem({ row: 3, cause: "OUTCOME_UNDELIVERED" }), buildItem({ row: 9 })];
  await saveTransactions(
    environment,
    Array.from({ length: 5 }, (_, index) => buildStoredTransaction("RECONCILIATION", index, { items: two })),
  );
  const pages = await readControlPages(environment, `/reconciliation?day=${day}&limit=2`);
  expect(pages.map((page) => page.length)).toEqual([4, 4, 2]);
  expect(new Set(pages.flat().map((row) => `${String(row["uetr"])} ${String(row["row"])}`)).size).toBe(10);
});

test("counts and sums by bank, currency, row and cause are exact over many pages; what was settled before the close is none of them [D9 reconciliation-sums]", async () => {
  const environment = await openEnvironmentWithItems(several);
  await saveTransactions(
    environment,
    Array.from({ length: 1_000 }, (_, index) =>
      buildStoredTransaction("RECONCILIATION", 1_000 + index, {
        bank: "second",
        amountTenThousandths: 1n + BigInt(index) * 10_000n,
        currency: "USD",
        items: [buildItem()],
      }),
    ),
  );
  expect(await readControlRows(environment, `/reconciliation/summary?day=${day}`)).toEqual([
    { bank: "first", currency: "ZAR", row: 0, cause: "WITHDRAWN", count: 1, sum: "1250.50", open: 1, openSum: "1250.50" },
    { bank: "first", currency: "ZAR", row: 8, cause: "BREAKER_OPEN", count: 2, sum: "2501.00", open: 1, openSum: "1250.50" },
    { bank: "first", currency: "ZAR", row: 9, cause: "PDNG", count: 1, sum: "1250.50", open: 1, openSum: "1250.50" },
    { bank: "second", currency: "USD", row: 9, cause: null, count: 1_000, sum: "499500.10", open: 1_000, openSum: "499500.10" },
  ]);
  expect((await environment.control("/reconciliation/summary")).status).toBe(400);
});

test("the CSV has a line for each item, no name, four characters of an account, and nothing that computes [D10 privacy]", async () => {
  const environment = await openEnvironmentWithItems(several);
  const answer = await environment.control(`/reconciliation/export?day=${day}&format=csv`);
  const lines = (await answer.text()).split("\r\n");
  expect(answer.headers.get("content-type")).toMatch(/^text\/csv/);
  expect(lines).toHaveLength(1 + 4 + 1);
  expect(lines[0]).toMatch(/^day,uetr,flow,bank,sender,businessDate,amount,currency,row,cause,/);
  expect(lines[2]).toContain(
    `${day},${consoleUetrAt(2)},on-us,first,first,2026-11-20,1250.50,ZAR,8,BREAKER_OPEN,RELEASED,RECONCILIATION,true,`,
  );
  expect(lines[2]).toContain(`"'=E,2",,,7890,,3,true,true,500,`);
});

test.each(["csv", "iso20022"])(
  "no grouping or script of an account number in an operator's reason leaves in the %s file [D10 privacy]",
  async (format) => {
    const written = ["6200.5551.230", "6200/5551/230", "6200  5551  230", "６２００５５５１２３０", "GB33BUKB20201555555555"];
    const reason = written.join(" or ");
    const environment = await openEnvironmentWithItems([
      buildItem({ resolution: buildResolution("not-made", { action: buildOperatorAction({ reason }) }) }),
    ]);
    const text = await (await environment.control(`/reconciliation/export?day=${day}&format=${format}`)).text();
    for (const number of written) expect(text).not.toContain(number);
    expect(text).toContain("…1230 or …1230 or …1230 or …１２３０ or …5555");
  },
);

test("the evidence of an item is one file with decisions, timeline and places, whose digest anybody can compute again", async () => {
  const reason = "seen on 6200 5551 230";
  const environment = await openEnvironmentWithItems([
    buildItem({ resolution: buildResolution("not-made", { action: buildOperatorAction({ reason }) }) }),
  ]);
  const path = `/transactions/${consoleUetrAt(1)}/evidence`;
  const answer = await environment.settled(environment.control(`${path}?day=${day}`));
  const text = await answer.text();
  const body = controlAnswers.exportItemEvidence.parse(JSON.parse(text));
  expect(body.content).toMatchObject({
    item: { uetr: consoleUetrAt(1), day, resolution: { kind: "NOT_MADE", offset: "15" } },
    journal: { topic: "sluice.journal.v1" },
    timeline: { uetr: consoleUetrAt(1), items: [{ day }] },
  });
  const content = text.slice(text.indexOf('"content":') + '"content":'.length, -2);
  expect(hash("sha256", content)).toBe(body.contentSha256);
  expect(text).not.toContain("5551");
  const statuses = [];
  for (const wrong of [`${path}?day=ZA_EFT:2026-11-19`, `/transactions/${consoleUetrAt(7)}/evidence?day=${day}`, path])
    statuses.push((await environment.settled(environment.control(wrong))).status);
  expect(statuses).toEqual([404, 404, 400]);
});

test("an export of many pages contains every item once, in order", async () => {
  const environment = await openConsoleEnvironment();
  const indexes = Array.from({ length: 1_203 }, (_, index) => index);
  for (const some of [indexes.slice(0, 1_000), indexes.slice(1_000)]) {
    await saveTransactions(
      environment,
      some.map((index) => buildStoredTransaction("RECONCILIATION", index, { items: [buildItem()] })),
    );
  }
  const answer = await environment.control(`/reconciliation/export?day=${day}&format=csv`);
  const lines = (await environment.settled(answer.text())).split("\r\n").slice(1, -1);
  expect(lines.map((line) => line.split(",")[1])).toEqual(indexes.map(consoleUetrAt));
});

test("the JSON export has the same rows as the list", async () => {
  const environment = await openEnvironmentWithItems(several);
  const body = await readControlAnswer(environment, `/reconciliation/export?day=${day}&format=json`);
  const listed = await readControlRows(environment, `/reconciliation?day=${day}`);
  expect(body).toMatchObject({ schema: "ReconciliationExport", day, rows: listed.filter((row) => row["settledAt"] === null) });
});

test("the ISO 20022 export is a pacs.002.001.10: PDNG where nobody knows, ACSC and RJCT where people found out, with the reason [D9 reconciliation-export]", async () => {
  const reason = `<script> & ${"a long reason ".repeat(20)}`;
  const environment = await openEnvironmentWithItems([
    ...several,
    buildItem({ resolution: buildResolution("not-made", { action: buildOperatorAction({ reason }) }) }),
    buildItem({ resolution: buildResolution("replaced", { replacedBy: consoleUetrAt(99) }) }),
  ]);
  const noVersion4 = "7d5fb0b2-61a5-1c2e-9d3c-0d6c5a1b2c3d";
  const detached = buildItem({ cause: "OUTCOME_UNDELIVERED", row: 5, state: "COMPLETED" });
  await saveTransactions(environment, [buildStoredTransaction("COMPLETED", 0, { uetr: noVersion4, flow: "off-us", items: [detached] })]);
  const answer = await environment.control(`/reconciliation/export?day=${day}&format=iso20022`);
  const xml = await answer.text();
  expect([answer.headers.get("content-type"), findPacs002Problems(xml)]).toEqual(["application/xml", []]);
  const root = parseXml(xml);
  const readValues = (name: string) => findXmlElements(root, name).map(({ text }) => text);
  expect(readValues("TxSts")).toEqual(["PDNG", "PDNG", "ACSC", "PDNG", "RJCT", "RJCT", "ACSC"]);
  expect(readValues("OrgnlUETR")).toEqual([1, 2, 3, 4, 7, 8].map(consoleUetrAt));
  expect(readValues("AddtlInf")).toEqual(
    expect.arrayContaining([`UETR ${noVersion4}`, "row 8, BREAKER_OPEN, in RELEASED", "resolved: MADE, by operator"]),
  );
  expect(readValues("AddtlInf").join("")).toContain(reason.trim());
  expect(findXmlElements(root, "IntrBkSttlmAmt")[0]).toMatchObject({ text: "1250.50", attributes: { Ccy: "ZAR" } });
});

test("a day without items is an empty file in each format; another format, or no day, is 400; a store that is away is 503", async () => {
  const environment = await openConsoleEnvironment();
  const texts = [];
  for (const format of ["csv", "json", "iso20022"])
    texts.push(await (await environment.control(`/reconciliation/export?day=${day}&format=${format}`)).text());
  expect(texts.map((text) => text.split("\n").length > 1)).toEqual([true, true, true]);
  expect(findPacs002Problems(texts[2] ?? "")).toEqual([]);
  for (const wrong of [
    `day=${day}&format=pdf`,
    "format=csv",
    ...["__proto__", "constructor", "toString"].map((name) => `day=${day}&format=${name}`),
  ])
    expect((await environment.control(`/reconciliation/export?${wrong}`)).status).toBe(400);
  environment.environment.fault = "down";
  expect((await environment.control(`/reconciliation/export?day=${day}&format=csv`)).status).toBe(503);
});
