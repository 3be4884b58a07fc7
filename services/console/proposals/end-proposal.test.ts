// D9 second-person: what another person rejects, or the person who proposed it retracts, never takes effect.

import { decisionProposedSchema } from "@sluice/contracts/control-answers";
import { sleep } from "@sluice/kernel";
import { sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import {
  appendEnd,
  confirm,
  end,
  endReason,
  lifetimeMs,
  list,
  openProposalEnvironment,
  path,
  propose,
  reason,
  type ProposalEnvironment,
} from "./proposals.fixture.ts";
import { openOfPersonMax } from "./proposal-room.ts";
import { readJsonObject } from "../console.fixture.ts";
import { isEndedBy, judgeEnd, type EndKind, type GivenEnd, type Proposal } from "./proposal.ts";

test("what another person rejects is never confirmed, and the list shows who rejected it and why [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  const rejected = await end(environment, "rejection", proposal, "second-person", "r-1");
  expect(rejected).toMatchObject({ status: 202, schema: "ProposalEnded", id: "final-1", state: "rejected" });
  expect(await confirm(environment, proposal, "third-person")).toMatchObject({
    status: 409,
    detail: expect.stringContaining("already-rejected"),
  });
  expect(environment.journal()).toEqual([]);
  const by = { id: "r-1", operator: "second-person", person: "second-person", reason: endReason };
  expect((await list(environment)).rows).toMatchObject([
    { id: "final-1", state: "rejected", rejected: by, confirmed: null, retracted: null },
  ]);
});

test("the person who proposed it retracts it with whichever token, and it is never confirmed [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  const retracted = await end(environment, "retraction", proposal, "other-token", "t-1");
  expect(retracted).toMatchObject({ status: 202, schema: "ProposalEnded", state: "retracted", retracted: { person: "operator" } });
  expect(await confirm(environment, proposal)).toMatchObject({ status: 409, detail: expect.stringContaining("already-retracted") });
  expect([environment.journal(), (await list(environment)).rows[0]?.state]).toEqual([[], "retracted"]);
});

test("I15: who proposes and retracts again and again pushes out nobody's proposal, and is refused", async () => {
  const environment = await openProposalEnvironment();
  const waits = decisionProposedSchema.parse(
    await (await environment.control(path, { body: { reason }, actionId: "of-third", operator: "third-person" })).json(),
  );
  for (let number = 0; number < openOfPersonMax; number += 1) {
    const proposal = await propose(environment, `final-${number}`);
    expect(await end(environment, "retraction", proposal, "other-token", `t-${number}`)).toMatchObject({ status: 202 });
    await environment.time.advance(25);
  }
  const refused = await readJsonObject(await environment.control(path, { body: { reason }, actionId: "one-more" }));
  expect(refused["detail"]).toContain("too-many-proposals");
  expect(await confirm(environment, waits)).toMatchObject({ status: 202, action: "of-third" });
  await environment.time.advance(lifetimeMs);
  expect((await propose(environment, "later")).id).toBe("later");
});

test("nobody rejects a proposal of their own, and nobody retracts another person's [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  for (const operator of ["operator", "other-token"]) {
    const own = await end(environment, "rejection", proposal, operator, `r-${operator}`);
    expect(own).toMatchObject({ status: 409, detail: expect.stringContaining("same-person") });
  }
  const other = await end(environment, "retraction", proposal, "third-person", "t-1");
  expect(other).toMatchObject({ status: 409, detail: expect.stringContaining("other-person") });
  expect(await confirm(environment, proposal)).toMatchObject({ status: 202, action: "final-1" });
});

test("a rejection needs the role approve, a retraction the role act, and both a token [D9 rejection]", async () => {
  const environment = await openProposalEnvironment(undefined, [sampleOperator({ id: "clerk", roles: ["read", "act"] })]);
  const proposal = await propose(environment);
  expect(await end(environment, "rejection", proposal, "clerk", "r-1")).toMatchObject({ status: 403 });
  expect(await end(environment, "retraction", proposal, "second-person", "t-1")).toMatchObject({ status: 403 });
  expect(await end(environment, "rejection", proposal, "nobody", "r-2")).toMatchObject({ status: 401 });
  expect((await list(environment)).rows[0]?.state).toBe("proposed");
});

test("a rejection names what was seen: another offset or another hash rejects nothing [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  const other = await propose(environment, "final-2", { reason, bank: "first" });
  for (const wrong of [{ offset: other.offset }, { contentSha256: other.contentSha256 }]) {
    const refused = await end(environment, "rejection", { ...proposal, ...wrong }, "second-person", "r-1");
    expect(refused).toMatchObject({ status: 409, detail: expect.stringContaining("nothing-to-confirm") });
  }
  expect((await end(environment, "rejection", { ...proposal, id: "final-9" }, "second-person", "r-1")).status).toBe(404);
  expect((await list(environment)).rows.map(({ state }) => state)).toEqual(["proposed", "proposed"]);
});

test.each([
  ["DecisionRejected", "third-person", "rejected"],
  ["DecisionRetracted", "operator", "retracted"],
] as const)(
  "of %s and a confirmation behind it in the log the first one counts, from any console [D9 rejection]",
  async (name, by, state) => {
    const environment = await openProposalEnvironment();
    const proposal = await propose(environment);
    await appendEnd(environment, name, proposal, by);
    await appendEnd(environment, "DecisionConfirmed", proposal, "second-person");
    expect((await list(environment)).rows).toMatchObject([{ state, confirmed: null }]);
    const other = await propose(environment, "final-2", { reason, bank: "second" });
    await appendEnd(environment, "DecisionConfirmed", other, "third-person");
    await appendEnd(environment, name, other, by === "operator" ? "operator" : "second-person");
    expect((await list(environment)).rows[0]).toMatchObject({ id: "final-2", state: "confirmed", rejected: null, retracted: null });
  },
);

test("of a confirmation and a rejection that race to the log the first one counts, and the other is refused [D9 rejection]", async () => {
  const outcomes = new Set<string>();
  for (let aheadMs = -9; aheadMs <= 9; aheadMs += 3) {
    const environment = await openProposalEnvironment();
    const proposal = await propose(environment);
    const [confirmed, rejected] = await Promise.all([
      later(environment, Math.max(0, -aheadMs), () => confirm(environment, proposal)),
      later(environment, Math.max(0, aheadMs), () => end(environment, "rejection", proposal, "third-person", "r-1")),
    ]);
    const [, first, second = null] = environment.proposals().map(({ name }) => name);
    const isConfirmed = first === "DecisionConfirmed";
    expect([confirmed.status, rejected.status]).toEqual(isConfirmed ? [202, 409] : [409, 202]);
    expect(environment.journal()).toHaveLength(isConfirmed ? 1 : 0);
    expect((await list(environment)).rows[0]?.state).toBe(isConfirmed ? "confirmed" : "rejected");
    outcomes.add(`${first} ${second === null ? "alone" : "before the other"}`);
  }
  expect([...outcomes]).toEqual(expect.arrayContaining(["DecisionConfirmed before the other", "DecisionRejected before the other"]));
});

async function later<T>({ time, settled }: ProposalEnvironment, delayMs: number, work: () => Promise<T>): Promise<T> {
  if (delayMs > 0) await settled(sleep(time, delayMs));
  return await work();
}

test("a rejection that is sent again under its id is the same one, and its id rejects nothing else [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  const other = await propose(environment, "final-2", { reason, bank: "first" });
  const first = await end(environment, "rejection", proposal, "second-person", "r-1");
  expect(await end(environment, "rejection", proposal, "second-person", "r-1")).toEqual(first);
  const used = await end(environment, "rejection", other, "second-person", "r-1");
  expect(used).toMatchObject({ status: 409, detail: expect.stringContaining("id-used") });
  expect(await confirm(environment, other, "second-person", "r-1")).toMatchObject({
    status: 409,
    detail: expect.stringContaining("id-used"),
  });
  expect(environment.proposals().filter(({ name }) => name === "DecisionRejected")).toHaveLength(1);
});

test("an expired proposal can neither be rejected nor retracted [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  await environment.time.advance(lifetimeMs + 1_000);
  for (const [address, operator] of [
    ["rejection", "second-person"],
    ["retraction", "operator"],
  ] as const) {
    const late = await end(environment, address, proposal, operator, `late-${address}`);
    expect(late).toMatchObject({ status: 409, detail: expect.stringContaining("proposal-expired") });
  }
});

test("a rejected decision sent again under its id stays rejected, and is proposed again under a new id [D9 rejection]", async () => {
  const environment = await openProposalEnvironment();
  await end(environment, "rejection", await propose(environment), "second-person", "r-1");
  const again = decisionProposedSchema.parse(await (await environment.control(path, { body: { reason }, actionId: "final-1" })).json());
  expect(again.state).toBe("rejected");
  const second = await propose(environment, "final-2");
  expect(await confirm(environment, second)).toMatchObject({ status: 202, action: "final-2" });
  expect(environment.journal().map(({ decoded }) => decoded.name)).toEqual(["CreditsFinalRequested"]);
});

test("while the log is away a rejection is 503, and sent again under its id it counts once", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  environment.messaging.setBroker(false);
  expect((await end(environment, "rejection", proposal, "second-person", "r-1")).status).toBe(503);
  environment.messaging.setBroker(true);
  expect(await end(environment, "rejection", proposal, "second-person", "r-1")).toMatchObject({ status: 202, state: "rejected" });
});

test("in every order of confirmations, rejections and retractions exactly the first one that fits ends a proposal [D9 rejection]", () => {
  const people = ["operator", "second", "third"];
  const kinds: readonly EndKind[] = ["confirmed", "rejected", "retracted"];
  const given = kinds.flatMap((kind) =>
    people.map((operator): GivenEnd => ({
      kind,
      action: { id: `${kind}-${operator}`, operator, person: operator },
      offset: 1n,
      contentSha256: "0c",
    })),
  );
  const action = { id: "p-1", operator: "operator", person: "operator", reason, requestedAtMs: 0, confirmedBy: null };
  const proposed: Proposal = {
    action,
    operation: "withdrawDebit",
    path,
    body: "{}",
    offset: 1n,
    contentSha256: "0c",
    proposedAtMs: 0,
    expiresAtMs: 10,
    end: null,
  };
  const fits = ({ kind, action: { operator } }: GivenEnd): boolean => (kind === "retracted") === (operator === "operator");
  for (const first of given) {
    for (const second of given.filter((one) => one !== first)) {
      const ended = [first, second].reduce<Proposal>((before, one) => {
        const isFitting = judgeEnd(before, one, null, 5) === null;
        return isFitting ? { ...before, end: { kind: one.kind, action: { ...action, ...one.action }, atMs: 5 } } : before;
      }, proposed);
      const expected = [first, second].find(fits) ?? null;
      expect(given.filter((one) => isEndedBy(ended, one))).toEqual(expected === null ? [] : [expected]);
    }
  }
});
