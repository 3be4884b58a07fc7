import { createCallerMeter, createCallers } from "@sluice/service";
import { silentLogger } from "@sluice/kernel";
import { createVirtualTime, sampleConfiguration, sampleToken, sampleUetr } from "@sluice/testkit";
import { listCallers } from "@sluice/config";
import { expect, test } from "vitest";
import type { TransactionQueryHandler } from "./bank-answer.ts";
import { createBankApi } from "./bank-api.ts";

function createTestApi(transactionStatus: TransactionQueryHandler) {
  const time = createVirtualTime({ startAtMs: 0 });
  const configured = listCallers(sampleConfiguration());
  const meter = createCallerMeter(configured, () => time.monotonicMs());
  const errors: string[] = [];
  const log = { ...silentLogger, error: (event: string) => void errors.push(event) };
  const report = async (_asked: unknown, work: () => Promise<{ readonly response: Response }>) => (await work()).response;
  const api = createBankApi({
    time,
    logger: log,
    callers: createCallers(configured, () => time.nowMs()),
    meter,
    operations: { transactionStatus },
    report,
  });
  const headers = { authorization: `Bearer ${sampleToken("first")}` };
  const ask = (): Promise<Response> => api.fetch(new Request(`http://console/transactions/${sampleUetr}`, { headers }), null);
  return { time, errors, ask };
}

test("a defect of ours is 500 with an ErrorDetail that reveals nothing, and an error is logged", async () => {
  const { ask, errors } = createTestApi(() => Promise.reject(new Error("inner workings")));
  const answer = await ask();
  const text = await answer.text();
  expect([answer.status, JSON.parse(text), errors]).toMatchObject([500, { schema: "ErrorDetail" }, ["console.failed"]]);
  expect(text).not.toContain("inner");
});

test("an answer that does not come is 503 after six seconds, and its turn stays taken until it comes", async () => {
  const waiting: (() => void)[] = [];
  const { ask, time } = createTestApi(() => new Promise((resolve) => waiting.push(() => resolve({ kind: "found", body: "{}" }))));
  const asked = Array.from({ length: 64 }, ask);
  await time.advance(6_000);
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  expect(waiting).toHaveLength(4);
  const asking = ask();
  await time.advance(4_000);
  const early = await asking;
  expect([early.status, await early.json()]).toMatchObject([503, { detail: "The answer did not come in time. Ask again." }]);
  expect(waiting).toHaveLength(4);
  for (const answer of waiting.splice(0)) answer();
  await time.advance(1);
  const late = ask();
  await time.advance(1);
  for (const answer of waiting.splice(0)) answer();
  expect((await late).status).toBe(200);
});

test("an operation that is not served has no address", async () => {
  const { ask } = createTestApi(() => Promise.resolve({ kind: "found", body: "{}" }));
  expect((await ask()).status).toBe(200);
  const api = createBankApi({ ...portsWithout(), operations: {} });
  expect((await api.fetch(new Request(`http://console/transactions/${sampleUetr}`), null)).status).toBe(404);
});

function portsWithout() {
  const time = createVirtualTime({ startAtMs: 0 });
  const report = async (_asked: unknown, work: () => Promise<{ readonly response: Response }>) => (await work()).response;
  return { time, logger: silentLogger, callers: createCallers([], () => 0), meter: createCallerMeter([], () => 0), report };
}
