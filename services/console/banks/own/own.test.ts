// Tests of what a bank's own person may see.

import { controlOperations, type ControlOperation } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { sampleBank, sampleHeldToken, sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { buildConsoleDebit, changeTransaction, consoleStartAtMs, consoleUetr, readJsonObject } from "../../console.fixture.ts";
import { openDecisionEnvironment, planOpenDay } from "../../decisions/decisions.fixture.ts";
import { buildParkedMessage, readControlAnswer } from "../../queries/stored-data.fixture.ts";
import { openReader } from "../../web/browser.fixture.ts";

const operators = [sampleOperator(), sampleOperator({ id: "first-person", roles: ["read"], bank: "first" })];

/** A debit of first to second that second has not taken, in a day that is planned. */
async function openWithDebit() {
  const environment = await openDecisionEnvironment({ operators });
  await environment.saveDay(planOpenDay());
  const at = { bank: "second", businessDate: "2026-11-20", reconciliationDay: "ZA_EFT:2026-11-20", applied: -1n };
  await environment.save(changeTransaction(buildConsoleDebit(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]), at));
  const attempt = { atMs: consoleStartAtMs, class: "refused", httpStatusCode: 422, answer: "no", tookMs: 9, address: "https://x" } as const;
  await environment.settled(
    environment.store.deliveries.insert([
      buildParkedMessage("M-FIRST", 1n, { uetr: consoleUetr, receiverId: "first", attempts: 1, recentAttempts: [attempt] }),
      buildParkedMessage("M-SECOND", 2n, { uetr: consoleUetr, receiverId: "second" }),
    ]),
  );
  await environment.time.advance(5_000);
  return environment;
}

const asFirst = { operator: "first-person" } as const;

const foreign = controlOperations.filter((operation: ControlOperation) => operation.forBank !== true);

test.each(foreign)("an operator of one bank is refused $method $path [D9 bank-view]", async ({ path, method }) => {
  const environment = await openDecisionEnvironment({ operators });
  const parts: Readonly<Record<string, string>> = {
    uetr: consoleUetr,
    scheme: "ZA_EFT",
    date: "2026-11-20",
    bank: "first",
    action: "w-1",
    month: "2026-09",
    letter: "0:0",
    topic: "sluice.journal.v1",
  };
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? "");
  const answer = await environment.control(address, { ...asFirst, ...(method === "POST" ? { body: { reason: "x" } } : {}) });
  expect(answer.status).toBe(403);
});

test.each(["/own", "/transactions", "/deliveries", `/transactions/${consoleUetr}`])(
  "another bank's %s is 403, whether there is such a bank or not [D9 bank-view]",
  async (below) => {
    const environment = await openWithDebit();
    const answers = [];
    for (const bank of ["second", "nobody"]) {
      const answer = await environment.control(`/banks/${bank}${below}`, asFirst);
      answers.push([answer.status, await readJsonObject(answer)]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.[0]).toBe(403);
  },
);

test("a bank's own person sees its transactions, deliveries and day, and no other bank in them [D9 bank-view]", async () => {
  const environment = await openWithDebit();
  const me = controlAnswers.showMe.parse(await readJsonObject(await environment.control("/me", asFirst)));
  expect([me.bank, me.roles]).toEqual(["first", ["read"]]);
  const read = async (path: string) => await readJsonObject(await environment.control(path, asFirst));
  const own = controlAnswers.showOwnBank.parse(await read("/banks/first/own"));
  expect(own).toMatchObject({
    bank: "first",
    state: "active",
    waiting: { deliveries: { waiting: 1 } },
    days: [{ day: "ZA_EFT:2026-11-20", isGateOpen: false }],
    sent: [{ state: "HELD", count: 1, currency: "ZAR", sum: "1250.50" }],
    received: [],
  });
  const sent = controlAnswers.listOwnTransactions.parse(await read("/banks/first/transactions"));
  expect(sent.rows).toMatchObject([{ uetr: consoleUetr, sides: ["sent"], state: "HELD", amount: "1250.50" }]);
  const received = controlAnswers.listOwnTransactions.parse(await read("/banks/first/transactions?side=received"));
  expect(received.rows).toEqual([]);
  const deliveries = controlAnswers.listOwnDeliveries.parse(await read("/banks/first/deliveries"));
  expect(deliveries.rows).toMatchObject([{ messageIdentification: "M-FIRST", recentAttempts: [{ httpStatusCode: 422 }] }]);
  const one = controlAnswers.showOwnTransaction.parse(await read(`/banks/first/transactions/${consoleUetr}`));
  expect(one.states.map(({ state }) => state)).toEqual(["RECEIVED", "ACCEPTED", "REPORTED", "HELD"]);
  expect(JSON.stringify([own, sent, received, deliveries, one])).not.toMatch(/\bsecond\b|thandi/i);
});

test("a bank's own person sees what the bank may come with, by ids and ends [D9 bank-view]", async () => {
  const held = (id: string, notAfterMs: number | null) => ({ ...sampleHeldToken(id), id, notAfterMs });
  const first = sampleBank({
    id: "first",
    tokens: [held("old", consoleStartAtMs - 1), held("new", null)],
    certificates: [{ kind: "uri", name: "spiffe://bank/first", authoritySha256: "ab" }],
    clients: [{ issuer: "https://login.example", clientId: "first" }],
  });
  const environment = await openDecisionEnvironment({ operators, banks: [first, sampleBank({ id: "second", branch: "250656" })] });
  const own = controlAnswers.showOwnBank.parse(await readJsonObject(await environment.control("/banks/first/own", asFirst)));
  expect(own.keys).toEqual([
    { kind: "token", id: "old", ends: new Date(consoleStartAtMs - 1).toISOString(), hasEnded: true },
    { kind: "token", id: "new", ends: null, hasEnded: false },
    { kind: "certificate", id: "uri spiffe://bank/first of ab", ends: null, hasEnded: false },
    { kind: "client", id: "first of https://login.example", ends: null, hasEnded: false },
  ]);
});

test("a transaction of others is not known to a bank, and an operator of Sluice sees what any bank sees [D9 bank-view]", async () => {
  const environment = await openDecisionEnvironment({ operators });
  const at = {
    bank: "second",
    businessDate: "2026-11-20",
    message: { sender: "second", messageIdentification: "M", contentHash: "c", substanceHash: "s" },
  };
  await environment.save(changeTransaction(buildConsoleDebit(["RECEIVED", "ACCEPTED"]), at));
  await environment.schedulerReaches(1_000n);
  const refused = await environment.control(`/banks/first/transactions/${consoleUetr}`, asFirst);
  expect([refused.status, (await readJsonObject(refused))["detail"]]).toEqual([404, "Nothing is known of this UETR."]);
  const shown = await readControlAnswer(environment, `/banks/second/transactions/${consoleUetr}`);
  expect(shown).toMatchObject({ sides: ["sent", "received"] });
});

test("the paged list of a bank's transactions goes on where it ended, and says what a parameter must be", async () => {
  const environment = await openWithDebit();
  const first = await readControlAnswer(environment, "/banks/first/transactions?limit=1");
  expect(first).toMatchObject({ rows: [{ uetr: consoleUetr }], next: null });
  for (const query of ["side=both", "state=NONE", "after=x"]) {
    expect((await environment.control(`/banks/first/transactions?${query}`, asFirst)).status).toBe(400);
  }
  expect((await environment.control("/banks/first/transactions?bank=second", asFirst)).status).toBe(400);
});

test("pages: a bank's own person is led to its page and to no other [D9 bank-view]", async () => {
  const environment = await openWithDebit();
  const reader = openReader(environment);
  await reader.signIn("first-person");
  const door = await reader.ask("/");
  expect([door.status, door.headers.get("location")]).toEqual([303, "/own/first"]);
  const { text } = await reader.ask("/own/first");
  for (const words of ["Transactions that it sent", "Not acknowledged", "Days that are near", `/own/first/transactions/${consoleUetr}`])
    expect(text).toContain(words);
  expect(text).not.toMatch(/second|href="\/banks|href="\/search/);
  expect((await reader.ask(`/own/first/transactions/${consoleUetr}`)).text).toContain("REPORTED");
  for (const path of [
    "/own/second",
    "/banks",
    "/banks/first",
    "/search?state=HELD",
    `/transactions/${consoleUetr}`,
    "/files/transactions?state=HELD",
  ])
    expect([path, (await reader.ask(path)).status]).toEqual([path, 403]);
});
