// Plays every row of the test data in one sandbox, over a whole day, and holds docs/sandbox.md against the data.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { accountCases, amountCases } from "./cases.ts";
import { openSandbox } from "./sandbox.fixture.ts";

const hourMs = 3_600_000;
const rejected = "REJECTION_REPORTED";
const page = readFileSync(new URL("../../docs/sandbox.md", import.meta.url), "utf8");

test("every amount and every account of the test data ends as its row says [D10.68]", async () => {
  await using sandbox = await openSandbox();
  const debits = [...amountCases, ...accountCases.map((one) => ({ ...one, name: `account-${one.name}` }))];
  const sent = [];
  for (const { name, ends } of debits) sent.push({ name, ends, uetr: await sandbox.trigger(name) });
  for (const { uetr, ends } of sent) await sandbox.until(uetr, ends === rejected ? rejected : "HELD");
  await sandbox.clock("open-window");
  for (const { uetr, ends } of sent) if (ends !== rejected) await sandbox.until(uetr, "RELEASED");
  await sandbox.advance(3 * hourMs);
  for (const { uetr, ends } of sent) if (ends !== "RECONCILIATION") await sandbox.until(uetr, ends);
  await sandbox.advance(7 * hourMs);
  const ends = [];
  for (const { name, uetr, ends: state } of sent) {
    await sandbox.until(uetr, state);
    ends.push({ name, ends: (await sandbox.states(uetr)).at(-1) });
  }
  expect(ends).toEqual(debits.map(({ name, ends: state }) => ({ name, ends: state })));
  const contradicting = sent.find(({ name }) => name === "contradicting")?.uetr ?? "";
  expect(JSON.stringify(await sandbox.transaction(contradicting))).toContain("contradicting");
}, 300_000);

test("a debit and a credit from the clearing house reach the bank", async () => {
  await using sandbox = await openSandbox();
  const [debit, credit] = [await sandbox.trigger("off-us-debit"), await sandbox.trigger("credit")];
  await sandbox.until(credit, "CREDIT_AUTH_RESPONSE_ACCEPTED");
  await sandbox.until(debit, "HELD");
  await sandbox.clock("open-window");
  await sandbox.until(debit, "COMPLETED");
  const { posts } = await sandbox.ask("/sandbox/posts?wait=no");
  expect(JSON.stringify(posts)).toContain('"path":"/inbound/credit-transfer-authorisation"');
  expect(JSON.stringify(posts)).toContain('"path":"/inbound/direct-debit"');
}, 300_000);

test.each(amountCases)("docs/sandbox.md has the row of $amount", ({ amount, does, ends }) => {
  expect(page).toContain(`| ${amount} | ${does} | ${ends} |`);
});

test.each(accountCases)("docs/sandbox.md has the row of the account that $name names", ({ account, branch, type, does, ends }) => {
  expect(page).toContain(`| ${account} | ${branch} | ${type} | ${does} | ${ends} |`);
});
