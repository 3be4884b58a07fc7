import { controlOperations, type ControlOperation } from "@sluice/contracts";
import { createCallerMeter, createTokens } from "@sluice/service";
import { Fault, type LogFields, silentLogger } from "@sluice/kernel";
import { createVirtualTime, sampleOperator, sampleToken, sampleUetr } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createControlAudit } from "./control-audit.ts";
import { createControlApi } from "./control-api.ts";
import type { ControlAnswer, ControlHandlers, ControlRequest } from "./control-handler.ts";
import { buildControlRequest, readJsonObject, type ControlRequestInput } from "../console.fixture.ts";

const everybody = [
  sampleOperator(),
  sampleOperator({ id: "reader", roles: ["read"] }),
  sampleOperator({ id: "actor", roles: ["act"] }),
  sampleOperator({ id: "approver", roles: ["approve"] }),
  ...["one-of-first", "two-of-first"].map((id) => sampleOperator({ id, roles: ["read"], bank: "first" })),
  sampleOperator({ id: "one-of-second", roles: ["read"], bank: "second" }),
];
const parts: Readonly<Record<string, string>> = {
  uetr: sampleUetr.toUpperCase(),
  scheme: "ZA_EFT",
  date: "2026-11-20",
  bank: "first",
  action: "a-1",
  month: "2026-09",
  letter: "0:7",
  topic: "sluice.journal.v1",
};

/** The operation's address with valid parts. */
function buildAddress({ path }: Pick<ControlOperation, "path">, over: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => over[name] ?? parts[name] ?? "");
}

interface AuditedEntry {
  readonly kind: string;
  readonly content: object;
}

function createTestApi(
  answer: (question: ControlRequest) => Promise<ControlAnswer>,
  limits = { requestsPerSecond: 1_000, inboundConnections: 8 },
) {
  const time = createVirtualTime({ startAtMs: 0 });
  const questions: ControlRequest[] = [];
  const lines: { readonly event: string; readonly fields: LogFields | undefined }[] = [];
  const note = (event: string, fields?: LogFields): void => void lines.push({ event, fields });
  const log = { ...silentLogger, warn: note, error: note };
  const handler = async (question: ControlRequest): Promise<ControlAnswer> => {
    questions.push(question);
    return await answer(question);
  };
  const handlers: ControlHandlers = Object.fromEntries(controlOperations.map(({ name }) => [name, handler]));
  const meter = createCallerMeter(
    everybody.map(({ id }) => ({ id, ...limits })),
    () => time.monotonicMs(),
  );
  const report = async (_asked: unknown, work: () => Promise<{ readonly response: Response }>) => (await work()).response;
  const document = '{"openapi":"3.1.1"}';
  const entries: AuditedEntry[] = [];
  const auditState = { isAway: false };
  const noteEntry = (kind: string, content: object): void => void entries.push({ kind, content });
  const audit = createControlAudit({
    log: {
      note: noteEntry,
      record(kind, content) {
        if (!auditState.isAway) noteEntry(kind, content);
        return Promise.resolve(!auditState.isAway);
      },
    },
    trail: { note: noteEntry, stop() {} },
  });
  const operators = createTokens(everybody, () => time.nowMs());
  const nobody = { ok: false, reason: "unknown", holder: null, tokenId: null, certificateId: null } as const;
  const ports = { time, logger: log, operators, identifySignedIn: () => nobody, meter, handlers, report, audit, document };
  const api = createControlApi(ports);
  const ask = (path: string, asked: ControlRequestInput = {}): Promise<Response> => api.fetch(buildControlRequest(path, asked), null);
  const call = (operation: ControlOperation, asked: ControlRequestInput = {}): Promise<Response> =>
    ask(buildAddress(operation), operation.method === "POST" ? { body: {}, ...asked } : asked);
  return { time, questions, lines, entries, auditState, ask, call };
}

const found = (): Promise<ControlAnswer> => Promise.resolve({ kind: "found", body: { schema: "Found" } });
const operations: readonly ControlOperation[] = controlOperations;

test.each(operations)("$method $path takes an operator with the role $role, and none without it", async (operation) => {
  const { call, questions } = createTestApi(found);
  const byRole = { read: "reader", act: "actor", approve: "approver" } as const;
  for (const [role, operator] of Object.entries(byRole)) {
    const answer = await call(operation, { operator });
    expect([role, answer.status]).toEqual([role, role === operation.role ? 200 : 403]);
    expect(await readJsonObject(answer)).toMatchObject(
      role === operation.role ? { schema: "Found" } : { detail: `This needs the role ${operation.role}.` },
    );
  }
  expect(questions.map(({ operator }) => operator.id)).toEqual([byRole[operation.role]]);
});

test.each(operations)("$method $path without an operator's token is 401, and the connection is closed", async (operation) => {
  const { call, questions } = createTestApi(found);
  for (const authorization of [undefined, "Bearer nobody", `Bearer ${sampleToken("first")}`, `Basic ${sampleToken("operator")}`]) {
    const answer = await call(operation, { operator: null, headers: authorization === undefined ? {} : { authorization } });
    expect([answer.status, answer.headers.get("www-authenticate"), answer.headers.get("connection")]).toEqual([401, "Bearer", "close"]);
    expect((await readJsonObject(answer))["detail"]).toMatch(/A bearer token .* \(\.\/sluice login PROFILE\)/);
  }
  expect(questions).toEqual([]);
});

test.each(operations)("$method $path: another method is 405 and names the allowed method", async ({ method, path }) => {
  const { ask } = createTestApi(found);
  for (const other of ["PUT", "DELETE", "HEAD", method === "GET" ? "POST" : "GET"]) {
    const answer = await ask(buildAddress({ path }), { method: other });
    expect([other, answer.status, answer.headers.get("allow")]).toEqual([other, 405, method]);
  }
});

test.each(operations.flatMap((operation) => [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, part = ""]) => [operation, part] as const)))(
  "an invalid part of the address is 400, before anything is looked up: %j, %s",
  async (operation, part) => {
    const { ask, questions } = createTestApi(found);
    for (const bad of ["%00", ...(part === "action" ? [] : ["x'||1"]), `${"a".repeat(65)}%20`, "%F0%9F%92%A3"]) {
      const answer = await ask(buildAddress(operation, { [part]: bad }), operation.method === "POST" ? { body: {} } : {});
      expect([bad, answer.status]).toEqual([bad, 400]);
      expect(await answer.text()).not.toContain(bad);
    }
    expect(questions).toEqual([]);
  },
);

test("a query parameter that is unknown, repeated or too long is 400", async () => {
  const { ask, questions } = createTestApi(found);
  for (const query of ["?bankk=first", "?bank=first&bank=second", `?bank=${"a".repeat(201)}`]) {
    expect((await ask(`/transactions${query}`)).status).toBe(400);
  }
  expect((await ask("/transactions?bank=first&limit=5")).status).toBe(200);
  expect((await ask("/banks/first/pause?force=1", { body: {} })).status).toBe(400);
  expect(questions.map(({ query }) => query.toString())).toEqual(["bank=first&limit=5"]);
});

test.each([
  ["not JSON's media type", { headers: { "content-type": "text/plain" } }, 415],
  ["another character set", { headers: { "content-type": "application/json; charset=latin1" } }, 415],
  ["compressed", { headers: { "content-encoding": "gzip" } }, 415],
  ["too large", { body: "x".repeat(128 * 1024 + 1) }, 413],
  ["without a length", { headers: { "content-length": "x" } }, 400],
  ["an idempotency key of 65 characters", { actionId: "a".repeat(65) }, 400],
  ["an idempotency key with a control character", { actionId: "a\u007f" }, 400],
])("a decision that is %s is refused", async (_, asked, status) => {
  const { ask, questions } = createTestApi(found);
  expect((await ask("/banks/first/pause", { body: {}, ...asked })).status).toBe(status);
  expect(questions).toEqual([]);
});

test("more requests a second than allowed are 429 with Retry-After, for that operator alone", async () => {
  const { ask, time } = createTestApi(found, { requestsPerSecond: 2, inboundConnections: 8 });
  const statuses = [];
  for (let asked = 0; asked < 3; asked++) statuses.push((await ask("/banks")).status);
  expect([statuses, (await ask("/banks", { operator: "reader" })).status]).toEqual([[200, 200, 429], 200]);
  await time.advance(1_000);
  expect((await ask("/banks")).status).toBe(200);
});

test("I15: what is under way is bounded, of one operator and in all; an answer that does not come is 503 and keeps its place", async () => {
  const waiting: (() => void)[] = [];
  const { ask, time } = createTestApi(() => new Promise((resolve) => waiting.push(() => resolve({ kind: "found", body: {} }))));
  const asked = Array.from({ length: 16 }, () => ask("/banks"));
  const beyond = await ask("/banks");
  expect([beyond.status, beyond.headers.get("retry-after")]).toEqual([503, "1"]);
  await time.advance(8_000);
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([503]));
  expect((await ask("/banks")).status).toBe(503);
  for (const answer of waiting.splice(0)) answer();
  await time.advance(1);
  const late = ask("/banks");
  await time.advance(1);
  for (const answer of waiting.splice(0)) answer();
  expect((await late).status).toBe(200);
});

test("I15: people of banks have places of their own, few for one bank, and take none of Sluice's operators'", async () => {
  const waiting: (() => void)[] = [];
  const { ask, time } = createTestApi(() => new Promise((resolve) => waiting.push(() => resolve({ kind: "found", body: {} }))));
  const asked = ["one-of-first", "two-of-first"].flatMap((operator) => [1, 2].map(() => ask("/banks/first/own", { operator })));
  await time.advance(1);
  expect((await ask("/banks/first/own", { operator: "one-of-first" })).status).toBe(503);
  asked.push(ask("/banks/second/own", { operator: "one-of-second" }));
  asked.push(...Array.from({ length: 16 }, () => ask("/banks")));
  await time.advance(1);
  for (const answer of waiting.splice(0)) answer();
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
});

test("a defect of ours is 500 and reveals nothing; a system that is not available is 503", async () => {
  const broken = createTestApi(() => Promise.reject(new Error("inner workings")));
  const answer = await broken.ask("/banks");
  expect([answer.status, (await answer.text()).includes("inner"), broken.lines[0]?.event]).toEqual([500, false, "console.failed"]);
  const away = createTestApi(() => Promise.reject(new Fault("store.unavailable", "no server", { isRetryable: true })));
  const unanswered = await away.ask("/banks");
  expect([unanswered.status, unanswered.headers.get("retry-after"), away.lines[0]?.event]).toEqual([503, "1", "console.not-answered"]);
});

test("a question that the store gave up at its bound is answered with what to ask instead", async () => {
  const { ask, lines } = createTestApi(() => Promise.reject(new Fault("store.too-slow", "given up", { isRetryable: true })));
  const answer = await ask("/banks");
  expect([answer.status, lines[0]?.event]).toEqual([503, "console.not-answered"]);
  expect(await answer.text()).toContain("The store gave this question up, because it took too long. Ask a narrower one");
});

test("a text in parts is streamed, and keeps its slot until it ends, its reader leaves, or it breaks off", async () => {
  let isOpen = true;
  async function* parts(): AsyncGenerator<string> {
    try {
      for (let part = 0; part < 3; part++) yield `${part}\n`;
    } finally {
      isOpen = false;
    }
  }
  const { ask } = createTestApi(() => Promise.resolve({ kind: "text", contentType: "text/csv", text: parts() }));
  const whole = await ask("/reconciliation/export");
  expect([whole.headers.get("content-type"), await whole.text(), isOpen]).toEqual(["text/csv", "0\n1\n2\n", false]);
  isOpen = true;
  const held = await Promise.all(Array.from({ length: 16 }, () => ask("/reconciliation/export")));
  expect((await ask("/reconciliation/export")).status).toBe(503);
  await Promise.all(held.map(async (answer) => await answer.body?.cancel()));
  expect([(await ask("/reconciliation/export")).status, isOpen]).toEqual([200, false]);
});

test("a text that breaks off never looks complete, and is logged", async () => {
  const { ask, lines } = createTestApi(() =>
    Promise.resolve({
      kind: "text",
      contentType: "text/csv",
      text: (async function* () {
        yield "0\n";
        throw new Fault("store.unavailable", "no server", { isRetryable: true });
      })(),
    }),
  );
  await expect((await ask("/reconciliation/export")).text()).rejects.toThrow("broke off");
  expect(lines.map(({ event }) => event)).toEqual(["console.not-answered"]);
});

test("the OpenAPI document needs no token, and an operation that is not served has no address", async () => {
  const { ask } = createTestApi(found);
  expect(await (await ask("/openapi.json", { operator: null })).text()).toBe('{"openapi":"3.1.1"}');
  expect((await ask("/other", { operator: null })).status).toBe(404);
});

test("a decision is in the audit before it is handled, and its answer after; its body only as a hash", async () => {
  const { ask, entries } = createTestApi(() => Promise.resolve({ kind: "accepted", body: {} }));
  const path = `/transactions/${sampleUetr}/withdrawal`;
  await ask(path, { operator: "actor", body: { reason: "asked by Thandi Canary" }, actionId: "key-1" });
  const said = { operation: "withdrawDebit", operator: "actor", subject: [`uetr ${sampleUetr}`], actionId: "key-1", address: null };
  expect(entries).toMatchObject([
    { kind: "decision", content: { ...said, bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown } },
    { kind: "answered", content: { ...said, status: 202 } },
  ]);
  expect(JSON.stringify(entries)).not.toContain("Canary");
});

test("while the audit cannot be written decisions and exports are refused unhandled, and questions are answered [D10.63]", async () => {
  const { call, questions, entries, auditState } = createTestApi(found);
  auditState.isAway = true;
  const refused: string[] = [];
  for (const operation of operations) {
    const operator = ({ read: "reader", act: "actor", approve: "approver" } as const)[operation.role];
    const answer = await call(operation, { operator });
    if (answer.status === 503) refused.push(operation.name);
  }
  const expected = operations.filter(({ kind, name }) => kind === "decision" || name.startsWith("export")).map(({ name }) => name);
  expect(refused).toEqual(expected);
  expect(questions).toHaveLength(operations.length - expected.length);
  expect(new Set(entries.map(({ kind }) => kind))).toEqual(new Set(["read"]));
});

test("a question that brings a file is one: the role read, YAML or JSON, in the audit as a reading with the file's hash", async () => {
  const { ask, entries, questions } = createTestApi(found);
  const path = "/calendar/file-difference?from=2026-11-20";
  for (const type of ["application/yaml", "application/yaml; charset=utf-8", "application/json"])
    expect([type, (await ask(path, { operator: "reader", body: "schemes: []", headers: { "content-type": type } })).status]).toEqual([
      type,
      200,
    ]);
  const refused = await ask(path, { operator: "reader", body: "x", headers: { "content-type": "text/plain" } });
  expect([refused.status, await readJsonObject(refused)]).toMatchObject([
    415,
    { detail: "Send application/yaml or application/json in UTF-8, as it is." },
  ]);
  expect((await ask(path, { operator: "reader", body: "x".repeat(128 * 1024 + 1) })).status).toBe(413);
  expect((await ask("/banks/first/pause", { body: "reason: r", headers: { "content-type": "application/yaml" } })).status).toBe(415);
  expect(questions).toHaveLength(3);
  const content = {
    operation: "compareCalendarFile",
    operator: "reader",
    filter: ["from 2026-11-20"],
    bodySha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
  };
  expect(entries).toMatchObject(questions.map(() => ({ kind: "read", content })));
  expect(JSON.stringify(entries)).not.toContain("actionId");
});

test("a search is in the audit with its filter, but without what could name a person or an account [D10.60]", async () => {
  const { ask, entries } = createTestApi(found);
  await ask("/transactions?bank=first&account=6789&identification=CANARY-1&amount=12.50", { operator: "reader" });
  expect(entries).toMatchObject([{ kind: "read", content: { filter: ["bank first", "account", "identification", "amount"] } }]);
});
