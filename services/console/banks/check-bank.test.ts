// Tests of checkBank: the request to the services that call banks, and what is shown of their answer.

import { controlAnswers, createFixedSerde, topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { consoleStartAtMs, readJsonObject } from "../console.fixture.ts";
import { openDecisionEnvironment } from "../decisions/decisions.fixture.ts";
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
    environment.store.endpointHealth.write([{ ...health, retryAfterUntilMs: null, updatedAtMs: consoleStartAtMs, check, changes: [] }]),
  );
  const { status } = controlAnswers.showBank.parse(await readControlAnswer(environment, "/banks/first"));
  expect(status.endpoints[0]?.check).toMatchObject({ action: "c-1", tookMs: 12, httpStatusCode: null, reason: "ECONNREFUSED" });
});
