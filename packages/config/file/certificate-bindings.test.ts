import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { takeAway } from "../revocations.ts";
import { listConfigurationChanges } from "../configuration-changes.ts";
import { listOperatorChanges } from "../operator-changes.ts";
import { readConfiguration } from "./read-configuration.ts";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const withColons = (hex: string): string => hex.toUpperCase().replaceAll(/(..)(?=.)/g, "$1:");
const [leaf, other, authority] = ["leaf", "other", "authority"].map(hash);

/** A bank and an operator, each with these `certificates`; null: the member is left out. */
function fileText(ofBank: string | null, ofOperator: string | null = null): string {
  const member = (text: string | null): string => (text === null ? "" : `, certificates: ${text}`);
  return `banks:
  - { id: first, name: First, agents: [{ memberId: "1" }], tokenSha256: ["${hash("first")}"], baseUrl: "https://first.example"${member(ofBank)} }
operators:
  - { id: thandi, name: Thandi, roles: [read], tokenSha256: ["${hash("thandi")}"]${member(ofOperator)} }
`;
}

function read(text: string) {
  const reading = readConfiguration(text, {});
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.configuration;
}

function findProblems(text: string): readonly string[] {
  const reading = readConfiguration(text, {});
  return reading.ok ? [] : reading.problems.map((problem) => `${problem.path}: ${problem.text}`);
}

test("a caller is bound to certificates by their hashes, or by names of an authority; by default to none [D10.88]", () => {
  const uri = "spiffe://sluice/bank/first";
  const given = `[{ sha256: "${withColons(leaf!)}" }, { uri: "${uri}", authoritySha256: "${authority}" }, { dns: Client.Bank.example, authoritySha256: "${authority}" }]`;
  const { banks, operators } = read(fileText(given));
  expect([banks[0]?.certificates, operators[0]?.certificates]).toEqual([
    [
      { kind: "sha256", sha256: leaf },
      { kind: "uri", name: uri, authoritySha256: authority },
      { kind: "dns", name: "client.bank.example", authoritySha256: authority },
    ],
    null,
  ]);
  expect(read(fileText(null, `[{ sha256: ${leaf} }]`)).operators[0]?.certificates).toEqual([{ kind: "sha256", sha256: leaf }]);
});

const form = "either sha256, or uri or dns together with authoritySha256";
test.each<[string, string]>([
  ["[]", "banks[0].certificates: at least one"],
  ["[{}]", `banks[0].certificates[0]: ${form}`],
  [`[{ uri: "spiffe://a/b" }]`, `banks[0].certificates[0]: ${form}`],
  [`[{ authoritySha256: ${authority} }]`, `banks[0].certificates[0]: ${form}`],
  [`[{ sha256: ${leaf}, authoritySha256: ${authority} }]`, `banks[0].certificates[0]: ${form}`],
  [`[{ uri: "spiffe://a/b", dns: a.example, authoritySha256: ${authority} }]`, `banks[0].certificates[0]: ${form}`],
  [
    `[{ dns: "*.example", authoritySha256: ${authority} }]`,
    "banks[0].certificates[0].dns: a name without a wildcard, such as client.bank.example",
  ],
  [`[{ uri: first, authoritySha256: ${authority} }]`, "banks[0].certificates[0].uri: a URI, such as spiffe://example/bank"],
  [`[{ sha256: abc }]`, "banks[0].certificates[0].sha256: SHA-256 of the certificate, 64 hex digits with or without colons"],
  [`[{ sha256: ${leaf} }, { sha256: "${withColons(leaf!)}" }]`, "banks[0].certificates[1]: the same certificate twice"],
])("%s is refused", (given, problem) => {
  expect(findProblems(fileText(given))).toEqual([problem]);
});

test("two callers have no certificate together", () => {
  expect(findProblems(fileText(`[{ sha256: ${leaf} }]`, `[{ sha256: ${leaf} }]`))).toEqual([
    "operators[0].certificates[0]: the same certificate twice",
  ]);
});

test("a refused file takes certificates away and adds none; a bound caller stays bound when none is left [D10.27] [D10.88]", () => {
  const running = read(fileText(`[{ sha256: ${leaf} }, { sha256: ${other} }]`));
  const left = (given: string | null) =>
    takeAway({ banks: [{ id: "first", certificates: given === null ? undefined : JSON.parse(given) }] }, running);
  const other1 = { kind: "sha256", sha256: other };
  expect(left(JSON.stringify([{ sha256: other }, { sha256: authority }])).banks[0]?.certificates).toEqual([other1]);
  expect(left(JSON.stringify([{ sha256: authority }])).banks[0]?.certificates).toEqual([]);
  for (const unreadable of [null, "null", `[{ "sha256": 1 }]`]) expect(left(unreadable).banks[0]).toBe(running.banks[0]);
  const unbound = read(fileText(null));
  expect(takeAway({ banks: [{ id: "first", certificates: [{ sha256: leaf }] }] }, unbound).banks[0]).toBe(unbound.banks[0]);
});

test("another binding leaves a trace, of an operator and of a bank [D9 operators] [D10.60]", () => {
  const [before, after] = [fileText(null), fileText(`[{ sha256: ${leaf} }]`, `[{ sha256: ${other} }]`)].map(read);
  expect(listOperatorChanges(before!.operators, after!.operators)).toMatchObject([{ change: "certificates", operator: "thandi" }]);
  expect(listConfigurationChanges(before!, after!)).toEqual([
    "operator thandi: certificates: person thandi, roles read, bank all",
    "bank first: members: certificates",
  ]);
});
