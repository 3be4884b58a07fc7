import { expect, test } from "vitest";
import { takeAway } from "../revocations.ts";
import { formatProblems } from "./problem.ts";
import { readConfiguration } from "./read-configuration.ts";

const issuer = "https://login.example";
const usual = { issuer, audience: "https://sluice.example", jwksUrl: `${issuer}/jwks` };
const own = [{ issuer, clientId: "own" }];

function tree(tokenIssuers: readonly object[], clients: readonly object[] = own, more: object = {}) {
  const bank = { id: "first", name: "First", agents: [{ memberId: "1" }], baseUrl: "https://first.example", clients, ...more };
  return { tokenIssuers, banks: [bank] };
}

function read(...given: Parameters<typeof tree>) {
  return readConfiguration(JSON.stringify(tree(...given)), {});
}

test("a caller needs no token of its own where it has a client of an issuer [D10.89]", () => {
  const reading = read([usual]);
  const keys = { kind: "url", url: `${issuer}/jwks`, caFile: null };
  expect(reading).toMatchObject({ ok: true, configuration: { banks: [{ clients: own, tokens: [] }], tokenIssuers: [{ issuer, keys }] } });
});

test.each([
  ["no keys", [{ ...usual, jwksUrl: null }], own, "tokenIssuers[0]: needs either a jwksUrl or a jwksFile"],
  ["two sources of keys", [{ ...usual, jwksFile: "keys" }], own, "tokenIssuers[0]: needs either a jwksUrl or a jwksFile"],
  ["keys in clear", [{ ...usual, jwksUrl: "http://login.example/" }], own, "tokenIssuers[0].jwksUrl: must be https"],
  ["an algorithm with a shared secret", [{ ...usual, algorithms: ["HS256"] }], own, "tokenIssuers[0].algorithms[0]"],
  ["the same issuer twice", [usual, usual], own, "tokenIssuers[1].issuer: another one has this issuer"],
  ["a client of no issuer", [], own, "banks[0].clients[0].issuer: none of tokenIssuers"],
  ["a client twice", [usual], [...own, ...own], "banks[0].clients[1]: the same client twice"],
  ["neither token nor client", [usual], [], "banks[0].tokens: at least one"],
])("a file with %s is refused", (_, issuers, clients, problem) => {
  const reading = read(issuers, clients);
  expect(reading.ok ? "" : formatProblems(reading.problems).join("\n")).toContain(problem);
});

test("a refused file takes clients and issuers away, and adds none [D10.27]", () => {
  const other = { issuer, clientId: "other" };
  const reading = read([usual], [...own, other]);
  if (!reading.ok) throw new Error("refused");
  const { configuration } = reading;
  const left = (...given: Parameters<typeof tree>) => {
    const { banks, tokenIssuers } = takeAway(tree(...given), configuration);
    return [banks[0]?.clients.map(({ clientId }) => clientId), tokenIssuers.length];
  };
  expect(left([usual], [other, { issuer, clientId: "new" }])).toEqual([["other"], 1]);
  expect(left([], own)).toEqual([["own"], 0]);
  expect(takeAway({ banks: [{ id: "second" }] }, configuration).banks[0]?.clients).toEqual([]);
  expect(takeAway(undefined, configuration)).toMatchObject({ banks: [configuration.banks[0]], tokenIssuers: [{ issuer }] });
});
