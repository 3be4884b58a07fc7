// What operators do, with the keyboard alone, in a real browser.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { topics } from "@sluice/contracts";
import { buildConsoleDebit, changeTransaction } from "../../console.fixture.ts";
import { consoleStartAtMs, consoleUetr, day, planOpenDay } from "../../decisions/decisions.fixture.ts";
import {
  applyDayFacts,
  buildParkedMessage,
  buildStoredCredit,
  buildStoredTransaction,
  creditsDeclared,
  markDeclarationApplied,
  partitionAnswered,
  saveDay,
  saveTransactions,
  twoWindowPlan,
  uetrInPartition,
} from "../../queries/stored-data.fixture.ts";
import { openBrowser, openConsoleOnPort, signIn, type ConsoleOnPort } from "./chromium.fixture.ts";
import { idleMaxMs } from "../sessions/sessions.ts";

let browser: Browser;
let console: ConsoleOnPort;
let context: BrowserContext;

beforeAll(async () => {
  browser = await openBrowser();
});
beforeEach(async () => {
  console = await openConsoleOnPort();
  context = await browser.newContext();
  await console.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
});
afterEach(async () => {
  await context.close();
  await console.close();
});
afterAll(async () => await browser.close());

const tabsMax = 80;

/** Presses Tab until an element with this name has the focus; a journey ends where no such element can be reached. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < tabsMax; pressed += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(
      "(document.activeElement.labels?.[0] ?? document.activeElement).textContent.trim() || document.activeElement.name || ''",
    );
    if (name.test(String(focused))) return;
  }
  throw new Error(`nothing named ${String(name)} can be reached with ${tabsMax} tabs`);
}

async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  const loaded = page.waitForEvent("load");
  await page.keyboard.press("Enter");
  await loaded;
}

async function giveReason(page: Page, reason: string): Promise<void> {
  await tabTo(page, /^Reason/);
  await page.keyboard.type(reason);
}

test("an operator sees a closed gate, and declares the credits final, by keyboard alone [D9 browser]", async () => {
  const page = await signIn(context, console);
  await page.getByText("1 debit behind a closed gate").waitFor();
  await press(page, /^ZA_EFT Fri 20 Nov/);
  await press(page, /^Declare credits final/);
  await page.getByText("It cannot be withdrawn").waitFor();
  await page.getByText("1 held debit").waitFor();
  await giveReason(page, "the clearing house called");
  await press(page, /^Declare the credits final$/);
  await page.getByText("applied").waitFor();
  const [record] = console.journal();
  expect(record?.decoded).toMatchObject({
    name: "CreditsFinalRequested",
    value: { action: { operator: "operator", reason: "the clearing house called" } },
  });
});

test("an operator finds a debit by its UETR and withdraws it, by keyboard alone", async () => {
  const page = await signIn(context, console);
  await tabTo(page, /^q$/);
  await page.keyboard.type(consoleUetr);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Waits for: gate" }).waitFor();
  await press(page, /^Withdraw…/);
  await giveReason(page, "the bank sent the wrong file");
  await press(page, /^Withdraw the debit$/);
  await page.getByText("applied").waitFor();
  expect(console.journal().map(({ decoded }) => decoded.name)).toEqual(["WithdrawalRequested"]);
});

test("an operator finds a debit whose report the bank refused, and redrives it, by keyboard alone [D9 browser]", async () => {
  const id = `${consoleUetr.replaceAll("-", "")}A`;
  await using other = await openConsoleOnPort({}, async (environment) => {
    await environment.saveDay(planOpenDay());
    const evidence = {
      attempts: 1,
      anyAnswer: true,
      mayHaveBeenTaken: false,
      httpStatusCode: 422,
      isBreakerOpen: false,
      isReceiverPaused: false,
    };
    const at = { row: 3, cause: null, state: "ACCEPTED", madeAtMs: consoleStartAtMs } as const;
    const item = { ...at, day, evidence, settledAtMs: null, lateAnswers: [], resolution: null, note: null };
    const about = { applied: -1n, bank: "first", businessDate: "2026-11-20", reconciliationDay: day, items: [item] } as const;
    await environment.save(changeTransaction(buildConsoleDebit(["RECEIVED", "ACCEPTED"]), about));
    const names = { messageIdentification: id, uetr: consoleUetr, deliveryKey: consoleUetr, operation: "outboundDirectDebitResponse" };
    const times = { deadlineMs: null, causedByOffset: 1n, madeAtMs: consoleStartAtMs, stopsAtMs: null };
    const value = { ...names, bank: "first", body: new Uint8Array([123, 125]), reconciliationDay: day, ...times };
    await environment.append(topics.dispatch, consoleUetr, { name: "Dispatch", value });
    const parked = { uetr: consoleUetr, deliveryKey: consoleUetr, operation: names.operation, ended: "refused", attempts: 1 } as const;
    await environment.settled(environment.store.deliveries.insert([buildParkedMessage(id, 1n, parked)]));
  });
  const page = await signIn(context, other);
  await press(page, /^1 open item/);
  await press(page, /^6f4b2f0e/);
  await page.getByRole("heading", { name: "Waits for: redrive" }).waitFor();
  await press(page, /^Redrive…/);
  await giveReason(page, "the bank has loaded the branch");
  await press(page, /^Redrive the delivery$/);
  await page.getByText("applied").waitFor();
  expect(other.journal()[0]?.decoded).toMatchObject({ name: "RedriveRequested", value: { messageIdentification: id } });
});

test("one person resolves an item and another confirms exactly that, by keyboard alone [D9 browser]", async () => {
  await console.control(`/transactions/${consoleUetr}/withdrawal`, { body: { reason: "wrong file" }, actionId: "w-1" });
  const page = await signIn(context, console);
  await page.goto(`${console.address}/reconciliation`);
  await press(page, /^Resolve the item/);
  await tabTo(page, /^It was made/);
  await page.keyboard.press("ArrowDown");
  await giveReason(page, "seen on the statement");
  await press(page, /^Propose: resolve the item$/);
  await page.getByText("waits for a second person").waitFor();
  await using other = await browser.newContext();
  const second = await signIn(other, console, "second-person");
  await second.goto(`${console.address}/reconciliation`);
  await press(second, /^Confirm the item/);
  await second.getByText("not made: no money moved").waitFor();
  await giveReason(second, "seen too");
  await press(second, /^Confirm the resolution$/);
  await second.getByText("applied").waitFor();
  expect(console.journal().at(-1)?.decoded).toMatchObject({
    name: "ItemResolutionConfirmed",
    value: { action: { operator: "second-person" } },
  });
});

test("an operator opens a gate over a credit that the page names, by keyboard alone [D9 browser]", async () => {
  const credit = uetrInPartition(0, 0);
  await using other = await openConsoleOnPort({}, async (environment) => {
    const answered = [partitionAnswered(0, ["first"]), partitionAnswered(1), partitionAnswered(2)];
    await saveDay(environment, applyDayFacts([twoWindowPlan, creditsDeclared, ...answered], consoleStartAtMs - 60_000));
    await markDeclarationApplied(environment, 100n);
    await saveTransactions(environment, [buildStoredCredit("CREDIT_AUTH_DELIVERED", credit, 10n)]);
  });
  const page = await signIn(context, other);
  await press(page, /^Open the gate of first/);
  await page.getByText("you take responsibility").waitFor();
  await page.getByTitle(credit).waitFor();
  await giveReason(page, "the bank accepts that it is late");
  await press(page, /^Open the gate$/);
  await page.getByText("The decision is in the journal.").waitFor();
  const [record] = other.journal();
  expect(record?.decoded).toMatchObject({ name: "GateOpeningRequested", value: { bank: "first", credits: [credit] } });
});

test("an operator withdraws all that a search finds, and sees what became of each without a click [D9 several]", async () => {
  const page = await signIn(context, console);
  await page.goto(`${console.address}/search?state=HELD`);
  await press(page, /^Withdraw all that match…/);
  await giveReason(page, "the wrong file");
  await press(page, /^Withdraw the chosen debits$/);
  await page.getByText("1 of 1 applied").waitFor({ timeout: 3_500 });
  expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^(Decided|Being decided)$/);
});

test("10,000 held debits: every page has a bounded number of rows, says how many there are, and is there within 2 s", async () => {
  await using other = await openConsoleOnPort({}, async (environment) => {
    await environment.saveDay(planOpenDay());
    const about = { applied: -1n, bank: "first", businessDate: "2026-11-20", reconciliationDay: day } as const;
    for (let from = 0; from < 10_000; from += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, index) => buildStoredTransaction("HELD", from + index, about));
      await saveTransactions(environment, some);
    }
  });
  const page = await signIn(context, other);
  for (const path of ["/", "/search?state=HELD&counts=yes", "/banks/first", `/days/${day}`]) {
    const startedMs = performance.now();
    await page.goto(`${other.address}${path}`);
    expect([path, performance.now() - startedMs < 2_000]).toEqual([path, true]);
    await page.getByText("10,000").first().waitFor({ timeout: 5_000 });
    expect([path, (await page.getByRole("row").count()) < 120]).toEqual([path, true]);
  }
  await page.goto(`${other.address}/search?state=HELD&sort=uetr`);
  const first = await page.getByRole("row").nth(1).textContent();
  await press(page, /^Next page$/);
  expect(await page.getByRole("row").nth(1).textContent()).not.toBe(first);
  await page.goto(`${other.address}/decide/withdrawDebits?state=HELD`);
  await page.getByText("500 debits, the first; more match").waitFor();
});

test("a change is on the page within two seconds, and not under the reader's hands", async () => {
  const page = await signIn(context, console);
  await page.goto(`${console.address}/banks/second`);
  await page.getByText("active").first().waitFor();
  await console.inTurn(() => console.control("/banks/second/pause", { body: { reason: "maintenance" }, actionId: "p-1" }));
  await page.getByText("paused").first().waitFor({ timeout: 3_500 });
  await page.getByRole("link", { name: "Resume…" }).focus();
  await console.inTurn(() => console.control("/banks/second/resume", { body: { reason: "back" }, actionId: "r-1" }));
  const before = await page.locator("#clock").textContent();
  await expect.poll(() => page.locator("#clock").textContent()).not.toBe(before);
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Resume…");
});

test("a session that has ended says so on a live page, and leads back after the sign-in", async () => {
  const page = await signIn(context, console);
  await console.inTurn(() => console.time.advance(idleMaxMs));
  await page.getByText("Your session has ended.").waitFor({ timeout: 5_000 });
  await page.goto(`${console.address}/days`);
  expect(new URL(page.url()).pathname).toBe("/sign-in");
});

test("a page whose console is gone says that its numbers may be old", async () => {
  const page = await signIn(context, console);
  await context.setOffline(true);
  await page.getByText("No connection to the console.").waitFor({ timeout: 8_000 });
  await context.setOffline(false);
  await page.getByText("No connection to the console.").waitFor({ state: "hidden", timeout: 8_000 });
  expect(await page.getByRole("heading", { level: 1, name: "Now" }).isVisible()).toBe(true);
});
