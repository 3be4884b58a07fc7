import { expect, test } from "vitest";
import type { Proposal } from "./proposal.ts";
import { hasRoom, openCharactersOfPersonMax } from "./proposal-room.ts";

const lifetimeMs = 1_000;

function buildProposal(operator: string, characters: number, over: Partial<Proposal> = {}): Proposal {
  return {
    action: { id: "a", operator, person: operator, reason: "r", requestedAtMs: 0, confirmedBy: null },
    operation: "openGate",
    path: "/p",
    body: "x".repeat(characters),
    offset: 0n,
    contentSha256: "",
    proposedAtMs: 0,
    expiresAtMs: lifetimeMs,
    end: null,
    ...over,
  };
}

test("I15: what one person has open is bounded in characters, and leaves room for others", () => {
  const half = openCharactersOfPersonMax / 2;
  const open = [buildProposal("thandi", half), buildProposal("thandi", half - 10)];
  expect(hasRoom(open, buildProposal("thandi", 10), 0)).toBe(true);
  expect(hasRoom(open, buildProposal("thandi", 11), 0)).toBe(false);
  expect(hasRoom(open, buildProposal("sipho", half), 0)).toBe(true);
});

test("I15: what a person retracts takes that person's room until it would have expired, and nobody else's", () => {
  const large = buildProposal("thandi", openCharactersOfPersonMax);
  const retracted: Proposal = { ...large, end: { kind: "retracted", action: large.action, atMs: 0 } };
  expect([hasRoom([retracted], large, lifetimeMs - 1), hasRoom([retracted], large, lifetimeMs)]).toEqual([false, true]);
  expect(hasRoom([retracted], buildProposal("sipho", openCharactersOfPersonMax), 0)).toBe(true);
});

test("what another person ended, or what has expired, takes no room", () => {
  const large = buildProposal("thandi", openCharactersOfPersonMax);
  const by = { ...large.action, operator: "sipho", person: "sipho" };
  for (const kind of ["confirmed", "rejected"] as const) {
    expect(hasRoom([{ ...large, end: { kind, action: by, atMs: 0 } }], large, 0)).toBe(true);
  }
  expect([hasRoom([large], large, lifetimeMs - 1), hasRoom([large], large, lifetimeMs)]).toEqual([false, true]);
});
