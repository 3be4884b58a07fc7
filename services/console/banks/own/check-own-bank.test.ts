// A bank's own person has the bank's addresses called: docs/adr/0121-a-bank-tests-its-own-addresses.md.

import { createFixedSerde, topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { openDecisionEnvironment } from "../../decisions/decisions.fixture.ts";
import { consoleStartAtMs, readJsonObject } from "../../console.fixture.ts";
import { openReader } from "../../web/browser.fixture.ts";

const operators = [
  sampleOperator(),
  sampleOperator({ id: "reader", roles: ["read"] }),
  sampleOperator({ id: "first-person", roles: ["read"], bank: "first" }),
];
const path = "/banks/first/own/check";
const asked = { body: { reason: "our new certificate is in place" }, operator: "first-person" } as const;

test("a bank's own person has its own addresses called, and nothing of it is in the journal [D10 check]", async () => {
  const environment = await openDecisionEnvironment({ operators });
  const answer = await environment.control(path, asked);
  expect([answer.status, await readJsonObject(answer)]).toMatchObject([202, { schema: "CheckRequested", bank: "first" }]);
  expect(environment.journal()).toEqual([]);
  const serde = createFixedSerde();
  for (const topic of [topics.events, topics.dispatch]) {
    const records = [0, 1, 2].flatMap((partition) => environment.messaging.records({ topic, partition }));
    expect(records.map(({ value }) => (value === null ? null : serde.decode(value)))).toMatchObject([
      { name: "EndpointCheckRequested", value: { bank: "first", action: { operator: "first-person" } } },
    ]);
  }
  expect((await environment.control("/banks/second/own/check", asked)).status).toBe(403);
});

test("a bank is called so once in 30 s, by all who ask together; an operator of Sluice who can only read is refused [D10 check]", async () => {
  const environment = await openDecisionEnvironment({ operators });
  expect((await environment.control(path, { ...asked, operator: "reader" })).status).toBe(403);
  const ask = async (operator = "first-person") => (await environment.control(path, { ...asked, operator })).status;
  expect([await ask(), await ask(), await ask("operator")]).toEqual([202, 409, 409]);
  await environment.time.advance(29_000);
  expect(await ask()).toBe(409);
  await environment.time.advance(1_100);
  expect(await ask("operator")).toBe(202);
});

test("the bank's page offers it, and shows what each address answered last without the id of who asked [D10 check]", async () => {
  const environment = await openDecisionEnvironment({ operators });
  const reader = openReader(environment);
  await reader.signIn("first-person");
  expect((await reader.ask("/own/first")).text).toContain('href="/decide/checkOwnBank?bank=first"');
  const sent = await reader.decide("/decide/checkOwnBank?bank=first", { reason: "our new certificate" });
  expect(sent.headers.get("location")).toBe("/own/first#endpoints");
  expect((await reader.ask("/decide/checkOwnBank?bank=second")).status).toBe(403);
  const [address = ""] = (await readOwn(environment)).endpoints.map((one) => one.address);
  const check = { action: "an-operators-id", atMs: consoleStartAtMs, tookMs: 12, httpStatusCode: 405, reason: null };
  const health = { service: "dispatcher", receiverId: "first", origin: address, breaker: null, concurrency: 32 };
  await environment.settled(
    environment.store.endpointHealth.write([
      { ...health, retryAfterUntilMs: null, updatedAtMs: consoleStartAtMs, check, changes: [], checks: [] },
    ]),
  );
  const { endpoints } = await readOwn(environment);
  expect(endpoints[0]?.check).toEqual({ at: "2026-11-20T06:00:00.000Z", tookMs: 12, httpStatusCode: 405, reason: null });
  const { text } = await reader.ask("/own/first");
  expect([text.includes("reached, HTTP 405"), text.includes("an-operators-id")]).toEqual([true, false]);
});

async function readOwn(environment: Awaited<ReturnType<typeof openDecisionEnvironment>>) {
  const answer = await environment.settled(environment.control("/banks/first/own", { operator: "first-person" }));
  return controlAnswers.showOwnBank.parse(await readJsonObject(answer));
}
