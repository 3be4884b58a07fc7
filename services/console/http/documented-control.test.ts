// Holds docs/api/control.yaml against the console: every example of a decision is accepted, and every documented error
// is provoked and compared word by word.

import { sampleBank, sampleOperator } from "@sluice/testkit";
import { readDocument } from "@sluice/documents";
import { resolveReferences } from "@sluice/documents/check";
import { controlOperations, createFixedSerde, partitionFor, secondPersonOperations, topics } from "@sluice/contracts";
import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { buildDeadLetter } from "@sluice/messaging";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { expect, test } from "vitest";
import { reconciliationReasons, secondPersonActions, type SecondPersonAction, type Transaction } from "@sluice/domain";
import { day, findProposal, openDecisionEnvironment, planOpenDay, consoleStartAtMs, consoleUetr } from "../decisions/decisions.fixture.ts";
import { buildParkedMessage } from "../queries/stored-data.fixture.ts";
import { buildConsoleDebit, changeTransaction, readJsonObject, type ControlRequestInput } from "../console.fixture.ts";

interface Operation {
  readonly operationId: string;
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly examples: { readonly example: { readonly value: object } } }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

interface ErrorExample {
  readonly value: { readonly schema: string; readonly message: string; readonly detail: string };
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly examples: Readonly<Record<string, ErrorExample>>; readonly schemas: object };
}

const document: Document = resolveReferences(JSON.parse(readDocument("control")));
const posts = Object.entries(document.paths).flatMap(([path, methods]) => {
  const post = methods["post"];
  return post === undefined ? [] : [[post.operationId, path, post] as const];
});
const isDecision = (name: string) => controlOperations.some((one) => one.name === name && one.kind === "decision");
const decisions = posts.filter(([name]) => isDecision(name));

type DecisionEnvironment = Awaited<ReturnType<typeof openDecisionEnvironment>>;
const withdrawn = { reason: "wrong file" };
const partition = partitionFor(consoleUetr, 3);
const place = (path: string): string =>
  path
    .replace("{uetr}", consoleUetr)
    .replace("{scheme}", "ZA_EFT")
    .replace("{date}", "2026-11-20")
    .replace("{bank}", "sample")
    .replace("{action}", "w-1")
    .replace("{month}", "2026-09")
    .replace("{letter}", `${partition}:0`);

function readExample({ requestBody }: Operation): object {
  const value = requestBody?.content["application/json"]?.examples.example.value;
  if (value === undefined) throw new Error("a decision without an example");
  return value;
}

/** The partition of the sample's UETR, which an example cannot know. */
function placeOf(example: object): object {
  return {
    ...("partition" in example ? { partition } : {}),
    ...("of" in example && "records" in example ? { of: [`${partition}:0`] } : {}),
  };
}

/** Prepares what each example needs; the document's bank is called sample. */
const given: Readonly<Record<string, (environment: DecisionEnvironment) => Promise<void>>> = {
  withdrawDebit: (environment) => environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD"),
  withdrawDebits: (environment) => environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD"),
  resolveItems: withWithdrawal,
  confirmResolutions: withResolution,
  rejectResolutions: withResolution,
  redriveDelivery: refusedReport,
  stopDelivery: (environment) => environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED"),
  async redriveBank(environment) {
    await refusedReport(environment);
    const message = buildParkedMessage("6f4b2f0e6f0a4d529a571f0f5d0c2b11A", 1n, {
      uetr: consoleUetr,
      receiverId: "sample",
      ended: "refused",
    });
    await environment.settled(environment.store.deliveries.insert([message]));
  },
  resolveItem: withWithdrawal,
  confirmResolution: withResolution,
  rejectResolution: withResolution,
  noteItem: withWithdrawal,
  extendClose: (environment) => environment.saveDay(planOpenDay()),
  confirmProposal: proposeWithdrawal,
  rejectProposal: proposeWithdrawal,
  retractProposal: proposeWithdrawal,
  declareCreditsFinal: (environment) => environment.saveDay(planOpenDay()),
  openGate: waitingForCredit,
  async skipStuckRecord(environment) {
    await environment.append(topics.journal, consoleUetr, { name: "DayClosed", value: { day } });
    await environment.settled(environment.store.partitions.takeOver("scheduler", partition));
  },
  replayDeadLetter: (environment) => saveDeadLetter(environment, "validator"),
  replayDeadLetters: (environment) => saveDeadLetter(environment, "validator"),
  async replayTransaction(environment) {
    await saveDeadLetter(environment, "scheduler");
    await environment.save({ ...buildConsoleDebit(["RECEIVED"]), quarantined: { sinceMs: consoleStartAtMs, offset: 7n, records: 1 } });
    await environment.schedulerReaches(1_000n);
  },
};

async function saveDeadLetter(environment: DecisionEnvironment, service: string): Promise<void> {
  const place = { topic: topics.journal, partition, offset: 7n, appendedAtMs: consoleStartAtMs };
  const key = new TextEncoder().encode(consoleUetr);
  const value = createFixedSerde().encode("DayClosed", { day });
  const producer = await environment.settled(environment.messaging.producer("services"));
  const letter = buildDeadLetter({ record: { ...place, key, value, headers: {} }, reason: "no value", service }, createFixedSerde());
  await environment.settled(producer.send([letter]));
}

/** Saves a debit whose report ACCP was refused: an open item of row 3. */
async function refusedReport(environment: DecisionEnvironment): Promise<void> {
  const debit = buildConsoleDebit(["RECEIVED", "ACCEPTED"]);
  const evidence = {
    attempts: 1,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    httpStatusCode: 422,
    isBreakerOpen: false,
    isReceiverPaused: false,
  };
  const item: Transaction["items"][number] = {
    day,
    row: 3,
    cause: null,
    state: "ACCEPTED",
    madeAtMs: consoleStartAtMs,
    evidence,
    settledAtMs: null,
    lateAnswers: [],
    resolution: null,
    note: null,
  };
  const changes = { applied: -1n, bank: "sample", businessDate: "2026-11-20", reconciliationDay: day, items: [item] };
  await environment.save(changeTransaction(debit, changes));
}

async function withWithdrawal(environment: DecisionEnvironment): Promise<void> {
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  await decideAndApply(environment, `/transactions/${consoleUetr}/withdrawal`, withdrawn, "w-1", "operator");
}

async function withResolution(environment: DecisionEnvironment): Promise<void> {
  await withWithdrawal(environment);
  const body = { reason: "seen", day, resolution: "MADE" };
  await decideAndApply(environment, `/transactions/${consoleUetr}/resolution`, body, "resolve-4711", "operator");
}

async function decideAndApply(
  environment: DecisionEnvironment,
  path: string,
  body: object,
  actionId: string,
  operator: string,
): Promise<void> {
  expect((await environment.control(path, { body, actionId, operator })).status).toBe(202);
  const record = environment.journal().at(-1);
  if (record !== undefined) await environment.judge(record);
}

/** Saves a day whose declaration every partition has answered, one of them with an unresolved credit to the bank. */
async function waitingForCredit(environment: DecisionEnvironment): Promise<void> {
  const about = { scheme: "ZA_EFT", businessDate: "2026-11-20" };
  const opens = { kind: "DayTimeReached", ...about, time: "window-opens", number: 1 } as const;
  const declaration = `${day}:CreditsDeclared:1`;
  const answers = [0, 1, 2].map((partition) => ({
    kind: "PartitionCredits" as const,
    ...about,
    declaration,
    partition,
    banksUnresolved: partition === 1 ? ["sample"] : [],
  }));
  await environment.saveDay(planOpenDay({ creditsFinal: "clock" }), opens, ...answers);
}

/** Has the withdrawal of a debit proposed, under the id that the address has. */
async function proposeWithdrawal(environment: DecisionEnvironment): Promise<void> {
  await environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD");
  await environment.control(`/transactions/${consoleUetr}/withdrawal`, { body: withdrawn, actionId: "w-1" });
}

/** Finds what the second person is shown of what the example confirms. */
async function findShown(environment: DecisionEnvironment, name: string): Promise<object> {
  if (name === "confirmResolution" || name === "rejectResolution") return await findProposal(environment);
  if (name === "confirmResolutions" || name === "rejectResolutions")
    return { of: [{ uetr: consoleUetr, ...(await findProposal(environment)) }] };
  if (!name.endsWith("Proposal")) return {};
  const { rows } = controlAnswers.listProposals.parse(await (await environment.control("/proposals")).json());
  return { offset: rows[0]?.offset, contentSha256: rows[0]?.contentSha256 };
}

function openDocumentedEnvironment(actions: readonly SecondPersonAction[]): Promise<DecisionEnvironment> {
  const secondPerson = { actions, proposalLifetimeMs: 3_600_000 };
  const banks = [sampleBank({ id: "first" }), sampleBank({ id: "sample" })];
  return openDecisionEnvironment({ resolutionNeedsSecondPerson: true, secondPerson, banks }, { keyService: createMemoryKeyService() });
}

/** Erasing is never decided by one person: its example is accepted as a proposal. */
function secondPersonAlways(name: string): readonly SecondPersonAction[] {
  return name === "eraseMonth" ? ["erase"] : [];
}

test.each(decisions)("the example of %s is accepted", async (name, path, operation) => {
  const environment = await openDocumentedEnvironment(name.endsWith("Proposal") ? ["withdraw"] : secondPersonAlways(name));
  await given[name]?.(environment);
  const operator = /^(?:confirm|reject)/.test(name) ? "second-person" : "operator";
  const example = readExample(operation);
  const proposal = await findShown(environment, name);
  const body = { ...example, ...placeOf(example), ...proposal };
  const answer = await environment.control(place(path), { body, operator });
  expect([name, answer.status, answer.status === 202 ? "" : await answer.text()]).toEqual([name, 202, ""]);
});

test.each(posts.filter(([name]) => !isDecision(name)))(
  "the example file of %s is read, and nothing is wrong with it",
  async (name, path, operation) => {
    const environment = await openDocumentedEnvironment([]);
    const body = operation.requestBody?.content["application/yaml"]?.examples.example.value;
    const answer = await environment.control(`${path}?from=2026-12-24&to=2026-12-31`, {
      body,
      headers: { "content-type": "application/yaml" },
    });
    expect([name, answer.status, await readJsonObject(answer)]).toMatchObject([name, 200, { problems: [] }]);
  },
);

function countRecords({ messaging }: DecisionEnvironment): number {
  const places = [topics.journal, topics.deadLetters].flatMap((topic) => [0, 1, 2].map((partition) => ({ topic, partition })));
  return places.reduce((sum, place) => sum + messaging.records(place).length, 0);
}

test.each(decisions.filter(([name]) => name in secondPersonOperations))(
  "%s appends nothing until a second person has confirmed it [D9 second-person]",
  async (name, path, operation) => {
    const environment = await openDocumentedEnvironment(secondPersonActions);
    await given[name]?.(environment);
    const before = countRecords(environment);
    const example = readExample(operation);
    const body = { ...example, ...placeOf(example) };
    const asked = { body, actionId: "asked-1" };
    const proposed = decisionProposedSchema.parse(await (await environment.control(place(path), asked)).json());
    expect([proposed.id, proposed.state, proposed.operation, countRecords(environment)]).toEqual(["asked-1", "proposed", name, before]);
    const { offset, contentSha256 } = proposed;
    const confirmation = { body: { reason: "seen", offset, contentSha256 }, operator: "second-person", actionId: "c-1" };
    const answer = await environment.control("/proposals/asked-1/confirmation", confirmation);
    const decided = await readJsonObject(answer);
    expect([answer.status, decided["action"], decided["schema"] === "DecisionProposed"]).toEqual([202, "asked-1", false]);
    // An erasure is no record: it destroys a key.
    expect(countRecords(environment)).toBeGreaterThanOrEqual(name === "eraseMonth" ? before : before + 1);
  },
);

interface Provoked extends ControlRequestInput {
  readonly path: string;
  readonly before?: (environment: DecisionEnvironment) => Promise<unknown>;
}

const pause = { path: "/banks/first/pause", body: { reason: "r" } };
const withdrawal = { path: `/transactions/${consoleUetr}/withdrawal`, body: { reason: "r" } };

/** The request that provokes each documented error, by the error's name. */
const provoked: Readonly<Record<string, Provoked>> = {
  "not-a-part": { path: "/transactions/x/withdrawal", body: { reason: "r" } },
  "no-such-parameter": { path: "/banks?bank=first" },
  "bad-idempotency-key": { ...pause, actionId: "a".repeat(65) },
  "reason-missing": { ...pause, body: {} },
  "not-authenticated": { ...pause, operator: null },
  "role-missing": { ...pause, operator: "reader" },
  "approve-missing": {
    path: `/transactions/${consoleUetr}/resolution/confirmation`,
    body: { reason: "r", offset: "1", contentSha256: "0".repeat(64) },
    operator: "actor",
  },
  "read-missing": { path: "/banks", operator: "actor" },
  "another-bank": { path: "/banks", operator: "bank-person" },
  "unknown-uetr": withdrawal,
  "unknown-day": { path: "/days/ZA_EFT/2026-12-20/credits-final", body: { reason: "r" } },
  "unknown-proposal": {
    path: "/proposals/w-1/confirmation",
    body: { reason: "r", offset: "1", contentSha256: "0".repeat(64) },
    operator: "second-person",
  },
  "unknown-letter": { path: "/dead-letters/0:99/replay", body: { reason: "r" } },
  "unknown-bank": { path: "/banks/nobody/pause", body: { reason: "r" } },
  "method-not-allowed": { path: "/banks", body: {} },
  "not-possible": { ...withdrawal, before: (environment) => environment.saveDebit("RECEIVED", "ACCEPTED", "REPORTED", "HELD", "RELEASED") },
  "another-decision": {
    ...pause,
    actionId: "a-1",
    before: (environment) => decideAndApply(environment, "/banks/first/resume", { reason: "r" }, "a-1", "operator"),
  },
  "length-required": { ...pause, headers: { "transfer-encoding": "chunked" } },
  "too-large": { ...pause, body: "x".repeat(128 * 1024 + 1) },
  "not-json": { ...pause, headers: { "content-type": "text/plain" } },
  "no-replacement": { path: `/transactions/${consoleUetr}/resolution`, body: { reason: "r", day, resolution: "REPLACED" } },
  "too-many": {
    ...pause,
    before: async (environment) => await Promise.all(Array.from({ length: 60 }, () => environment.control("/banks"))),
  },
  "store-away": {
    ...pause,
    before: (environment) => {
      environment.environment.fault = "down";
      return Promise.resolve();
    },
  },
  "outcome-unknown": {
    ...pause,
    actionId: "pause-4711",
    before: (environment) => {
      environment.environment.journalFate = { kind: "lose-request" };
      return Promise.resolve();
    },
  },
  "not-recorded": {
    ...pause,
    before: (environment) => {
      environment.messaging.setBroker(false);
      return Promise.resolve();
    },
  },
};

/** Tested elsewhere (`control-api.test.ts`): no request alone can provoke it. */
const unprovoked = ["failed"];

/** Lists the schemas of all members of this name, at any depth. */
function findMembers(part: object, name: string): readonly object[] {
  return Object.entries(part).flatMap(([key, inner]: [string, unknown]) => {
    if (typeof inner !== "object" || inner === null) return [];
    const properties: unknown = key === "properties" ? Reflect.get(inner, name) : null;
    return [...(properties === null || properties === undefined ? [] : [Object(properties)]), ...findMembers(inner, name)];
  });
}

test("the causes of items are a closed enumeration with each meaning: the table of reasons", () => {
  const causes = findMembers(document.components.schemas, "cause");
  expect(causes.length).toBeGreaterThanOrEqual(3);
  for (const cause of causes) {
    expect(cause).toMatchObject({ anyOf: [{ type: "string", enum: Object.keys(reconciliationReasons) }, { type: "null" }] });
    const description = String(Reflect.get(cause, "description"));
    for (const [code, { text }] of Object.entries(reconciliationReasons)) expect(description).toContain(`\`${code}\`: ${text}`);
  }
});

test("every documented error is provoked here or tested elsewhere", () => {
  const errors = Object.entries(document.components.examples).filter(([, { value }]) => value.schema === "ErrorDetail");
  expect(errors.map(([name]) => name).toSorted()).toEqual([...Object.keys(provoked), ...unprovoked].toSorted());
});

test.each(Object.entries(provoked))("the error %s is answered as documented", async (name, { path, before, ...asked }) => {
  const operators = [sampleOperator(), sampleOperator({ id: "reader", roles: ["read"] }), sampleOperator({ id: "actor", roles: ["act"] })];
  operators.push(sampleOperator({ id: "second-person", roles: ["read", "approve"] }));
  operators.push(sampleOperator({ id: "bank-person", roles: ["read"], bank: "first" }));
  const environment = await openDecisionEnvironment({ operators });
  await before?.(environment);
  const answer = await environment.control(path, asked);
  expect(await readJsonObject(answer)).toEqual(document.components.examples[name]?.value);
  const operation = operationAt(path, asked.body === undefined ? "get" : "post");
  const responses = operation?.responses ?? {};
  expect(String(answer.status) in responses || JSON.stringify(responses["default"]).includes(`${answer.status}: `)).toBe(true);
});

/** The operation with this method, or any operation of the address if it has no such method. */
function operationAt(path: string, method: string): Operation | undefined {
  const [bare = ""] = path.split("?");
  const found = Object.entries(document.paths).find(([form]) => new RegExp(`^${form.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(bare));
  return found?.[1][method] ?? Object.values(found?.[1] ?? {})[0];
}
