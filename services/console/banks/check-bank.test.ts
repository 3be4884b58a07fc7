// Tests of checkBank: the request to the services that call banks, and what is shown of their answer.

import { createFixedSerde, topics } from "@sluice/contracts";
import { controlAnswers } from "@sluice/contracts/control-answers";
import { sampleBank, sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { consoleStartAtMs, readJsonObject } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
import { openReader } from "../web/browser.fixture.ts";
import { readControlAnswer } from "../queries/stored-data.fixture.ts";

type Environment = Awaited<ReturnType<typeof openDecisionEnvironment>>;

function namesIn({ messaging }: Environment, topic: string): readonly string[] {
  const serde = createFixedSerde();
  return [0, 1, 2].flatMap((partition) =>
    messaging.records({ topic, partition }).flatMap(({ value }) => (value === null ? [] : [serde.decode(value).name])),
  );
}

test("a check is requested of both services that call banks, and of nothing else [D10 check]", async () => {
  const environment = await openDecisionEnvironment();
  const answer = await environment.control("/banks/first/check", { body: { reason: "before it goes live" }, actionId: "c-1" });
  expect(controlAnswers.checkBank.parse(await readJsonObject(answer))).toMatchObject({ action: "c-1", bank: "first" });
  expect([answer.status, environment.journal()]).toEqual([202, []]);
  expect([topics.dispatch, topics.events].map((topic) => namesIn(environment, topic))).toEqual([
    ["EndpointCheckRequested"],
    ["EndpointCheckRequested"],
  ]);
  expect((await environment.control("/banks/nobody/check", { body: { reason: "r" } })).status).toBe(404);
});

test("what a check brought stands at the endpoint that was called [D10 check]", async () => {
  const environment = await openDecisionEnvironment();
  const before = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  const [address] = before.status.endpoints;
  expect(address?.check).toBeNull();
  const check = { action: "c-1", atMs: consoleStartAtMs, tookMs: 12, httpStatusCode: null, reason: "ECONNREFUSED" };
  const health = { service: "dispatcher", receiverId: "first", origin: address?.address ?? "", breaker: null, concurrency: 32 };
  await environment.settled(
    environment.store.endpointHealth.write([
      { ...health, retryAfterUntilMs: null, updatedAtMs: consoleStartAtMs, check, changes: [], checks: [] },
    ]),
  );
  const { status } = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  expect(status.endpoints[0]?.check).toMatchObject({ action: "c-1", tookMs: 12, httpStatusCode: null, reason: "ECONNREFUSED" });
});

test("the last ten checks are kept: who asked, when, and what each address answered [D10 check]", async () => {
  const operators = [sampleOperator(), sampleOperator({ id: "first-person", roles: ["read"], bank: "first" })];
  const environment = await openDecisionEnvironment({
    operators,
    banks: [sampleBank({ id: "first", eventsUrl: "https://events.example/in" }), sampleBank({ id: "second", branch: "632005" })],
  });
  const before = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  expect(before.checks).toEqual([]);
  const [origin = "", events = ""] = before.status.endpoints.map(({ address }) => address);
  const known = { receiverId: "first", breaker: null, concurrency: 32, retryAfterUntilMs: null, updatedAtMs: 0, check: null, changes: [] };
  const keep = async (service: string, address: string, run: number, status: number | null, operator: string) => {
    const reason = status === null ? "ECONNREFUSED" : null;
    const check = { action: `c-${run}`, atMs: consoleStartAtMs + run * 1_000, tookMs: 7, httpStatusCode: status, reason, operator };
    await environment.settled(environment.store.endpointHealth.addCheck({ ...known, service, origin: address, checks: [] }, check));
  };
  for (let run = 1; run <= 11; run += 1) await keep("dispatcher", origin, run, 405, "operator");
  await keep("dispatcher", origin, 12, 405, "first-person");
  await keep("event-publisher", events, 12, null, "first-person");
  const { checks } = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  expect(checks).toHaveLength(10);
  expect(checks[0]).toMatchObject({
    action: "c-12",
    operator: "first-person",
    addresses: [
      { service: "dispatcher", address: origin, httpStatusCode: 405, reason: null },
      { service: "event-publisher", address: events, httpStatusCode: null, reason: "ECONNREFUSED" },
    ],
  });
  const own = controlAnswers.showOwnBank.parse(await readControlAnswer(environment, "/banks/first/own"));
  expect(own.checks.map(({ operator }) => operator).slice(0, 3)).toEqual(["first-person", null, null]);
  const reader = openReader(environment);
  await reader.signIn();
  expect((await reader.ask("/banks/first")).text).toContain("1 of 2 reached");
  await reader.signIn("first-person");
  const page = (await reader.ask("/own/first")).text;
  expect(page).toContain("an operator of Sluice, or a person no longer configured");
  expect(page).not.toContain("c-12");
});
