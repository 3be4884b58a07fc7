// D9 second-person: a decision that moves money takes effect only when another person has confirmed what they saw.

import { partitionFor, topics } from "@sluice/contracts";
import { decisionProposedSchema } from "@sluice/contracts/control-answers";
import { secondPersonActions } from "@sluice/domain";
import { sampleConfiguration, sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { consoleUetr, day } from "../decisions/decisions.fixture.ts";
import { readJsonObject } from "../console.fixture.ts";
import { openOfPersonMax } from "./proposal-room.ts";
import {
  appendEnd,
  confirm,
  endReason,
  lifetimeMs,
  list,
  openProposalEnvironment,
  operators,
  path,
  propose,
  reason,
} from "./proposals.fixture.ts";
import { proposalsCheckEveryMs } from "./watch-proposals.ts";

test("a declaration of credits final takes effect only when a second person has confirmed it [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  expect(proposal).toMatchObject({ id: "final-1", state: "proposed", body: { reason }, path, person: "operator", confirmed: null });
  expect(environment.journal()).toEqual([]);
  const done = await confirm(environment, proposal);
  expect(done).toMatchObject({ status: 202, schema: "ActionAccepted", action: "final-1", key: day });
  const [record, ...more] = environment.journal();
  expect(more).toEqual([]);
  const action = { id: "final-1", operator: "operator", person: "operator", reason, confirmedBy: "second-person" };
  expect(record?.decoded).toMatchObject({ name: "CreditsFinalRequested", value: { action } });
  expect((await list(environment)).rows).toMatchObject([
    { id: "final-1", state: "confirmed", confirmed: { id: "c-1", person: "second-person", reason: endReason } },
  ]);
});

test("the person who proposed it cannot confirm it, with whichever token [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  for (const operator of ["operator", "other-token"]) {
    expect(await confirm(environment, proposal, operator)).toMatchObject({ status: 409, detail: expect.stringContaining("same-person") });
  }
  expect([environment.journal(), (await list(environment)).rows[0]?.state]).toEqual([[], "proposed"]);
});

test("what is confirmed is what was seen: another offset or another hash confirms nothing [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  const other = await propose(environment, "final-2", { reason, bank: "first" });
  for (const wrong of [{ offset: other.offset }, { contentSha256: other.contentSha256 }]) {
    const refused = await confirm(environment, { ...proposal, ...wrong });
    expect(refused).toMatchObject({ status: 409, detail: expect.stringContaining("nothing-to-confirm") });
  }
  expect(environment.journal()).toEqual([]);
});

test("the same proposal under the same id is one proposal, and its id cannot propose anything else", async () => {
  const environment = await openProposalEnvironment();
  const first = await propose(environment);
  expect(await propose(environment)).toEqual(first);
  const other = await environment.control(path, { body: { reason, bank: "first" }, actionId: "final-1" });
  expect([other.status, (await readJsonObject(other))["message"]]).toEqual([409, "Another decision"]);
  expect((await list(environment)).rows).toHaveLength(1);
});

test("a proposal that nobody confirms in time expires [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  await environment.time.advance(lifetimeMs + 1_000);
  expect((await list(environment)).rows[0]?.state).toBe("expired");
  expect(await confirm(environment, proposal)).toMatchObject({ status: 409, detail: expect.stringContaining("proposal-expired") });
  expect(environment.journal()).toEqual([]);
});

test("a confirmation that is sent again counts once, and nobody else can confirm after it [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  expect(await confirm(environment, proposal)).toMatchObject({ status: 202, action: "final-1" });
  expect(await confirm(environment, proposal)).toMatchObject({ status: 202, action: "final-1" });
  const third = await confirm(environment, proposal, "third-person", "c-2");
  expect(third).toMatchObject({ status: 409, detail: expect.stringContaining("already-confirmed") });
  for (const record of environment.journal()) await environment.judge(record);
  const kept = (await environment.settled(environment.store.days.load([day]))).get(day);
  expect(kept?.decisions.map(({ action, result }) => [action.id, result])).toEqual([["final-1", "applied"]]);
});

test("a confirmation that is sent again after the proposal's end decides nothing more [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  await confirm(environment, proposal);
  await environment.time.advance(lifetimeMs + 1_000);
  expect(await confirm(environment, proposal)).toMatchObject({ status: 409, detail: expect.stringContaining("proposal-expired") });
  expect(environment.journal()).toHaveLength(1);
});

test("an id that confirmed one proposal confirms no other one", async () => {
  const environment = await openProposalEnvironment();
  await confirm(environment, await propose(environment));
  const other = await propose(environment, "final-2", { reason, bank: "second" });
  expect(await confirm(environment, other)).toMatchObject({ status: 409, detail: expect.stringContaining("id-used") });
});

test("of two confirmations in the log the first one counts, from any console", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  for (const operator of ["operator", "third-person", "second-person"])
    await appendEnd(environment, "DecisionConfirmed", proposal, operator);
  expect((await list(environment)).rows[0]?.confirmed).toMatchObject({ id: "final-1-by-third-person" });
});

test("a decision that is not possible is neither proposed nor confirmed [D9 second-person]", async () => {
  const environment = await openProposalEnvironment();
  const gate = { body: { reason, bank: "first", credits: [consoleUetr] } };
  expect((await environment.control("/days/ZA_EFT/2026-11-20/gate-opening", gate)).status).toBe(409);
  expect((await environment.control(path, { body: { reason, bank: "nobody" } })).status).toBe(422);
  expect((await list(environment)).rows).toEqual([]);
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  const asked = { body: { reason }, actionId: "w-1" };
  const proposal = decisionProposedSchema.parse(await (await environment.control(`/transactions/${consoleUetr}/withdrawal`, asked)).json());
  const loaded = (await environment.settled(environment.store.transactions.load([consoleUetr]))).get(consoleUetr);
  if (loaded === undefined) throw new Error("it is saved");
  const { transaction } = loaded;
  await environment.save(
    { ...transaction, version: transaction.version + 1, state: "RELEASED" } as typeof transaction,
    transaction.version,
  );
  expect(await confirm(environment, proposal)).toMatchObject({ status: 409, detail: expect.stringContaining("not-in-this-state") });
  expect((await list(environment)).rows[0]?.state).toBe("proposed");
});

test("a proposal of an operator who may no longer act cannot be confirmed", async () => {
  const environment = await openProposalEnvironment();
  const proposal = await propose(environment);
  const secondPerson = { actions: secondPersonActions, proposalLifetimeMs: lifetimeMs };
  const reader = sampleOperator({ roles: ["read"] });
  environment.desk.replaceConfiguration(sampleConfiguration({ secondPerson, operators: [reader, ...operators.slice(1)] }));
  expect(await confirm(environment, proposal)).toMatchObject({ status: 409, detail: expect.stringContaining("proposer-gone") });
  expect(environment.journal()).toEqual([]);
});

test("only the configured decisions need a second person, and a confirmation needs the role approve", async () => {
  const environment = await openProposalEnvironment(["withdraw"]);
  expect(await readJsonObject(await environment.control(path, { body: { reason } }))).toMatchObject({ schema: "ActionAccepted" });
  const actor = sampleOperator({ id: "actor", roles: ["read", "act"] });
  environment.desk.replaceConfiguration(sampleConfiguration({ operators: [...operators, actor] }));
  const body = { reason, offset: "0", contentSha256: "0".repeat(64) };
  const statuses = ["actor", "second-person"].map(async (operator) => {
    return (await environment.control("/proposals/x/confirmation", { body, operator })).status;
  });
  expect(await Promise.all(statuses)).toEqual([403, 404]);
});

test("what is proposed and decided is 503 while the broker ends a reading early, and judged by all of it later [D9 second-person]", async () => {
  const open = await openProposalEnvironment();
  const shown = await propose(open);
  // At another console, so that this one has not read it.
  await appendEnd(open, "DecisionRejected", shown, "second-person");
  open.environment.behindTopic = topics.proposals;
  expect((await confirm(open, shown, "third-person")).status).toBe(503);
  expect((await open.control("/proposals")).status).toBe(503);
  open.environment.behindTopic = null;
  expect((await confirm(open, shown, "third-person")).status).toBe(409);
});

test("while the log is away a proposal is 503, and sent again under its id it is one proposal", async () => {
  const environment = await openProposalEnvironment();
  environment.messaging.setBroker(false);
  expect((await environment.control(path, { body: { reason }, actionId: "final-1" })).status).toBe(503);
  environment.messaging.setBroker(true);
  const proposal = await propose(environment);
  environment.messaging.setBroker(false);
  expect((await confirm(environment, proposal)).status).toBe(503);
  environment.messaging.setBroker(true);
  expect(await confirm(environment, proposal)).toMatchObject({ status: 202, action: "final-1" });
  expect((await list(environment)).rows).toMatchObject([{ id: "final-1", state: "confirmed" }]);
});

test("the metrics show how many proposals wait and for how long, and an expired one waits no more", async () => {
  const environment = await openProposalEnvironment();
  await propose(environment);
  await environment.time.advance(10 * proposalsCheckEveryMs);
  const text = await environment.metrics.text();
  expect(text).toContain("sluice_console_proposals_waiting 1");
  const age = Number(/^sluice_console_proposal_age_seconds (\S+)$/m.exec(text)?.[1]);
  expect(age).toBeGreaterThan(240);
  expect(age).toBeLessThan(330);
  await environment.time.advance(lifetimeMs);
  expect(await environment.metrics.text()).toContain("sluice_console_proposals_waiting 0");
});

test("I15: a person has at most 200 proposals that wait, and another person can still propose", async () => {
  const environment = await openProposalEnvironment();
  for (let number = 0; number < openOfPersonMax; number += 1) {
    await propose(environment, `final-${number}`);
    await environment.time.advance(25);
  }
  const asked = { body: { reason }, actionId: "one-more" };
  const refused = await readJsonObject(await environment.control(path, asked));
  expect(refused["detail"]).toContain("too-many-proposals");
  expect((await environment.control(path, { ...asked, operator: "other-token" })).status).toBe(409);
  expect((await environment.control(path, { ...asked, actionId: "of-third", operator: "third-person" })).status).toBe(202);
  const first = await list(environment, "?limit=150");
  const rest = await list(environment, `?limit=150&after=${first.next}`);
  expect([first.rows[0]?.id, first.rows.length, rest.rows.length, rest.rows.at(-1)?.id, rest.next]).toEqual([
    "of-third",
    150,
    51,
    "final-0",
    null,
  ]);
  expect(environment.messaging.records({ topic: topics.proposals, partition: partitionFor("proposals", 3) })).toHaveLength(
    openOfPersonMax + 1,
  );
});
