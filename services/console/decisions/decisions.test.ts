import type { DebitState } from "@sluice/domain";
import { describe, expect, test } from "vitest";
import {
  day,
  findProposal,
  openDecisionEnvironment,
  decisionHourMs,
  planOpenDay,
  consoleStartAtMs,
  consoleUetr,
  type JournalledRecord,
} from "./decisions.fixture.ts";
import { readJsonObject, type ControlRequestInput } from "../console.fixture.ts";

const credit = "0d6c5a1b-61a5-4c2e-9d3c-7d5fb0b2c3d4";
const other = "1d6c5a1b-61a5-4c2e-9d3c-7d5fb0b2c3d4";
const closesAt = new Date(consoleStartAtMs + 8.5 * decisionHourMs).toISOString();
const opens = { kind: "DayTimeReached", scheme: "ZA_EFT", businessDate: "2026-11-20", time: "window-opens", number: 1 } as const;

type DecisionEnvironment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

interface Case {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly key: string;
  readonly name: JournalledRecord["decoded"]["name"];
  /** Members of the record besides the action. */
  readonly says: Readonly<Record<string, unknown>>;
  given(environment: DecisionEnvironment): Promise<void>;
}

const saved =
  (...states: readonly DebitState[]) =>
  (environment: DecisionEnvironment) =>
    environment.saveDebit(...states);
const plannedDay = (environment: DecisionEnvironment) => environment.saveDay(planOpenDay());
const nothing = (): Promise<void> => Promise.resolve();

/** Saves a debit and withdraws it, so that it has an item to resolve. */
async function withdrawn(environment: DecisionEnvironment): Promise<void> {
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  await decideAndApply(environment, `/transactions/${consoleUetr}/withdrawal`, { reason: "wrong file" }, "w-1");
}

async function decideAndApply(
  environment: DecisionEnvironment,
  path: string,
  body: object,
  actionId: string,
  operator = "operator",
): Promise<void> {
  const answer = await environment.control(path, { body, actionId, operator });
  expect([path, answer.status]).toEqual([path, 202]);
  const record = environment.journal().at(-1);
  if (record === undefined) throw new Error("nothing was appended");
  await environment.judge(record);
}

const dayPath = "/days/ZA_EFT/2026-11-20";
const ofDay = { scheme: "ZA_EFT", businessDate: "2026-11-20" };

const cases: readonly Case[] = [
  {
    path: `/transactions/${consoleUetr.toUpperCase()}/withdrawal`,
    body: {},
    key: consoleUetr,
    name: "WithdrawalRequested",
    says: {},
    given: saved("RECEIVED", "ACCEPTED", "REPORTED", "HELD"),
  },
  {
    path: `/transactions/${consoleUetr}/resolution`,
    body: { day, resolution: "REPLACED", replacedBy: other.toUpperCase() },
    key: consoleUetr,
    name: "ItemResolutionRequested",
    says: { day, resolution: "REPLACED", replacedBy: other, needsSecondPerson: false },
    given: withdrawn,
  },
  {
    path: `/transactions/${consoleUetr}/note`,
    body: { day, assignee: "second-person" },
    key: consoleUetr,
    name: "ItemNoteRequested",
    says: { day, assignee: "second-person" },
    given: withdrawn,
  },
  {
    path: `${dayPath}/close-extension`,
    body: { window: 1, closesAt },
    key: day,
    name: "CloseExtensionRequested",
    says: { ...ofDay, windowNumber: 1, closesAtMs: consoleStartAtMs + 8.5 * decisionHourMs },
    given: plannedDay,
  },
  {
    path: `${dayPath}/credits-final`,
    body: {},
    key: day,
    name: "CreditsFinalRequested",
    says: { ...ofDay, requestedBy: "operator", bank: null },
    given: plannedDay,
  },
  {
    path: `${dayPath}/credits-final`,
    body: { bank: "first" },
    key: day,
    name: "CreditsFinalRequested",
    says: { ...ofDay, requestedBy: "operator", bank: "first" },
    given: plannedDay,
  },
  { path: "/banks/first/pause", body: {}, key: "bank:first", name: "BankPauseRequested", says: { bank: "first" }, given: nothing },
  {
    path: "/banks/first/pause",
    body: { until: new Date(consoleStartAtMs + decisionHourMs).toISOString() },
    key: "bank:first",
    name: "BankPauseRequested",
    says: { bank: "first", untilMs: consoleStartAtMs + decisionHourMs },
    given: nothing,
  },
  { path: "/banks/clearing/pause", body: {}, key: "bank:clearing", name: "BankPauseRequested", says: { bank: "clearing" }, given: nothing },
  { path: "/banks/first/resume", body: {}, key: "bank:first", name: "BankResumeRequested", says: { bank: "first" }, given: nothing },
];

const reason = "the bank asked for it, ticket 4711";

function ask(environment: DecisionEnvironment, { path, body }: Case, asked: ControlRequestInput = {}): Promise<Response> {
  return environment.control(path, { body: { reason, ...body }, actionId: "a-1", ...asked });
}

function requestedAtMs(record: JournalledRecord | undefined): number {
  const value = record?.decoded.value;
  if (value === undefined || !("action" in value) || value.action === null) throw new Error("no action");
  return value.action.requestedAtMs;
}

describe.each(cases)("$name by $path", (given) => {
  test("appends exactly one record, under the right key, with who, why and when", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    const before = environment.journal().length;
    const askedAtMs = environment.time.nowMs();
    const answer = await ask(environment, given);
    expect(answer.status).toBe(202);
    const appended = environment.journal().slice(before);
    expect(appended).toMatchObject([
      { key: given.key, decoded: { name: given.name, value: { ...given.says, action: { id: "a-1", operator: "operator", reason } } } },
    ]);
    const [record] = appended;
    expect(requestedAtMs(record)).toBeGreaterThanOrEqual(askedAtMs);
    expect(await readJsonObject(answer)).toEqual({
      schema: "ActionAccepted",
      action: "a-1",
      key: given.key,
      partition: record?.partition,
      offset: String(record?.offset),
      appendedAt: Temporal.Instant.fromEpochMilliseconds(record?.appendedAtMs ?? 0).toString({ smallestUnit: "millisecond" }),
    });
  });

  test("sent twice under one id counts once and is answered 202 both times, even if it took effect in between", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    await ask(environment, given);
    const [first] = environment.journal().slice(-1);
    if (first !== undefined) await environment.judge(first);
    const about = `/actions/a-1?key=${encodeURIComponent(given.key)}`;
    const shown = await readJsonObject(await environment.control(about));
    expect(shown).toMatchObject({ schema: "Action", id: "a-1", operator: "operator", reason, kind: given.name });
    expect((await ask(environment, given)).status).toBe(202);
    const [second] = environment.journal().slice(-1);
    expect(second).not.toEqual(first);
    if (second !== undefined) await environment.judge(second);
    expect(await readJsonObject(await environment.control(about))).toEqual(shown);
  });

  test("with the id of another decision is refused", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    await ask(environment, given);
    const [first] = environment.journal().slice(-1);
    if (first !== undefined) await environment.judge(first);
    const before = environment.journal().length;
    const answer = await ask(environment, given, { body: { ...given.body, reason: "another" } });
    expect([answer.status, environment.journal().length]).toEqual([409, before]);
  });

  test("without an idempotency key gets an id of its own", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    const body = { body: { reason, ...given.body } };
    const ids = [await environment.control(given.path, body), await environment.control(given.path, body)].map(
      async (answer) => (await readJsonObject(answer))["action"],
    );
    const [one, two] = await Promise.all(ids);
    expect([one === two, String(one)]).toEqual([false, expect.stringMatching(/^[0-9a-f]{32}$/)]);
  });

  test.each([
    ["no reason", { reason: undefined }],
    ["an empty reason", { reason: "" }],
    ["a reason of blanks", { reason: "   " }],
    ["a reason of 501 characters", { reason: "r".repeat(501) }],
    ["a reason with a control character", { reason: "a\u0007b" }],
    ["a reason that is none", { reason: 5 }],
    ["a member that is not known", { force: true }],
  ])("with %s is 400, and nothing is appended", async (_, spoilt) => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    const before = environment.journal().length;
    const answer = await ask(environment, given, { body: { reason, ...given.body, ...spoilt } });
    expect([answer.status, (await readJsonObject(answer))["schema"], environment.journal().length]).toEqual([400, "ErrorDetail", before]);
  });

  test("with the store away is 503, and nothing is appended", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    const before = environment.journal().length;
    environment.environment.fault = "down";
    expect([(await ask(environment, given)).status, environment.journal().length]).toEqual([503, before]);
  });

  test("with the broker away is 503, also because the audit cannot be written", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    environment.messaging.setBroker(false);
    const answer = await ask(environment, given);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await readJsonObject(answer))["detail"]).toContain("again");
  });

  test("with the journal away is 503, never a false 202, and says that it may be sent again under its id", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    environment.environment.journalFate = { kind: "lose-request" };
    const answer = await ask(environment, given);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect((await readJsonObject(answer))["detail"]).toContain("again");
  });

  test("logs who decided what, and not why", async () => {
    const environment = await openDecisionEnvironment();
    await given.given(environment);
    await ask(environment, given);
    const line = environment.environment.lines.findLast(({ event }) => event === "action.requested");
    expect(line?.fields).toMatchObject({ kind: given.name, action: "a-1", operator: "operator", key: given.key });
    expect(JSON.stringify(environment.environment.lines)).not.toContain("4711");
  });
});

test.each(["", "{", "[]", "null", "5", '"x"', '{"reason":"a","reason":"b"}', '{"reason":1e400}', "[".repeat(40), '{"__proto__":{}}'])(
  "an invalid body is 400: %j",
  async (body) => {
    const environment = await openDecisionEnvironment();
    expect((await environment.control("/banks/first/pause", { body, method: "POST" })).status).toBe(400);
    expect(environment.journal()).toEqual([]);
  },
);

test("an unknown bank, an unplanned day, and a UETR whose partition is up to date are 404; a UETR before that is 503", async () => {
  const environment = await openDecisionEnvironment();
  const body = { reason };
  for (const path of [
    "/banks/nobody/pause",
    "/banks/nobody/resume",
    "/days/ZA_EFT/2026-12-20/credits-final",
    "/days/ZA_RTC/2026-11-20/credits-final",
  ]) {
    expect([path, (await environment.control(path, { body })).status]).toEqual([path, 404]);
  }
  await environment.appendToJournal();
  expect((await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body })).status).toBe(503);
  await environment.schedulerReaches(1n);
  expect((await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body })).status).toBe(404);
  expect(environment.journal()).toHaveLength(1);
});

describe("a decision that the aggregate would refuse is 409 with the reason, and not appended", () => {
  test.each([
    ["a withdrawal after release", "withdrawal", {}, ["RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED"], "not-in-this-state"],
    ["a redrive where nothing was refused", "redrive", { messageIdentification: "M-1" }, ["RECEIVED", "ACCEPTED"], "nothing-refused"],
    ["a stop where nothing is tried", "stop", { messageIdentification: "M-1" }, ["RECEIVED", "ACCEPTED"], "nothing-tried"],
    ["a redrive of no event", "redrive", { messageIdentification: "M-1", target: "POSTING" }, ["RECEIVED"], "no-such-event"],
    ["a resolution without an item", "resolution", { day, resolution: "MADE" }, ["RECEIVED", "ACCEPTED"], "no-item"],
    [
      "a confirmation of nothing",
      "resolution/confirmation",
      { offset: "1", contentSha256: "0".repeat(64) },
      ["RECEIVED"],
      "nothing-to-confirm",
    ],
    ["a rejection of nothing", "resolution/rejection", { offset: "1", contentSha256: "0".repeat(64) }, ["RECEIVED"], "nothing-to-reject"],
  ] as const)("%s", async (_, verb, body, states, why) => {
    const environment = await openDecisionEnvironment();
    await environment.saveDebit(...states);
    const answer = await environment.control(`/transactions/${consoleUetr}/${verb}`, { body: { reason, ...body } });
    expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([409, expect.stringContaining(`${why}: `)]);
    expect(environment.journal()).toEqual([]);
  });

  test.each([
    ["earlier than planned", { window: 1, closesAt: new Date(consoleStartAtMs + 7 * decisionHourMs).toISOString() }, "not-later"],
    [
      "after the reconciliation close",
      { window: 1, closesAt: new Date(consoleStartAtMs + 10 * decisionHourMs).toISOString() },
      "plan-out-of-order",
    ],
    ["by more than a day", { window: 0, closesAt: new Date(consoleStartAtMs + 40 * decisionHourMs).toISOString() }, "too-far"],
    ["of no window", { window: 2, closesAt }, "no-such-window"],
  ])("a close extended %s", async (_, body, why) => {
    const environment = await openDecisionEnvironment();
    await environment.saveDay(planOpenDay());
    const answer = await environment.control(`${dayPath}/close-extension`, { body: { reason, ...body } });
    expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([409, expect.stringContaining(`${why}: `)]);
    expect(environment.journal()).toEqual([]);
  });

  test("a gate before the credits are declared final, and before every partition has answered", async () => {
    const environment = await openDecisionEnvironment();
    await environment.saveDay(planOpenDay({ creditsFinal: "clock" }));
    const body = { reason, bank: "first", credits: [credit] };
    expect((await readJsonObject(await environment.control(`${dayPath}/gate-opening`, { body })))["detail"]).toContain("not-declared");
    const declared = await openDecisionEnvironment();
    await declared.saveDay(planOpenDay({ creditsFinal: "clock" }), opens);
    expect((await readJsonObject(await declared.control(`${dayPath}/gate-opening`, { body })))["detail"]).toContain("partitions-awaited");
    expect([environment.journal(), declared.journal()]).toEqual([[], []]);
  });
});

test.each([
  ["REPLACED without what took its place", { day, resolution: "REPLACED" }, 422],
  ["made, and replaced", { day, resolution: "MADE", replacedBy: other }, 422],
  ["replaced by itself", { day, resolution: "REPLACED", replacedBy: consoleUetr }, 422],
  ["of no such kind", { day, resolution: "PERHAPS" }, 400],
  ["of a day that is none", { day: "ZA_EFT", resolution: "MADE" }, 400],
])("a resolution that is %s is refused", async (_, body, status) => {
  const environment = await openDecisionEnvironment();
  await withdrawn(environment);
  expect((await environment.control(`/transactions/${consoleUetr}/resolution`, { body: { reason, ...body } })).status).toBe(status);
});

test.each([
  [{ window: 25, closesAt }, 400],
  [{ window: -1, closesAt }, 400],
  [{ window: 1.5, closesAt }, 400],
  [{ window: "1", closesAt }, 400],
  [{ window: 1, closesAt: "16:30" }, 400],
  [{ window: 1, closesAt: "2026-11-20T16:30:00" }, 400],
  [{ window: 1, closesAt: "2026-11-20T16:30:00.0001+02:00" }, 422],
])("a close extension that cannot be read is refused: %j", async (body, status) => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  expect((await environment.control(`${dayPath}/close-extension`, { body: { reason, ...body } })).status).toBe(status);
});

test.each([
  [{ until: new Date(consoleStartAtMs - 60_000).toISOString() }, 422, "ahead"],
  [{ until: new Date(consoleStartAtMs + decisionHourMs).toISOString().replace("Z", "1Z") }, 422, "whole milliseconds"],
  [{ until: "2026-11-22" }, 400, "until"],
  [{ until: "2026-11-22T03:00:00" }, 400, "until"],
  [{ until: null }, 400, "until"],
])("a pause that ends %j is refused: %i", async (body, status, why) => {
  const environment = await openDecisionEnvironment();
  const answer = await environment.control("/banks/first/pause", { body: { reason, ...body } });
  expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([status, expect.stringContaining(why)]);
  expect(environment.journal()).toEqual([]);
});

test("a maintenance that is requested again after its end is still the same decision", async () => {
  const environment = await openDecisionEnvironment();
  const body = { reason, until: new Date(consoleStartAtMs + 60_000).toISOString() };
  await decideAndApply(environment, "/banks/first/pause", body, "p-1");
  await environment.time.advance(2 * 60_000);
  await decideAndApply(environment, "/banks/first/pause", body, "p-1");
  expect((await environment.control("/banks/first/pause", { body, actionId: "p-2" })).status).toBe(422);
});

test.each([
  [{ bank: "nobody", credits: [credit] }, 422],
  [{ bank: "clearing", credits: [credit] }, 422],
  [{ bank: "first", credits: [] }, 400],
  [{ bank: "first", credits: [credit, credit.toUpperCase()] }, 400],
  [{ bank: "first", credits: ["x"] }, 400],
  [{ bank: "first", credits: Array.from({ length: 1_001 }, (_, index) => credit.replace(/....$/, String(index).padStart(4, "0"))) }, 400],
])("a gate opening that cannot be read is refused: %#", async (body, status) => {
  const environment = await openDecisionEnvironment();
  await environment.saveDay(planOpenDay());
  expect((await environment.control(`${dayPath}/gate-opening`, { body: { reason, ...body } })).status).toBe(status);
});

test("a resolution that needs a second person counts when another operator confirms it, never by its own", async () => {
  const environment = await openDecisionEnvironment({ resolutionNeedsSecondPerson: true });
  await withdrawn(environment);
  await decideAndApply(environment, `/transactions/${consoleUetr}/resolution`, { reason, day, resolution: "NOT_MADE" }, "r-1");
  expect(environment.journal().at(-1)?.decoded.value).toMatchObject({ needsSecondPerson: true });
  const body = { reason: "seen in the bank's statement", ...(await findProposal(environment)) };
  const own = await environment.control(`/transactions/${consoleUetr}/resolution/confirmation`, { body });
  expect([own.status, (await readJsonObject(own))["detail"]]).toEqual([409, expect.stringContaining("same-person")]);
  await decideAndApply(environment, `/transactions/${consoleUetr}/resolution/confirmation`, body, "c-1", "second-person");
  expect(await readJsonObject(await environment.control(`/actions/c-1?key=${consoleUetr}`))).toMatchObject({
    result: "applied",
    operator: "second-person",
  });
  const { items = [] } =
    (await environment.settled(environment.store.transactions.load([consoleUetr]))).get(consoleUetr)?.transaction ?? {};
  expect(items).toMatchObject([{ resolution: { kind: "not-made", isFinal: true, confirmed: { action: { id: "c-1" } } } }]);
});

test("a second person rejects a resolution with a reason, never its own: the item is open, and nothing waits for a confirmation [D9 rejection]", async () => {
  const environment = await openDecisionEnvironment({ resolutionNeedsSecondPerson: true });
  await withdrawn(environment);
  const path = `/transactions/${consoleUetr}/resolution`;
  await decideAndApply(environment, path, { reason, day, resolution: "NOT_MADE" }, "r-1");
  const body = { reason: "the statement shows it", ...(await findProposal(environment)) };
  const own = await environment.control(`${path}/rejection`, { body });
  expect([own.status, (await readJsonObject(own))["detail"]]).toEqual([409, expect.stringContaining("same-person")]);
  await decideAndApply(environment, `${path}/rejection`, body, "x-1", "second-person");
  expect(environment.journal().at(-1)?.decoded).toMatchObject({
    name: "ItemResolutionRejected",
    value: { action: { operator: "second-person", reason: "the statement shows it" }, proposalSha256: body.contentSha256 },
  });
  const asked = await environment.control(`/actions/r-1?key=${consoleUetr}`);
  expect(await readJsonObject(asked)).toMatchObject({ result: "applied", awaitsConfirmation: false });
  const late = await environment.control(`${path}/confirmation`, { body, operator: "second-person" });
  expect([late.status, (await readJsonObject(late))["detail"]]).toEqual([409, expect.stringContaining("nothing-to-confirm")]);
  await decideAndApply(environment, path, { reason, day, resolution: "MADE" }, "r-2");
  const found = (await environment.settled(environment.store.transactions.load([consoleUetr]))).get(consoleUetr)?.transaction;
  expect(found?.items).toMatchObject([{ resolution: { kind: "made", isFinal: false, action: { id: "r-2" } } }]);
});

test("I5: what a second person has seen is not replaced under its id, however many proposals come between", async () => {
  const environment = await openDecisionEnvironment({ resolutionNeedsSecondPerson: true });
  await withdrawn(environment);
  const path = `/transactions/${consoleUetr}/resolution`;
  const propose = (resolution: string, actionId: string) => environment.control(path, { body: { reason, day, resolution }, actionId });
  let judged = environment.journal().length;
  const judgeAll = async (): Promise<void> => {
    for (const record of environment.journal().slice(judged)) await environment.judge(record);
    judged = environment.journal().length;
  };
  await propose("MADE", "res-1");
  await judgeAll();
  const seen = { reason: "seen", ...(await findProposal(environment)) };
  for (let number = 0; number < 12; number += 1) {
    await propose("MADE", `other-${number}`);
    await judgeAll();
  }
  const changed = await propose("NOT_MADE", "res-1");
  expect([changed.status, (await readJsonObject(changed))["message"]]).toEqual([409, "Another decision"]);
  expect((await propose("MADE", "res-1")).status).toBe(202);
  await judgeAll();
  const late = await environment.control(`${path}/confirmation`, { body: seen, operator: "second-person" });
  expect([late.status, (await readJsonObject(late))["detail"]]).toEqual([409, expect.stringContaining("nothing-to-confirm")]);
});

test("the same id with another resolution is another decision, and is not answered as the first", async () => {
  const environment = await openDecisionEnvironment();
  await withdrawn(environment);
  const path = `/transactions/${consoleUetr}/resolution`;
  await decideAndApply(environment, path, { reason, day, resolution: "MADE" }, "r-1");
  const other = await environment.control(path, { body: { reason, day, resolution: "NOT_MADE" }, actionId: "r-1" });
  expect([other.status, (await readJsonObject(other))["message"]]).toEqual([409, "Another decision"]);
  expect((await environment.control(path, { body: { reason, day, resolution: "MADE" }, actionId: "r-1" })).status).toBe(202);
});

test("the result of a decision is 404 until the decision is applied, and a refusal is explained", async () => {
  const environment = await openDecisionEnvironment();
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  const paths = [`/transactions/${consoleUetr}/withdrawal`, `/transactions/${consoleUetr}/withdrawal`];
  for (const [index, path] of paths.entries()) await environment.control(path, { body: { reason }, actionId: `w-${index}` });
  expect((await environment.control(`/actions/w-0?key=${consoleUetr}`)).status).toBe(404);
  for (const record of environment.journal()) await environment.judge(record);
  expect(await readJsonObject(await environment.control(`/actions/w-0?key=${consoleUetr}`))).toMatchObject({
    result: "applied",
    why: null,
    explained: null,
  });
  expect(await readJsonObject(await environment.control(`/actions/w-1?key=${consoleUetr}`))).toMatchObject({
    result: "refused",
    why: "not-in-this-state",
    explained: "the transaction's state does not allow it.",
  });
  for (const key of ["", "bank:", "bank:A", "ZA_EFT", "x"]) expect((await environment.control(`/actions/w-0?key=${key}`)).status).toBe(400);
});
