import { expect, test } from "vitest";
import { listConfigurationChanges } from "./configuration-changes.ts";
import { readConfiguration } from "./file/read-configuration.ts";

const [former, next] = ["a".repeat(64), "b".repeat(64)];

interface Party {
  readonly id: string;
  readonly token: string;
  readonly more?: string;
}

function bank({ id, token, more = "" }: Party, number: number): string {
  return `  - { id: ${id}, name: ${id}, agents: [{ memberId: "${number}" }], tokenSha256: ["${token}"], baseUrl: "https://${id}.example"${more} }\n`;
}

function read(banks: readonly Party[], roles: string, more = "") {
  const operators = `operators:\n  - { id: thandi, name: Thandi, tokenSha256: ["${"c".repeat(64)}"], roles: [${roles}] }\n`;
  const reading = readConfiguration(`banks:\n${banks.map(bank).join("")}${operators}${more}`, { SECRET: "canary-secret" });
  if (!reading.ok) throw new Error(JSON.stringify(reading));
  return reading.configuration;
}

test("a change is named by ids, roles, ids of tokens and names of members, and never in values", () => {
  const before = read(
    [
      { id: "first", token: former },
      { id: "second", token: "d".repeat(64) },
    ],
    "read",
  );
  const after = read(
    [
      { id: "first", token: next, more: ', bearerToken: "${SECRET}"' },
      { id: "third", token: "e".repeat(64) },
    ],
    "read, approve",
    "resolutionNeedsSecondPerson: false\n",
  );
  const changes = listConfigurationChanges(before, after);
  expect(changes).toEqual([
    "operator thandi: roles: person thandi, roles read approve, bank all",
    "bank second: removed",
    "bank first: token-added: bbbbbbbbbbbb",
    "bank first: token-removed: aaaaaaaaaaaa",
    "bank first: members: bearerToken",
    "bank third: added: tokens eeeeeeeeeeee",
    "resolutionNeedsSecondPerson: changed",
  ]);
  expect(changes.join()).not.toMatch(/canary|[a-f]{13}/);
});

test("of a bank's own person the bank is named, before whom it saw all", () => {
  const whole = read([{ id: "first", token: former }], "read");
  const narrowed = { ...whole, operators: whole.operators.map((one) => ({ ...one, bank: "first" })) };
  expect(listConfigurationChanges(whole, narrowed)).toEqual(["operator thandi: bank: person thandi, roles read, bank first"]);
  expect(listConfigurationChanges(narrowed, whole)).toEqual(["operator thandi: bank: person thandi, roles read, bank all"]);
});

test("of an operator of some schemes the schemes are named [D10.133]", () => {
  const whole = read([{ id: "first", token: former }], "read");
  const narrowed = { ...whole, operators: whole.operators.map((one) => ({ ...one, schemes: ["ZA_EFT"] })) };
  expect(listConfigurationChanges(whole, narrowed)).toEqual([
    "operator thandi: schemes: person thandi, roles read, bank all, schemes ZA_EFT",
  ]);
  expect(listConfigurationChanges(narrowed, whole)).toEqual(["operator thandi: schemes: person thandi, roles read, bank all"]);
});

test("a configuration that changes nothing that runs names nothing", () => {
  const same = () => read([{ id: "first", token: former }], "read");
  expect(listConfigurationChanges(same(), same())).toEqual([]);
});
