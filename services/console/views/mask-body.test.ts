// What of a message is shown, over every body that Sluice sends by the golden files.

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { maskBody } from "./mask-body.ts";

const folder = new URL("../../../packages/contracts/golden/", import.meta.url);
const bodies = readdirSync(folder).map((file) => [file, readFileSync(new URL(file, folder))] as const);
/** Of the golden bodies: names, accounts, streets, free texts and references of people. */
const personal =
  /Mokoena|Karoo|Drakensberg|Loop Street|Cape Town|8001|62005551230|6200555|62001872440|4075554441|KAROOINS|POLICY|Policy|SALARY|Salary|PAYROLL|7f3a|collections|no funds/;

test("there are bodies to look at, and each of them has something that must not be shown", () => {
  expect(bodies.length).toBeGreaterThan(50);
  expect(bodies.filter(([, bytes]) => personal.test(bytes.toString("utf8"))).length).toBeGreaterThan(40);
});

test.each(bodies)("#1 #2 nothing of a person is shown of %s", (_, bytes) => {
  expect(maskBody(bytes) ?? "").not.toMatch(personal);
});

test("identifications, codes, dates and amounts are shown as they are sent, and the end of an account", () => {
  const [, bytes = Buffer.alloc(0)] = bodies.find(([file]) => file === "on-us-inbound-debit-released.json") ?? [];
  const text = maskBody(bytes) ?? "";
  for (const part of ['"value": 1250.50', '"currency": "ZAR"', '"value": "…1230"', '"value": "INSU"', '"settlementDate": "2026-11-20"'])
    expect(text).toContain(part);
  expect(text).toContain('"legalName": "…"');
});

test("#1 a member that nobody knows here is not shown", () => {
  const body = { schema: "DirectDebit", nickname: "Thandi", token: "secret", number: 62005551230, amounts: { other: { value: 5 } } };
  expect(JSON.parse(maskBody(Buffer.from(JSON.stringify(body))) ?? "")).toEqual({
    schema: "DirectDebit",
    nickname: "…",
    token: "…",
    number: "…",
    amounts: { other: { value: "…" } },
  });
});

test("#2 below a person and a free text nothing is shown, whatever its members are called", () => {
  const body = { supplementaryData: { type: "T Mokoena", uetr: "Policy" }, debtor: { type: { value: "Karoo" }, code: 8001 } };
  expect(maskBody(Buffer.from(JSON.stringify(body))) ?? "").not.toMatch(personal);
});

test("what is no JSON is not shown", () => {
  expect(maskBody(Buffer.from("T Mokoena"))).toBeNull();
});
